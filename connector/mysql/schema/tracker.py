"""Keeps the tables as DDL makes them, records each change in the schema history and tells of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from connector.capture.change import Change, Place, SchemaChange, Truncated
from connector.capture.history import HistoryRecord, HistoryStore
from connector.capture.history.snapshot import SnapshotFile
from connector.capture.selection import Matches
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId, Tables
from connector.data.java import hash_order
from connector.errors import DdlError, HistoryError
from connector.mysql.binlog.events import QueryRan
from connector.mysql.ddl.tokens import shown
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.recorded_positions import DEFINES, reached_by
from connector.mysql.schema.database_schema import DatabaseSchema, DdlChange, SchemaRules
from connector.mysql.schema.definitions import Definition
from connector.mysql.schema.recovery import Recovery
from connector.mysql.session.connection import Connection
from connector.mysql.source_block import SourceBlock

log = logging.getLogger(__name__)

_LOGGED, _SHOWN = 4_000, 200  # characters of a statement


@dataclass(frozen=True, slots=True)
class TrackerOptions:
    """What decides how schema changes are kept and told.

    ``partition`` names the connector in history records. ``truncates`` tells whether TRUNCATE
    is an event, ``transactions`` whether there are events about transactions. ``snapshots`` keeps
    what the history leads to.
    """

    rules: SchemaRules
    partition: Mapping[str, str]
    truncates: bool = False
    transactions: bool = False
    prefer_ddl: bool = False
    captures_gtid: Matches | None = None
    places: bool = False
    snapshots: SnapshotFile | None = None


class SchemaTracker:
    """The schema of one connector. A change is in the history before anything is told of it."""

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
        self._schema = self._nothing()
        self._unsure = False
        self._last_statement: Mapping[str, Any] | None = None

    @property
    def tables(self) -> Tables:
        """All known tables."""
        return self._schema.tables

    def open(self, connection: Connection) -> None:
        """Ask the server how it reads names and statements."""
        self._lower_case = (connection.variable("lower_case_table_names") or "0") != "0"
        self._sql_mode = connection.variable("sql_mode") or ""

    def begin(self) -> None:
        """Forget all tables and make sure that changes can be recorded: a snapshot begins.

        :raises HistoryError: the history cannot be kept.
        """
        self._schema = self._nothing()
        self._store.prepare()

    def recover(self, at: BinlogPosition, *, by_gtids: bool) -> None:
        """Rebuild the tables from the history, as they were at a position.

        :param by_gtids: the log will be read behind the position's GTIDs.
        :raises HistoryError: there is no history, or it cannot be read.
        """
        if not self._store.exists():
            raise HistoryError(
                "The schema history is missing or empty, but the connector has an offset: the "
                "definitions of the tables at that offset are not known.",
                "Check the topic or file of schema.history.internal, or set "
                "snapshot.mode=recovery if no table has changed since the offset.",
            )
        self._schema = schema = self._nothing()
        options = self._options
        recovery = Recovery(
            self._store,
            options.snapshots,
            options.partition,
            at.to_offset(),
            self._reached_by(at, by_gtids=by_gtids),
            {"lower_case": self._lower_case, "sql_mode": self._sql_mode},
            prefer_ddl=options.prefer_ddl,
        )
        recovery.run(schema)
        self._unsure = False
        self._last_statement = None

    def prepare_stream(self, start: BinlogPosition, *, by_gtids: bool) -> None:
        """Make sure that the tables are those of a position at which streaming starts.

        A statement that is read again must not be applied to what it has changed already: twice
        applied, a statement that swaps two columns changes nothing. And an error may have come
        between a change and its record.
        """
        is_reached = self._reached_by(start, by_gtids=by_gtids)
        last = self._last_statement
        if self._unsure or (last is not None and not is_reached(last)):
            self.recover(start, by_gtids=by_gtids)

    def _reached_by(self, at: BinlogPosition, *, by_gtids: bool) -> Callable[..., bool]:
        options = self._options
        is_mariadb = options.rules.dialect == "mariadb"
        return reached_by(at, options.captures_gtid, is_mariadb=is_mariadb, by_gtids=by_gtids)

    def buffered(self) -> AbstractContextManager[None]:
        """Let records be durable only at the end of the context: a snapshot has many."""
        return self._store.buffering()

    def snapshot(self, definition: Definition, at: BinlogPosition) -> Iterator[SchemaChange]:
        """Apply a definition that a snapshot read, as of a position."""
        micros = time.time_ns() // 1000
        for change in self._defined(definition):
            self._record(change, at.to_offset())
            database, table = change.source_database, change.source_table
            source = self._source.snapshot(at, database, table, "true", micros)
            yield _schema_change(change, source)

    def _defined(self, definition: Definition) -> list[DdlChange]:
        try:
            return self._schema.apply_snapshot(definition.ddl, definition.database)
        except DdlError as error:
            log.warning("%s It is a definition of database [%s].", error, definition.database)
            return [self._schema.unread(definition.ddl, definition.database, str(error))]

    def streamed(self, query: QueryRan, at: Coordinates, micros: int) -> Iterable[Change]:
        """Apply a statement of the log; ``micros`` is the database's time of it.

        One that cannot be read is told and recorded, and leaves tables in doubt.
        """
        try:
            changes = self._schema.apply(query.sql, query.database, query.sql_mode)
        except DdlError as error:
            text = f"It stands at {at.file}:{at.pos}, for database [{query.database}]: "
            reason = f"{error} {text}{shown(query.sql[:_SHOWN])}"
            log.warning("%s %s%s", error, text, shown(query.sql[:_LOGGED]))
            changes = [self._schema.unread(query.sql, query.database, reason)]
        offset = self._offset(at)
        if changes:
            self._last_statement = offset
        yield from self._told(changes, at, offset, micros)

    def doubt(self, table: TableId) -> str | None:
        """Return why the definition of a table may be wrong, None when it is sure."""
        doubt = self._schema.doubts.about(table)
        return None if doubt is None else doubt.reason

    def settle(self, table: TableId) -> None:
        """Take what is known of a table for right."""
        self._schema.doubts.settle(table)

    def read(self, ddl: str, database: str) -> Table | None:
        """Return the table of a definition, which changes nothing yet."""
        return self._schema.read(ddl, database)

    def define(self, ddl: str, table: TableId, at: Coordinates) -> list[SchemaChange]:
        """Put a definition in the place of one that proved wrong.

        It counts from the transaction on that shows it: a restart may come back to its begin.
        """
        offset = at.position().at_group_start().recorded().to_offset() | {DEFINES: True}
        changes = self._schema.define(ddl, table)
        if changes:
            log.warning("The definition of table %s was wrong or in doubt: it has a new one", table)
        told = self._told(changes, at, offset, at.ts_micros // 1000 * 1000)
        return [change for change in told if isinstance(change, SchemaChange)]

    def _told(
        self,
        changes: Iterable[DdlChange],
        at: Coordinates,
        offset: Mapping[str, Any],
        micros: int,
    ) -> Iterator[Change]:
        if not changes:
            return
        self._unsure = True
        for change in changes:
            self._record(change, offset)
            database, table = change.source_database, change.source_table
            source = self._source.streamed(at, database, table, micros)
            if change.kind == "TRUNCATE":
                place = at.place if self._options.places else None
                yield from self._truncated(change, source, place)
            else:
                yield _schema_change(change, source)
        self._unsure = False

    def close(self) -> None:
        """Release what the history holds."""
        self._store.close()

    def _nothing(self) -> DatabaseSchema:
        schema = DatabaseSchema(self._options.rules, Tables(lower_case=self._lower_case))
        schema.variables.set("sql_mode", self._sql_mode, "GLOBAL")
        return schema

    def _truncated(
        self, change: DdlChange, source: tuple[object, ...], place: Place | None
    ) -> Iterator[Change]:
        table = self.tables.get(change.table) if change.table else None
        if table is not None and self._options.truncates and self._options.rules.captures(table.id):
            yield Truncated(self._codec_of(table), source, place)

    def _offset(self, at: Coordinates) -> dict[str, Any]:
        """Return the offset map of a statement; in MariaDB a statement is a transaction."""
        offset = at.position().recorded().to_offset()
        if self._options.transactions and at.transaction_id is not None:
            offset["transaction_id"] = at.transaction_id
        return {key: offset[key] for key in hash_order(offset)}

    def _record(self, change: DdlChange, offset: Mapping[str, Any]) -> None:
        if not change.recorded:
            return
        partition, now = self._options.partition, time.time_ns() // 1_000_000
        self._store.append(
            HistoryRecord.of(
                partition,
                offset,
                change.database,
                change.ddl,
                change.changes,
                now,
                is_read=change.cause != "unread",
            )
        )


def _schema_change(change: DdlChange, source: tuple[object, ...]) -> SchemaChange:
    return SchemaChange(
        change.kind, change.database, change.ddl, change.changes, source, change.cause
    )
