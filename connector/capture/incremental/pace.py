"""How fast incremental snapshots read: the size of chunks, and pauses while the stream lags."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from connector.capture.change import Notice, Progress

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
    """The rows of the next chunk. With a target in seconds it follows how long chunks take."""

    def __init__(self, rows: int, target: float = 0.0) -> None:
        self.rows = rows
        self._target = target

    def adapt(self, rows: int, seconds: float) -> None:
        """Note that a chunk of some rows was read; one that is not full says too little."""
        if not self._target or rows < self.rows:
            return
        factor = self._target / seconds if seconds > 0 else _STEP
        needed = self.rows * min(_STEP, max(1 / _STEP, factor))
        self.rows = round(min(max(needed, _SMALLEST), max(_LARGEST, self.rows)))


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

    def notices(self) -> Iterator[Notice]:
        """Yield what the status shows, if it has changed."""
        if self.is_too_high == self._is_shown:
            return
        self._is_shown = self.is_too_high
        text = (
            f"Incremental snapshots wait: streaming is {self._seconds:.1f} s behind, more than "
            f"millrace.incremental.snapshot.max.lag.ms={self._limit * 1000:.0f} allows."
        )
        yield Notice(text if self._is_shown else "", _SUBJECT)
