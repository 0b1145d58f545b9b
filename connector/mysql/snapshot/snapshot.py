"""The snapshot: lock, position, definitions, unlock, rows.

The statements follow Debezium's, so that a database administrator sees the expected ones. The
locks are released as soon as the definitions are read.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from connector.capture.change import Change, Progress, RowChanges, SchemaChange, Truncated
from connector.capture.snapshot_events import (
    ChunkedReadBegan,
    ChunkScan,
    LocksHeld,
    SnapshotBegan,
    TableScan,
)
from connector.capture.snapshot_plan import Plan
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import DatabaseUnavailableError, StopError
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.schema.definitions import Definition, DefinitionReader
from connector.mysql.session.connection import Connection, code_of
from connector.mysql.session.server_errors import NO_SUCH_TABLE
from connector.mysql.snapshot.locks import SnapshotLock
from connector.mysql.snapshot.rows import RowOrScan, SnapshotMarkers, SnapshotRows
from connector.mysql.snapshot.selects import Selects
from connector.mysql.snapshot.snapshot_parts import SnapshotParts
from connector.mysql.snapshot.table_choice import TableChoice
from connector.mysql.snapshot.table_reader import TableReader, fingerprint

log = logging.getLogger(__name__)

_ATTEMPTS = 20
_EXCLUDE: Final = (
    "Exclude the table with table.exclude.list, and report its SHOW CREATE TABLE; then restart "
    "the task."
)
SnapshotStep = Truncated | TableScan | ChunkScan | SnapshotBegan | ChunkedReadBegan
SnapshotChange = SchemaChange | RowChanges | SnapshotStep


class Snapshot:
    """One snapshot; ``marks_statements``: without rows, its last statement is marked as the end."""

    marks_statements = True

    def __init__(self, parts: SnapshotParts, choice: TableChoice) -> None:
        self._connection = parts.connection
        self._definitions = parts.definitions
        self._tracker = parts.tracker
        self._choice = choice
        self._codec_of = parts.codec_of
        self._source = parts.source
        self._options = parts.options
        self._open_session = parts.open_session
        self._extra_sessions: list[Connection] = []

    def changes(
        self,
        plan: Plan,
        position_of: Callable[[], BinlogPosition],
        resume: BinlogPosition | None,
    ) -> Generator[Change, None, BinlogPosition]:
        """Yield the statements and rows; return the position to stream from.

        ``resume`` is the position to keep if only the schema is recovered. Everything is read after
        the position was, because changes after the position come from the log.
        """
        self._tracker.begin()
        lock = self._lock()
        at = replace(resume or position_of(), ts_sec=int(time.time()))
        self._warn_of_prepared()
        running = replace(at, snapshot="INITIAL", event=0, row=0)
        yield from self._read_locked(lock, running, data=plan.data)
        yield Progress(at)
        return at

    def _lock(self) -> SnapshotLock:
        options = self._options
        lock = SnapshotLock(self._connection, options.locking, options.lock_timeout, options.lock)
        lock.acquire(lambda: self._choice.captured(self._tables_now()))
        return lock

    def _read_locked(
        self, lock: SnapshotLock, at: BinlogPosition, *, data: bool
    ) -> Iterator[Change]:
        """Read definitions and rows, and release the lock as soon as its mode permits."""
        yield LocksHeld(lock.is_held)
        lock.open_view()
        tables, statements = self._read_definitions(lock)
        captured = self._choice.captured(tables)
        if data:
            self._open_extra_sessions(captured, lock)
        log.info("Snapshot at %s:%d of %d tables", at.file, at.pos, len(captured))
        lock.release_after_definitions()
        yield LocksHeld(lock.is_held)
        changes = self._read(statements, captured, at, data=data)
        yield from self._mark_last(changes, at)
        lock.release_after_rows()
        yield LocksHeld(held=False)

    def _warn_of_prepared(self) -> None:
        """Log XA transactions whose rows are logged before the snapshot and not committed yet."""
        try:
            prepared = self._connection.rows("XA RECOVER")
        except StopError as error:
            log.debug("Prepared XA transactions cannot be listed: %s", error)
            return
        if prepared:
            log.warning(
                "%d XA transactions are prepared and not committed. Their rows are neither in "
                "the snapshot nor in the log after it: write them again when they are committed.",
                len(prepared),
            )

    def close(self) -> None:
        """Close the additional sessions."""
        while self._extra_sessions:
            self._extra_sessions.pop().close()

    def _read_definitions(self, lock: SnapshotLock) -> tuple[list[TableId], list[Definition]]:
        """List the tables and read their definitions, as of one point in time.

        Without a lock on definitions, they are read again as long as tables are created or dropped
        in between.
        """
        if lock.keeps_definitions:
            tables = self._definitions.tables()
            return tables, self._statements(tables, lock)
        for _ in range(_ATTEMPTS):
            tables = self._tables_now()
            try:
                statements = self._statements(tables, lock)
            except StopError as error:
                if code_of(error) != NO_SUCH_TABLE:
                    raise
                continue
            if self._tables_now() == tables:
                return tables, statements
        raise DatabaseUnavailableError(
            "The definitions cannot be read: tables were created, renamed or dropped during each "
            f"of {_ATTEMPTS} attempts."
        )

    def _tables_now(self) -> list[TableId]:
        """List the tables as of now, not as of the start of a read view.

        The list must not leave a read view open: it would be older than the position. MariaDB
        refuses COMMIT on a server that has become read-only.
        """
        self._connection.execute("ROLLBACK")
        tables = self._definitions.tables()
        self._connection.execute("ROLLBACK")
        return tables

    def _statements(self, tables: Sequence[TableId], lock: SnapshotLock) -> list[Definition]:
        """Read the definitions; with table locks, through another session, which may read all."""
        if not lock.of_tables:
            return list(self._read_statements(self._definitions, tables))
        with closing(self._open_session()) as session:
            reader = self._definitions.with_connection(session)
            return list(self._read_statements(reader, tables))

    def _read_statements(
        self, reader: DefinitionReader, tables: Sequence[TableId]
    ) -> Iterator[Definition]:
        return reader.read(tables, in_hash_order=self._locks_nothing)

    @property
    def _locks_nothing(self) -> bool:
        return self._options.locking == "none"

    def _open_extra_sessions(self, captured: Sequence[TableId], lock: SnapshotLock) -> None:
        """Open the additional sessions that read tables.

        Writers are locked out; or, without a lock, the position is older than what the sessions
        read, so that nothing is lost.
        """
        threads = self._options.threads
        most = threads if self._options.planner is not None else min(threads, len(captured))
        for _ in range(most - 1):
            session = self._open_session()
            self._extra_sessions.append(session)
            lock.share(session)

    def _read(
        self,
        statements: list[Definition],
        captured: Sequence[TableId],
        at: BinlogPosition,
        *,
        data: bool,
    ) -> Iterator[SnapshotChange]:
        fingerprints = {fingerprint(statement.ddl) for statement in statements}
        yield from self._define(statements, at)
        statements.clear()  # those of thousands of tables take megabytes, and rows take a while
        if data:
            yield from self._data(captured, at, fingerprints)

    def _define(
        self, statements: Sequence[Definition], at: BinlogPosition
    ) -> Iterator[SchemaChange]:
        with self._tracker.buffering():
            for definition in statements:
                yield from self._tracker.apply_definition(definition, at)

    def _mark_last(self, changes: Iterator[SnapshotChange], at: BinlogPosition) -> Iterator[Change]:
        """Delay each change until the next one comes: the very last one gets a marker."""
        held: SchemaChange | RowChanges | None = None
        for change in changes:
            if isinstance(change, SnapshotStep):
                yield change
                continue
            if held is not None:
                yield held
                yield Progress(at)
            held = change
        if isinstance(held, RowChanges) or (held is not None and self.marks_statements):
            held = replace(held, source=self._source.with_marker(held.source, "last"))
        if held is not None:
            yield held

    def _data(
        self, captured: Sequence[TableId], at: BinlogPosition, fingerprints: Collection[bytes]
    ) -> Iterator[RowOrScan | SnapshotBegan | ChunkedReadBegan]:
        sessions = (self._connection, *self._extra_sessions)
        selects = Selects(self._options.selects, self._options.query)
        fetch_size = self._options.fetch_size
        rows = SnapshotRows(
            [TableReader(session, selects, fingerprints, fetch_size) for session in sessions],
            self._codec,
            SnapshotMarkers(self._source, at, selects, self._options.position_headers),
            self._options.planner,
        )
        read = [table for table in captured if not self._choice.is_signal_table(table)]
        found = self._definitions.row_estimates({table.database for table in read})
        estimates = self._choice.estimates(read, found)
        yield SnapshotBegan(estimates)
        ordered = self._choice.by_size(estimates)
        now = self._read_now(ordered)
        if now:
            yield from rows.changes(now, captured)
        if rows.changed:
            yield from self._read_changed(rows, captured)
        if len(now) < len(ordered):
            in_chunks = set(ordered).difference(now)
            yield ChunkedReadBegan([table for table in ordered if table in in_chunks])

    def _read_now(self, tables: list[TableId]) -> list[TableId]:
        """Return the tables that are read before streaming."""
        return tables

    def _read_changed(self, rows: SnapshotRows, captured: Sequence[TableId]) -> Iterator[RowOrScan]:
        """Read the present rows of tables that were altered or renamed during the snapshot.

        Their changes since the snapshot's position come from the log, and lead to the same rows.
        A new table may be a renamed one. MariaDB lists files, and misses a table that is being
        altered or renamed: what changed is read whether listed or not, and the list is repeated.
        """
        known = set(captured).difference(rows.changed)
        for _ in range(_ATTEMPTS):
            listed = self._choice.captured({*self._tables_now(), *rows.changed})
            new = [
                table
                for table in listed
                if table not in known and not self._choice.is_signal_table(table)
            ]
            for table in new:
                yield from rows.read_current(table, self._codec_of_definition)
            if not new:
                return
            known.update(new)

    def _codec_of_definition(self, table: TableId, ddl: str) -> TableEventSchema:
        """Use the present definition of a table; the stream starts with its earlier one."""
        found = self._tracker.parse(ddl, table.database)
        if found is None:
            raise StopError(f"The definition of table {table} cannot be parsed.", _EXCLUDE)
        return self._codec_of(found)

    def _codec(self, name: TableId) -> TableEventSchema:
        table = self._tracker.tables.get(name)
        if table is None:
            raise StopError(
                f"Table {name} is captured, but its definition could not be parsed.", _EXCLUDE
            )
        return self._codec_of(table)
