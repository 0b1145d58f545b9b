"""Runs incremental snapshots: chunk by chunk, each in a window of the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from connector.capture.change import (
    Change,
    FailedTables,
    Notification,
    Position,
    PositionText,
    Progress,
    Row,
    RowChanges,
)
from connector.capture.incremental.chunk_source import Chunk, ChunkSource, TableRequest
from connector.capture.incremental.pace import ChunkSize, IncrementalOptions, StreamLag
from connector.capture.incremental.state import SnapshotState, key_text, state_of
from connector.capture.incremental.window import Window
from connector.capture.notifications import Notifications, joined
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import StopError, TableChangedError

log = logging.getLogger(__name__)

_ALL: Final = ".*"
_ATTEMPTS: Final = 5  # of reading a chunk whose table has another definition than the stream
_ATTEMPTS_AT_ONCE: Final = 3  # of reading one that the database refuses
_PAUSE: Final = 0.1  # seconds between them


class IncrementalSnapshot:
    """The incremental snapshots of one capture; used by its thread.

    The methods yield what the capture has to emit.
    """

    def __init__(
        self, chunks: ChunkSource, notifications: Notifications, options: IncrementalOptions
    ) -> None:
        self._chunks = chunks
        self._notifications = notifications
        self._size = ChunkSize(options.chunk_size, options.chunk_seconds)
        self._lag = StreamLag(options.most_lag)
        self._is_due = False
        self._state = SnapshotState()
        self._window = Window(skips_unchanged=options.skips_unchanged)
        self._failures = 0

    @property
    def running(self) -> bool:
        """Whether a snapshot is not complete."""
        return self._state.running

    def restore(self, offset: Mapping[str, Any]) -> None:
        """Take the state of an offset; windows from before are void."""
        self._state = state_of(offset)
        self._window.clear()
        self._failures = 0
        self._is_due = False

    def to_offset(self) -> dict[str, Any]:
        """Return the keys that the offset needs."""
        return self._state.to_offset()

    def close(self) -> None:
        """Close the connection."""
        self._chunks.close()

    def resume_reading(self) -> Iterator[Change]:
        """Read the next chunk after a restart."""
        if self._state.failed:
            yield FailedTables(dict(self._state.failed))
        if self._state.running:
            log.info("The incremental snapshot of %s continues", self._names())
            yield self._state.progress()
            yield from self._read_chunk()

    def execute(self, identity: str, request: SnapshotRequest) -> Iterator[Change]:
        """Add tables; begin if no snapshot runs."""
        state = self._state
        begins = not state.running
        tables = request.expand(self._chunks.tables())
        state.tables += (
            TableRequest(table, request.condition(table), request.surrogate_key) for table in tables
        )
        state.identity = identity
        log.info("Incremental snapshot of %s is requested", joined(tables))
        if begins and state.running:
            yield from self._notify("STARTED", self._collections())
            yield from self._read_chunk()

    def stop(self, request: SnapshotRequest) -> Iterator[Change]:
        """Remove tables, all if none is named, when the present window ends.

        Failed tables are no longer reported.
        """
        state = self._state
        names = SnapshotRequest(request.tables or (_ALL,))
        yield from self._forget_failures(filter(names.names, list(state.failed)))
        if state.running:
            state.stops += names.tables

    def pause(self) -> Iterator[Change]:
        """Read no further chunk."""
        if self._state.running and not self._state.paused:
            self._state.paused = True
            yield self._state.progress()
            yield from self._notify("PAUSED", self._collections())

    def resume(self) -> Iterator[Change]:
        """Continue after a pause."""
        if self._state.running and self._state.paused:
            self._state.paused = False
            yield self._state.progress()
            yield from self._notify("RESUMED", self._collections())
            if self._window.phase == "idle":
                yield from self._read_chunk()

    def deduplicate(self, change: RowChanges) -> None:
        """Drop what a change of the log replaces."""
        self._window.deduplicate(change)

    def check_schema(self) -> None:
        """Drop the rows of the window if their table has another definition now."""
        schema = self._window.schema
        if schema is not None and self._chunks.schema(schema.table.id) is not schema:
            self._window.advance("change")

    def empty(self, table: TableId) -> None:
        """Drop the rows of the window if their table was truncated."""
        if self._window.schema is not None and self._window.schema.table.id == table:
            self._window.advance("change")

    def opened(self, mark: str) -> None:
        """Begin the window: the log has come to its first mark."""
        if self._state.has_mark(mark):
            self._window.advance("open")

    def closed(self, mark: str, event: RowChanges) -> Iterator[Change]:
        """End the window: emit its rows, and read the next chunk.

        :param event: the second mark.
        """
        if not self._state.has_mark(mark) or self._window.phase == "idle":
            return
        yield from self._end_window(event.source, event.position_text)

    def note_progress(self, last: Progress[Position]) -> None:
        """Note the last progress of the stream, between two batches of it."""
        self._lag.note(last)

    def go_on(self, streamed: Position) -> Iterator[Change]:
        """Do what is due behind a position of the stream: read a chunk that had to wait."""
        del streamed
        if self._is_due:
            yield from self._read_chunk()

    def _end_window(self, source: Row, text: PositionText | None) -> Iterator[Change]:
        state = self._state
        phase, schema = self._window.advance("close"), self._window.schema
        rows = self._window.take()
        if phase == "stale":
            state.chunk_end = state.position
        else:
            if rows and schema is not None:
                yield self._changes(schema, rows, source, text)
            state.position = state.chunk_end
        yield from self._read_chunk()

    def _changes(
        self, schema: TableEventSchema, rows: list[Row], end: Row, text: PositionText | None
    ) -> RowChanges:
        source = self._chunks.source(end, schema.table.id)
        pairs: list[tuple[Row | None, Row | None]] = [(None, row) for row in rows]
        return RowChanges(schema, "r", pairs, source, None, text)

    def _read_chunk(self) -> Iterator[Change]:
        """Read the next chunk between two marks; go on with the next table if one is read."""
        yield from self._stop_tables()
        state = self._state
        self._is_due = state.running and not state.paused and self._lag.is_too_high
        yield from self._lag.notices()
        if not state.running or state.paused or self._is_due:
            return
        chunk = state.begin_chunk()
        self._window.clear()
        self._window.advance("chunk")
        try:
            self._chunks.open_window(chunk)
            while state.running and not (yield from self._read_table()):
                pass
            self._chunks.close_window(chunk)
        except StopError as error:
            self._window.clear()
            reason = f"The marks of incremental snapshots cannot be written: {error}"
            while state.running:
                yield from self._fail_table("SQL_EXCEPTION", reason)

    def _read_table(self) -> Generator[Change, None, bool]:
        """Read a chunk of the first table; return whether a window is to be awaited."""
        request = self._state.tables[0]
        schema = self._chunks.schema(request.table)
        if schema is None:
            reason = "It is not captured or does not exist."
            return (yield from self._fail_table("UNKNOWN_SCHEMA", reason))
        if not self._has_key(schema, request):
            reason = (
                "It has no key. Set message.key.columns for it, and name a column as surrogate-key."
            )
            return (yield from self._fail_table("NO_PRIMARY_KEY", reason))
        try:
            return (yield from self._read_rows(schema, request))
        except TableChangedError as error:
            self._failures += 1
            if self._failures < _ATTEMPTS:  # the stream comes to the new definition first
                self._window.advance("change")
                return True
            reason = str(error)
        except StopError as error:
            self._failures += 1
            if self._failures < _ATTEMPTS_AT_ONCE:
                time.sleep(_PAUSE)
                return False  # the same table is read again
            reason = str(error)
        return (yield from self._fail_table("SQL_EXCEPTION", reason))

    def _has_key(self, schema: TableEventSchema, request: TableRequest) -> bool:
        """Whether a table can be read by a key; a new key starts the table again."""
        state = self._state
        columns = self._chunks.key_columns(schema, request)
        if not state.fits(columns):
            log.warning("The key of table %s was altered: it is read again", request.table)
            state.restart_table()
        state.key_columns = columns
        return bool(columns and schema.key_slots)

    def _read_rows(
        self, schema: TableEventSchema, request: TableRequest
    ) -> Generator[Change, None, bool]:
        state, chunks = self._state, self._chunks
        if state.maximum is None:
            state.maximum = chunks.maximum_key(schema, request)
            if state.maximum is None:
                return (yield from self._end_table("EMPTY"))
        began = time.monotonic()
        chunk = chunks.read(schema, request, state.position, state.maximum, self._size.rows)
        self._size.adapt(len(chunk.rows), time.monotonic() - began)
        self._failures = 0
        if not chunk.rows:
            return (yield from self._end_table("SUCCEEDED"))
        self._window.fill(schema, chunk.rows)
        state.rows += len(chunk.rows)
        state.chunk_end = chunk.end
        yield self._state.progress()
        yield from self._notify("IN_PROGRESS", self._keys(chunk))
        return True

    def _keys(self, chunk: Chunk) -> dict[str, str]:
        return {
            **self._collections(),
            "current_collection_in_progress": str(self._state.tables[0].table),
            "maximum_key": key_text(self._state.maximum),
            "last_processed_key": key_text(chunk.end),
        }

    def _fail_table(self, status: str, reason: str) -> Generator[Change, None, Literal[False]]:
        """End the first table, and report it until it is read or stopped."""
        table = str(self._state.tables[0].table)
        log.warning("The incremental snapshot of table %s failed: %s", table, reason)
        self._state.failed[table] = reason
        yield FailedTables(dict(self._state.failed))
        return (yield from self._end_table(status))

    def _forget_failures(self, tables: Iterable[str]) -> Iterator[Change]:
        """Report tables no longer that are read or stopped."""
        forgotten = [self._state.failed.pop(table, None) for table in tables]
        if any(forgotten):
            yield FailedTables(dict(self._state.failed))

    def _end_table(self, status: str) -> Generator[Change, None, Literal[False]]:
        """End the first table; publish that, and the end of the snapshot if it was the last."""
        state = self._state
        data = {
            **self._collections(),
            "scanned_collection": str(state.tables[0].table),
            "total_rows_scanned": str(state.rows),
            "status": status,
        }
        log.info("Incremental snapshot of %s: %s", state.tables[0].table, status)
        if status in ("SUCCEEDED", "EMPTY"):
            yield from self._forget_failures([str(state.tables[0].table)])
        yield from self._notify("TABLE_SCAN_COMPLETED", data)
        state.rows = 0
        yield from self._next_table()
        return False

    def _next_table(self) -> Iterator[Change]:
        self._state.next_table()
        self._failures = 0
        if not self._state.running:
            yield from self._notify("COMPLETED", {})
            self._state.identity, self._state.paused = None, False
        yield self._state.progress()

    def _stop_tables(self) -> Iterator[Change]:
        """Remove the tables that are to be stopped, the one that is read last of them."""
        state = self._state
        stops, state.stops = state.stops, []
        if not stops or not state.running:
            return
        current = state.tables[0].table
        tables = SnapshotRequest(tuple(stops)).expand(self._chunks.tables())
        queued = {request.table for request in state.tables}
        stopped = [table for table in tables if table in queued and table != current]
        rest = [request for request in state.tables if request.table not in stopped]
        state.tables.clear()
        state.tables += rest
        if current in tables:
            stopped.append(current)
            state.rows = 0
            yield from self._next_table()
        yield from self._notify("ABORTED", {"data_collections": joined(stopped)})

    def _notify(self, type_: str, data: Mapping[str, str]) -> Iterator[Notification]:
        identity = self._state.identity
        return self._notifications.publish("Incremental Snapshot", type_, data, identity)

    def _names(self) -> str:
        return joined(request.table for request in self._state.tables)

    def _collections(self) -> dict[str, str]:
        return {"data_collections": self._names()}
