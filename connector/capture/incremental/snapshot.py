"""Runs incremental snapshots: chunk by chunk, each in a window of the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from connector.capture.change import (
    Change,
    EventBatch,
    FailedTables,
    Position,
    PositionText,
    Progress,
    Row,
    RowChanges,
    SchemaChange,
)
from connector.capture.incremental.ahead import ReadAhead
from connector.capture.incremental.chunk_source import ChunkSource, TableRequest
from connector.capture.incremental.marked_reading import MarkedReading
from connector.capture.incremental.offsets import state_of, to_offset
from connector.capture.incremental.pace import IncrementalOptions, StreamLag
from connector.capture.incremental.parallel import ChunkReaders, RunAll
from connector.capture.incremental.reading import TableReading
from connector.capture.incremental.refused_marks import RefusedMarks
from connector.capture.incremental.renames import follow_names
from connector.capture.incremental.reports import SnapshotReports
from connector.capture.incremental.state import SnapshotState
from connector.capture.incremental.stops import find_failed, mark_stopped
from connector.capture.incremental.table_state import TableState
from connector.capture.incremental.window import Windows
from connector.capture.notifications import Notifications, short_list
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.snapshot_events import SnapshotBegan
from connector.capture.tables import TableId

log = logging.getLogger(__name__)

INITIAL: Final = "millrace-initial-snapshot"
"""The id in the notifications of an initial snapshot that is read in chunks."""
_ALL: Final = ".*"


class IncrementalSnapshot:
    """The incremental snapshots of one capture; used by its thread.

    The methods yield what the capture has to emit.
    """

    def __init__(
        self,
        chunks: ChunkSource,
        notifications: Notifications,
        options: IncrementalOptions,
        clock: Callable[[], float] = time.monotonic,
        run_all: RunAll | None = None,
        ahead: ReadAhead | None = None,
    ) -> None:
        self._chunks = chunks
        self._readers = ChunkReaders(chunks, run_all)
        self._clock = clock
        self._windows = Windows(skips_unchanged=options.skips_unchanged)
        self._reports = SnapshotReports(notifications)
        self._reading = TableReading(
            chunks, self._readers, self._reports, options, self._windows, clock
        )
        self._lag = StreamLag(options.most_lag)
        self._refused = RefusedMarks(clock)
        self._marked = MarkedReading(self._reading, self._refused, ahead)

    @property
    def _state(self) -> SnapshotState:
        return self._reading.state

    @property
    def running(self) -> bool:
        """Whether a snapshot is not complete."""
        return self._state.running

    @property
    def is_initial(self) -> bool:
        """Whether the initial snapshot of the connector is not complete."""
        return self._state.is_initial

    def initial_progress(self) -> SnapshotBegan:
        """Return the tables of the initial snapshot that are left, and how far each one is read."""
        left = [one for one in self._state.tables if one.is_initial]
        estimates = self._chunks.row_estimates([one.table for one in left])
        rows = {one.table: one.rows_emitted for one in left}
        return SnapshotBegan({table: estimates.get(table) for table in rows}, rows)

    def restore(self, offset: Mapping[str, Any]) -> None:
        """Take the state of an offset; windows from before are void.

        Offsets do not have a pause: a restart of the task ends it, as in Debezium. A stream that
        begins again after an error or a blocking snapshot does not. It may be that of another
        server, which has the same name since a failover: sessions follow it.
        """
        self._marked.drop()
        self._readers.close()
        was_paused = self._state.paused
        self._reading.state = state = state_of(offset)
        state.paused = was_paused and state.running
        self._windows.clear()
        self._reading.is_due = False

    def stand(self) -> None:
        """Read no chunk while the stream stands; one that is read comes again when it continues."""
        self._marked.drop()

    def to_offset(self) -> dict[str, Any]:
        """Return the keys that the offset needs."""
        return to_offset(self._state)

    def close(self) -> None:
        """Close the connections."""
        self._marked.close()
        self._readers.close()

    def resume_reading(self) -> Iterator[Change]:
        """Read the next chunk after a restart; failed tables of an initial snapshot resume."""
        state = self._state
        failed = [name for name, one in state.failed.items() if one.is_initial]
        begins = bool(failed) and not state.running
        state.add(state.resume_failed(failed))
        if failed or state.failed:
            yield FailedTables(state.reasons)
        if begins:
            state.identity = INITIAL
            yield from self._reports.step(state, "STARTED")
        if state.running:
            log.info("The incremental snapshot of %s continues", short_list(state.names))
            yield state.progress()
            if self._windows.phase == "idle":  # else a signal has begun it already
                yield from self._read_chunk()

    def begin_initial(self, tables: Iterable[TableId]) -> Iterator[Change]:
        """Add the tables of the initial snapshot, which are read when the stream starts."""
        state = self._reading.state = SnapshotState(identity=INITIAL)
        state.add(TableState(TableRequest(table), is_initial=True) for table in tables)
        if state.running:
            yield from self._reports.step(state, "STARTED")

    def execute(self, identity: str, request: SnapshotRequest) -> Iterator[Change]:
        """Add tables; begin if no snapshot runs."""
        yield from self._marked.settle()
        tables = [self._spelled(table) for table in request.expand(self._chunks.tables())]
        log.info("Incremental snapshot of %s is requested", short_list(tables))
        surrogate = request.surrogate_key
        requests = [TableRequest(table, request.condition(table), surrogate) for table in tables]
        yield from self._add(identity, map(TableState, requests))

    def _spelled(self, table: TableId) -> TableId:
        """Return the name of a table as its definition has it; servers may ignore case."""
        schema = self._chunks.schema(table)
        return table if schema is None else schema.table.id

    def _add(self, identity: str, tables: Iterable[TableState]) -> Iterator[Change]:
        state = self._state
        begins = not state.running
        state.add(tables)
        state.identity = identity
        if begins and state.running:
            yield from self._reports.step(state, "STARTED")
            yield from self._read_chunk()

    def stop(self, request: SnapshotRequest) -> Iterator[Change]:
        """Remove tables, all if none is named, when the present window ends.

        Failed tables are no longer reported.
        """
        yield from self._marked.settle()
        state = self._state
        names = SnapshotRequest(request.tables or (_ALL,))
        was_initial = state.is_initial
        yield from self._reading.forget(find_failed(names, state, self._chunks))
        yield from self._reading.end_initial(was_initial=was_initial)
        if state.running:
            mark_stopped(state, names, self._chunks)
        if self._windows.phase == "idle":
            yield from self._reading.stop_tables()

    def pause(self) -> Iterator[Change]:
        """Read no further chunk."""
        yield from self._marked.settle()
        if self._state.running and not self._state.paused:
            self._state.paused = True
            yield self._state.progress()
            yield from self._reports.step(self._state, "PAUSED")

    def resume(self, identity: str, request: SnapshotRequest) -> Iterator[Change]:
        """Continue after a pause, and with failed tables behind their last chunk.

        :param request: names failed tables; all of them if it names none.
        """
        yield from self._marked.settle()
        state = self._state
        names = SnapshotRequest(request.tables or (_ALL,))
        failed = list(state.resume_failed(find_failed(names, state, self._chunks)))
        if failed:
            log.info("Resuming failed tables: %s", short_list([one.table for one in failed]))
            yield FailedTables(state.reasons)
            yield from self._add(state.identity or identity, failed)
        if state.running and state.paused:
            state.paused = False
            yield state.progress()
            yield from self._reports.step(state, "RESUMED")
            if self._windows.phase == "idle":
                yield from self._read_chunk()

    def skip(self, batch: EventBatch) -> bool:  # noqa: ARG002 - another way to read needs it
        """Return whether a batch replaces no row of a chunk, because none is being read."""
        return self._marked.is_idle

    def deduplicate(self, change: RowChanges) -> None:
        """Drop what a change of the log replaces."""
        self._marked.deduplicate(change)

    def follow_schema(self, change: SchemaChange | None = None) -> Iterator[Change]:
        """Drop the rows of tables that have another definition now, and follow their names."""
        yield from self._marked.settle()
        self._windows.compare(self._chunks.schema)
        if change is None or not self._state.requested:
            return
        failed = self._state.reasons
        for table in follow_names(self._state, change, self._chunks):
            self._windows.alter(table)
        if self._state.reasons != failed:
            yield FailedTables(self._state.reasons)

    def empty(self, table: TableId) -> None:
        """Drop the rows of the window if their table was truncated."""
        self._marked.alter(table)

    def open_window(self, mark: str) -> None:
        """Begin the window: the log has come to its first mark."""
        if self._state.has_mark(mark):
            self._marked.open()

    def close_window(self, mark: str, event: RowChanges) -> Iterator[Change]:
        """End the window: emit its rows, and read the next chunk.

        :param event: the second mark.
        """
        if not self._state.has_mark(mark):
            return
        yield from self._marked.settle()
        if self._windows.phase != "idle":
            yield from self._end_window(event.source, event.position_text)

    def note_progress(self, last: Progress[Position]) -> None:
        """Note the last progress of the stream, between two batches of it."""
        self._lag.note(last)

    def go_on(self, streamed: Position) -> Iterator[Change]:
        """Do what is due behind a position of the stream: take or read a chunk."""
        del streamed
        if self._marked.is_done:
            yield from self._marked.settle()
        if self._reading.is_due:
            yield from self._read_chunk()
        yield from self._notices()

    def _notices(self) -> Iterator[Change]:
        """Yield why chunks wait, if that has changed."""
        yield from self._lag.notices(chunk_waits=self._reading.is_due)
        yield from self._refused.notices()

    def _end_window(self, source: Row, text: PositionText | None) -> Iterator[Change]:
        """Emit the rows that are left; the next chunks are read meanwhile."""
        emitted = self._reading.close_windows(source, text)
        begun = list(self._read_chunk())
        yield from self._reading.emit(emitted)
        self._marked.wait_briefly()
        yield from begun

    @property
    def _may_continue(self) -> bool:
        return self._state.running and not self._state.paused

    def _can_read(self) -> bool:
        """Whether a chunk may be read now."""
        must_wait = self._lag.is_too_high or self._refused.must_wait
        may = self._may_continue and not must_wait
        return may and bool(self._state.due(1, self._clock()))

    def _read_chunk(self) -> Iterator[Change]:
        """Begin to read the next chunks between two marks."""
        yield from self._reading.stop_tables()
        can_read = self._can_read()
        self._reading.is_due = self._may_continue and not can_read
        if not self._may_continue:
            self._refused.note(None)
        yield from self._notices()
        if can_read:
            yield from self._marked.begin()
            yield from self._notices()
