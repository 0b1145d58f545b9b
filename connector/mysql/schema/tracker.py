"""Tracks the tables through DDL; records each change in the schema history, then emits it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from connector.capture.change import (
    CaptureEvent,
    Emptied,
    PositionText,
    Row,
    SchemaChange,
    Truncated,
)
from connector.capture.history import HistoryStore
from connector.capture.progress import Recovered
from connector.capture.signals.table_changes import TableChangesRequest
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId, Tables
from connector.data.java import hash_order
from connector.errors import DdlError, LostHistoryError
from connector.mysql.binlog.events import QueryRan
from connector.mysql.ddl.tokens import blank_literals
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.recorded_positions import DEFINES, recorded_before
from connector.mysql.schema.database_schema import DatabaseSchema
from connector.mysql.schema.ddl_change import DdlChange
from connector.mysql.schema.definitions import Definition
from connector.mysql.schema.recovery import Recovery
from connector.mysql.schema.server_charsets import ServerCharsets
from connector.mysql.schema.tracker_options import TrackerOptions
from connector.mysql.session.connection import Connection
from connector.mysql.source_block import SourceBlock

log = logging.getLogger(__name__)

_IN_LOG, _IN_STATUS = 4_000, 200  # characters of a statement


class SchemaTracker:
    """The schema of one connector. A change is in the history before it is emitted."""

    def __init__(
        self,
        options: TrackerOptions,
        store: HistoryStore,
        source: SourceBlock,
        codec_of: Callable[[Table], TableEventSchema],
    ) -> None:
        self._options = options
        self._store = store
        self._source = source
        self._codec_of = codec_of
        self._lower_case = False
        self._sql_mode = ""
        self._charsets: ServerCharsets | None = None
        self._schema = self._empty_schema()
        self._has_unrecorded = False
        self._begins_empty = False
        self._last_statement: Mapping[str, Any] | None = None

    @property
    def tables(self) -> Tables:
        """All known tables."""
        return self._schema.tables

    def open(self, connection: Connection) -> None:
        """Read the server variables that decide how names and statements are read."""
        self._lower_case = (connection.variable("lower_case_table_names") or "0") != "0"
        self._sql_mode = connection.variable("sql_mode") or ""
        if self._options.rules.exact:
            self._charsets = ServerCharsets.read(connection)

    def begin(self) -> None:
        """Forget all tables and make sure that changes can be recorded: a snapshot begins.

        :raises HistoryError: the history cannot be kept.
        """
        self._schema = self._empty_schema()
        self._begins_empty = True
        self._store.prepare()

    def recover(self, at: BinlogPosition, *, by_gtids: bool) -> Recovered:
        """Rebuild the tables from the history, as they were at a position.

        Returns which records applied.

        :param by_gtids: the log will be read behind the position's GTIDs.
        :raises LostHistoryError: there is no history.
        :raises HistoryError: it cannot be read.
        """
        if not self._store.exists():
            raise LostHistoryError(
                "The schema history is missing or empty, but the connector has an offset: the "
                "definitions of the tables at that offset are unknown.",
                "Check the topic or file of schema.history.internal, or set "
                "snapshot.mode=recovery if no table has changed since the offset.",
            )
        self._schema = schema = self._empty_schema()
        options = self._options
        recovery = Recovery(
            self._store,
            options.snapshots,
            options.partition,
            at.to_offset(),
            self._recorded_before(at, by_gtids=by_gtids),
            {"lower_case": self._lower_case, "sql_mode": self._sql_mode},
            prefer_ddl=options.prefer_ddl,
        )
        found = recovery.run(schema)
        self._has_unrecorded = self._begins_empty = False
        self._last_statement = None
        return found

    def _forget(self) -> None:
        self._schema = self._empty_schema()
        self._has_unrecorded = False
        self._last_statement = None

    def prepare_stream(self, start: BinlogPosition, *, by_gtids: bool) -> None:
        """Make sure that the tables are those of a position at which streaming starts.

        A statement that is read again must not be applied to what it has changed already: twice
        applied, a statement that swaps two columns changes nothing. And an error may have come
        between a change and its record.
        """
        is_reached = self._recorded_before(start, by_gtids=by_gtids)
        last = self._last_statement
        if self._has_unrecorded or (last is not None and not is_reached(last)):
            if self._begins_empty and not self._store.exists():
                self._forget()  # the very first record was not written
            else:
                self.recover(start, by_gtids=by_gtids)

    def _recorded_before(self, at: BinlogPosition, *, by_gtids: bool) -> Callable[..., bool]:
        options = self._options
        is_mariadb = options.rules.dialect == "mariadb"
        return recorded_before(at, options.captures_gtid, is_mariadb=is_mariadb, by_gtids=by_gtids)

    def buffering(self) -> AbstractContextManager[None]:
        """Return a context at whose end the records are durable: a snapshot has many."""
        return self._store.buffering()

    @contextmanager
    def redefining(self) -> Iterator[None]:
        """Return a context in which definitions replace tracked ones.

        After an error in between, the tables are recovered before the stream continues.
        """
        self._has_unrecorded = True
        with self._store.buffering():
            yield
        self._has_unrecorded = False

    def apply_definition(
        self, definition: Definition, at: BinlogPosition, block: SourceBlock | None = None
    ) -> Iterator[SchemaChange]:
        """Apply a definition that a snapshot read; record and emit its changes.

        :param block: builds their source blocks, by default those of a snapshot at ``at``.
        """
        micros = time.time_ns() // 1000
        for change in self._changes_of_definition(definition):
            self._record(change, at.to_offset())
            database, table = change.source_database, change.source_table
            source = (block or self._source).for_snapshot(at, database, table, "true", micros)
            yield change.to_event(source)

    def _changes_of_definition(self, definition: Definition) -> list[DdlChange]:
        try:
            return self._schema.apply_snapshot(definition.ddl, definition.database)
        except DdlError as error:
            log.warning(
                "A definition of database [%s] cannot be parsed: %s", definition.database, error
            )
            return [self._schema.add_unparsed(definition.ddl, definition.database, str(error))]

    def apply_statement(
        self, query: QueryRan, at: Coordinates, micros: int
    ) -> Iterable[CaptureEvent]:
        """Apply a statement of the log; ``micros`` is the database's time of it.

        One that cannot be parsed is emitted and recorded, and leaves tables unresolved.
        """
        try:
            changes = self._schema.apply(query.sql, query.database, query.sql_mode)
        except DdlError as error:
            text = f"The statement is at {at.file}:{at.pos}, for database [{query.database}]: "
            reason = f"{error} {text}{blank_literals(query.sql[:_IN_STATUS])}"
            log.warning("%s %s%s", error, text, blank_literals(query.sql[:_IN_LOG]))
            changes = [self._schema.add_unparsed(query.sql, query.database, reason)]
        offset = self._offset(at)
        if changes:
            self._last_statement = offset
        yield from self._record_and_emit(changes, at, offset, micros)

    def unresolved_reason(self, table: TableId) -> str | None:
        """Return why the schema of a table is unresolved, None if it is not."""
        statement = self._schema.unparsed.last_concerning(table)
        return None if statement is None else statement.reason

    def mark_resolved(self, table: TableId) -> None:
        """Confirm the tracked definition of a table."""
        self._schema.unparsed.mark_resolved(table)

    def parse(self, ddl: str, database: str) -> Table | None:
        """Return the table of a definition, without any effect on the tracked tables."""
        return self._schema.parse(ddl, database)

    def define(self, ddl: str, table: TableId, at: Coordinates) -> list[SchemaChange]:
        """Replace a definition that proved wrong.

        The new one is valid from the start of the present transaction, where a restart may begin.
        """
        offset = at.position().at_group_start().recorded().to_offset() | {DEFINES: True}
        changes = self._schema.define(ddl, table)
        if changes:
            log.warning("The definition of table %s was wrong or unresolved: it is replaced", table)
        emitted = self._record_and_emit(changes, at, offset, at.ts_micros // 1000 * 1000)
        return [change for change in emitted if isinstance(change, SchemaChange)]

    def redefine(
        self, request: TableChangesRequest, offset: Mapping[str, Any], source: Row
    ) -> Iterator[SchemaChange]:
        """Replace definitions as a signal requests; record and emit its changes."""
        for change in request.changes:
            applied = self._schema.redefine(change, request.database, request.schema)
            if applied is None:
                continue
            self._has_unrecorded = True
            self._last_statement = offset
            self._record(applied, offset)
            yield applied.to_event(source)
            self._has_unrecorded = False

    def _record_and_emit(
        self,
        changes: Iterable[DdlChange],
        at: Coordinates,
        offset: Mapping[str, Any],
        micros: int,
    ) -> Iterator[CaptureEvent]:
        if not changes:
            return
        self._has_unrecorded = True
        for change in changes:
            self._record(change, offset)
            database, table = change.source_database, change.source_table
            source = self._source.for_stream(at, database, table, micros)
            if change.kind == "TRUNCATE":
                text = at.position_text if self._options.position_headers else None
                yield from self._truncation(change, source, text)
            elif change.published:
                yield change.to_event(source)
        self._has_unrecorded = False

    def close(self) -> None:
        """Close the schema history."""
        self._store.close()

    def _empty_schema(self) -> DatabaseSchema:
        schema = DatabaseSchema(self._options.rules, Tables(lower_case=self._lower_case))
        schema.variables.set("sql_mode", self._sql_mode, "GLOBAL")
        if self._charsets is not None:
            schema.assume_charsets(self._charsets)
        return schema

    def _truncation(
        self, change: DdlChange, source: tuple[object, ...], position_text: PositionText | None
    ) -> Iterator[CaptureEvent]:
        table = self.tables.get(change.table) if change.table else None
        if table is None or not self._options.rules.captures(table.id):
            return
        if self._options.truncates:
            yield Truncated(self._codec_of(table), source, position_text)
        else:
            yield Emptied(table.id)

    def _offset(self, at: Coordinates) -> dict[str, Any]:
        """Return the offset map of a statement; in MariaDB a statement is a transaction."""
        offset = at.position().recorded().to_offset()
        if self._options.transactions and at.transaction_id is not None:
            offset["transaction_id"] = at.transaction_id
        return {key: offset[key] for key in hash_order(offset)}

    def _record(self, change: DdlChange, offset: Mapping[str, Any]) -> None:
        if change.recorded:
            now = time.time_ns() // 1_000_000
            self._store.append(change.to_record(self._options.partition, offset, now))
