"""How fast incremental snapshots read: the size of chunks, and pauses while the stream lags."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from connector.capture.change import Notice, Progress
from connector.capture.incremental.chunk_source import MOST_BYTES

_SMALLEST, _LARGEST = 16, 32_768  # rows
_STEP: Final = 2.0  # a size grows or shrinks at most by this factor
_SUBJECT: Final = "the pace of incremental snapshots"


@dataclass(frozen=True, slots=True)
class IncrementalOptions:
    """How incremental snapshots read. Times are in seconds, 0 for none.

    ``chunk_seconds`` is the time that the size of chunks aims at; while the stream is further
    behind than ``most_lag`` no chunk is read. So many ``threads`` read a chunk each.
    """

    chunk_size: int = 1024
    skips_unchanged: bool = False
    chunk_seconds: float = 0.0
    most_lag: float = 0.0
    threads: int = 1


class ChunkSize:
    """The rows of the next chunk: so many that they do not have too many bytes.

    With a target in seconds the rows also follow how long chunks take: to be read, or to be
    emitted, whichever is longer.
    """

    def __init__(self, rows: int, target: float = 0.0) -> None:
        self._rows = rows
        self._target = target
        self._fitting: float = math.inf
        self._emission = 0.0  # seconds of a row

    @property
    def rows(self) -> int:
        """The rows of the next chunk."""
        return int(min(self._rows, self._fitting))

    def adapt(self, rows: int, seconds: float, row_size: int = 0) -> None:
        """Note that a chunk of some rows was read, of a mean size in bytes.

        One that is not full says too little of the time that chunks take.
        """
        size = self.rows
        # Half as many as may be: the next rows may be larger.
        self._fitting = max(1, MOST_BYTES // 2 // row_size) if row_size else math.inf
        if not self._target or rows < size:
            return
        seconds = max(seconds, rows * self._emission)
        factor = self._target / seconds if seconds > 0 else _STEP
        needed = size * min(_STEP, max(1 / _STEP, factor))
        self._rows = round(min(max(needed, _SMALLEST), max(_LARGEST, size)))

    def note_emission(self, rows: int, seconds: float) -> None:
        """Note how long the stream waited while rows were emitted."""
        self._emission = seconds / rows


class StreamLag:
    """How far the stream is behind its database; chunks wait while that is more than a limit.

    ``limit`` is in seconds, 0 for none. The database's clock counts: it should be right.
    """

    def __init__(self, limit: float = 0.0, now: Callable[[], float] = time.time) -> None:
        self._limit = limit
        self._now = now
        self._seconds = 0.0
        self._noted: Progress[Any] | None = None
        self._is_shown = False

    def note(self, progress: Progress[Any]) -> None:
        """Note the last progress at the end of a batch of the stream.

        Without a new one nothing came: the stream is not behind. Within a transaction nothing is
        known of its time.
        """
        if not self._limit or (progress.in_transaction and not progress.commits):
            return
        is_new = progress is not self._noted and progress.commits > 0
        self._noted = progress
        self._seconds = self._now() - progress.committed_ms / 1000 if is_new else 0.0

    @property
    def is_too_high(self) -> bool:
        """Whether no chunk may be read at present."""
        return self._limit > 0 and self._seconds > self._limit

    def notices(self, *, chunk_waits: bool) -> Iterator[Notice]:
        """Yield what the status shows, if it has changed.

        :param chunk_waits: whether there is a chunk to be read as soon as that is allowed.
        """
        is_shown = chunk_waits and self.is_too_high
        if is_shown == self._is_shown:
            return
        self._is_shown = is_shown
        text = (
            f"Incremental snapshots wait: streaming is {self._seconds:.1f} s behind, more than "
            f"millrace.incremental.snapshot.max.lag.ms={self._limit * 1000:.0f} allows."
        )
        yield Notice(text if is_shown else "", _SUBJECT)
