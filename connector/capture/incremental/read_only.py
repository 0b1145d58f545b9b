"""Incremental snapshots without a table of signals: windows are marked by positions of the log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

from connector.capture.change import Change, EventBatch, Position, Row, RowChanges
from connector.capture.incremental.ahead import ReadAhead
from connector.capture.incremental.chunk_source import ChunkSource
from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.parallel import RunAll
from connector.capture.incremental.snapshot import IncrementalSnapshot
from connector.capture.notifications import Notifications
from connector.errors import DatabaseUnavailableError

# Seconds for chunks without a look at the stream. Its changes do not wait so long: once there is
# one, a window stays open.
_TURN: Final = 1.0
P_contra = TypeVar("P_contra", bound=Position, contravariant=True)


@runtime_checkable
class PositionedChunks(ChunkSource, Protocol[P_contra]):
    """Chunks whose marks are what the server has done before and after it reads them.

    ``open_window`` and ``close_window`` write nothing: the latter notes the second mark.
    """

    def follow(self, streamed: P_contra, last: Row | None) -> None:
        """Note how far the stream is; ``last`` is the source block of its last change."""

    def can_read(self) -> bool:
        """Note the first mark; whether the server has all that was streamed, visible to reads.

        Rows that a chunk does not have yet, but the stream had, would never be dropped.
        """

    def reflects(self, source: Row) -> bool:
        """Whether a change is from before the first mark: the chunk was read with it."""

    def has_passed(self) -> bool:
        """Whether the stream has come to the second mark."""

    def source_here(self) -> Row:
        """Return the source block of the position of the stream."""


class ReadOnlySnapshot(IncrementalSnapshot):
    """Opens a window as soon as its chunk is read, and closes it where the stream passes it.

    Chunks are read between two batches of the stream, never inside one: what the stream has
    yielded is known there.
    """

    def __init__(
        self,
        chunks: PositionedChunks[Any],  # their positions are those of the stream
        notifications: Notifications,
        options: IncrementalOptions,
        clock: Callable[[], float] = time.monotonic,
        run_all: RunAll | None = None,
        ahead: ReadAhead | None = None,
    ) -> None:
        super().__init__(chunks, notifications, options, clock, run_all, ahead)
        self._positions = chunks
        self._last: Row | None = None

    def restore(self, offset: Mapping[str, Any]) -> None:
        """Take the state of an offset; windows from before are void."""
        super().restore(offset)
        self._last = None

    def skip(self, batch: EventBatch) -> bool:
        """Return whether a batch replaces no row of a chunk, because none is being read."""
        if self._windows.phase != "idle":
            return False
        *_, self._last = batch.events[-1]
        return True

    def deduplicate(self, change: RowChanges) -> None:
        """Drop what a change of the log replaces, unless the chunk was read with it."""
        self._last = change.source
        if self._windows.concern(change) and not self._positions.reflects(change.source):
            self._windows.deduplicate(change)

    def go_on(self, streamed: Position) -> Iterator[Change]:
        """Close the window if the stream has passed it, and read further chunks.

        Without changes between two marks a window closes at once.
        """
        if self._windows.phase == "idle" and not self._reading.is_due:
            yield from self._notices()
            return
        self._positions.follow(streamed, self._last)
        if self._reading.is_due:  # even while the server is not ready
            yield from self._reading.stop_tables()
        end = self._clock() + _TURN
        while True:
            if self._windows.phase != "idle":
                if not self._positions.has_passed():
                    return
                yield from self._end_window(self._positions.source_here(), None)
            can_go_on = self._can_go_on(end)
            yield from self._notices()
            if not can_go_on:
                return
            self._reading.is_due = False
            yield from super()._read_chunk()
            yield from self._marked.settle()
            self._windows.open()

    def _can_go_on(self, end: float) -> bool:
        self._reading.is_due = self._reading.is_due and self._may_continue
        may = self._reading.is_due and self._can_read() and self._clock() < end
        try:
            return may and self._positions.can_read()
        except DatabaseUnavailableError as error:
            self._refused.note(error)
            return False

    def _read_chunk(self) -> Iterator[Change]:
        """Read the next chunk when the batch ends."""
        self._reading.is_due = True
        return iter(())
