"""Yields snapshots with their notifications, and records how far they are."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeVar

from connector.capture.change import Change, HeartbeatDue, Position, Progress, RowChanges
from connector.capture.notifications import Notifications
from connector.capture.progress import CaptureProgress
from connector.capture.signals.processor import Signals
from connector.capture.snapshot_events import (
    ChunkedReadBegan,
    ChunkedReadEnded,
    ChunkScan,
    LocksHeld,
    SnapshotBegan,
    TableScan,
)
from connector.capture.snapshot_progress import SnapshotKind
from connector.errors import StopError

R = TypeVar("R")


class SnapshotPublisher:
    """Adds to snapshots what is reported about them.

    An initial snapshot that is read in chunks ends in the stream; ``signals`` know whether there
    is one.
    """

    def __init__(
        self, progress: CaptureProgress, notifications: Notifications, signals: Signals | None
    ) -> None:
        self._progress = progress
        self._notifications = notifications
        self._signals = signals

    def with_state(self, change: Progress[Position]) -> Progress[Position]:
        """Add to a position of a snapshot what the offset has to keep with it."""
        return change if self._signals is None else self._signals.with_state(change)

    def snapshot(
        self, changes: Generator[Change, None, R], kind: SnapshotKind
    ) -> Generator[Change, None, R]:
        """Yield the changes of a snapshot and its notifications; record its progress."""
        self._progress.begin_snapshot(kind)
        yield from self._notifications.snapshot("STARTED")
        try:
            result = yield from self._steps(changes)
        except Exception:
            self._progress.end_snapshot("aborted")
            yield from self._notifications.snapshot("ABORTED")
            raise
        if kind == "blocking" or not self.reads_chunks:
            yield from self._end()
        yield HeartbeatDue(now=True)
        return result

    @property
    def reads_chunks(self) -> bool:
        """Whether an initial snapshot is read in chunks and not complete."""
        return self._signals is not None and self._signals.reads_initial_chunks

    def _end(self) -> Iterator[Change]:
        self._progress.end_snapshot("completed")
        yield from self._notifications.snapshot("COMPLETED")

    def _steps(self, changes: Generator[Change, None, R]) -> Generator[Change, None, R]:
        """Yield the changes of a snapshot, with notifications in place of its scans of tables."""
        table = None
        while True:
            try:
                change = next(changes)
            except StopIteration as end:
                result: R = end.value
                return result
            except StopError:
                if table is not None:
                    yield from self._notifications.failed_scan(table)
                raise
            if isinstance(change, TableScan):
                table = change.table if change.rows is None else None
            yield from self._step(change)

    def _step(self, change: Change) -> Iterator[Change]:
        tables = self._progress.tables
        if isinstance(change, Progress):
            yield self.with_state(change)
        elif isinstance(change, LocksHeld):
            self._progress.holds_locks = change.held
        elif isinstance(change, SnapshotBegan):
            tables.begin(change)
        elif isinstance(change, ChunkedReadBegan):
            if self._signals is not None:
                yield from self._signals.begin_initial(change.tables)
        elif isinstance(change, TableScan):
            tables.scan(change)
            yield from self._notifications.scan(change)
        elif isinstance(change, ChunkScan):
            tables.scan_chunk(change)
            yield from self._notifications.chunk(change)
        else:
            self._count(change)
            yield change

    def _count(self, change: Change) -> None:
        if isinstance(change, RowChanges):
            self._progress.tables.read(change.codec.table.id, len(change.rows))

    def stream(self, changes: Iterator[Change]) -> Iterator[Change]:
        """Return the changes of a stream; the chunks of an initial snapshot are noted."""
        return self._with_chunks(changes) if self.reads_chunks else changes

    def _with_chunks(self, changes: Iterator[Change]) -> Iterator[Change]:
        assert self._signals is not None
        tables = self._progress.tables
        if self._progress.snapshot != "running":
            self._progress.begin_snapshot("initial")
            tables.begin(self._signals.initial_progress())
        for change in changes:
            if isinstance(change, TableScan):
                tables.scan(change)
            elif isinstance(change, ChunkedReadEnded):
                yield from self._end()
                break
            else:
                if isinstance(change, RowChanges) and change.op == "r":
                    self._count(change)
                yield change
        yield from changes
