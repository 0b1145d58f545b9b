"""Reads the chunks of incremental snapshots, and marks their windows in the table of signals."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from connector.capture.change import Row
from connector.capture.incremental.chunk_source import TableRequest
from connector.capture.selection import Matches
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Column, Table, TableId, Tables
from connector.data.java import concurrent_hash_order
from connector.errors import StopError
from connector.mysql.incremental.chunk_reader import MySqlChunkReader
from connector.mysql.incremental.chunk_select import key_columns
from connector.mysql.schema.definitions import DefinitionReader
from connector.mysql.session.connection import Connection, quote
from connector.mysql.source_block import SourceBlock

_COMMIT_ORDER: Final = "binlog_order_commits"
_SELECT_COMMIT_ORDER: Final = f"SELECT @@GLOBAL.{_COMMIT_ORDER}"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """The table of signals, and how the end of a window is marked there.

    Windows without such marks need no table.
    """

    signal_table: TableId | None
    deletes: bool = False
    captures_gtid: Matches | None = None


@dataclass(frozen=True, slots=True)
class CapturedTables:
    """What chunks are read of: ``known`` are the tables that the stream has come to."""

    known: Callable[[], Tables]
    captures: Callable[[TableId], bool]
    schema_of: Callable[[Table], TableEventSchema]
    source: SourceBlock


class MySqlChunks(MySqlChunkReader):
    """A `connector.capture.incremental.chunk_source.ChunkSource`.

    A session is opened when it is needed. ``find_writable`` finds another server when the present
    one takes no mark, and raises to have it captured.
    """

    def __init__(
        self,
        options: ChunkOptions,
        captured: CapturedTables,
        open_session: Callable[[], Connection],
        find_writable: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(open_session)
        self._find_writable = find_writable
        self._options = options
        self._tables = captured.known
        self._captures = captured.captures
        self._schema_of = captured.schema_of
        self._source = captured.source
        self._opened = ""
        self._has_commit_order: bool | None = None  # not known yet
        self._keys: dict[TableRequest, tuple[TableEventSchema, tuple[str, ...]]] = {}

    def tables(self) -> Iterable[TableId]:
        """Return the captured tables, except the one of signals, in Debezium's order."""
        known = {str(table.id): table.id for table in self._tables()}
        ordered = (known[name] for name in concurrent_hash_order(known))
        hidden = self._options.signal_table
        return [table for table in ordered if table != hidden and self._captures(table)]

    def key(self, table: TableId) -> TableId:
        """Return the name under which a table is tracked."""
        return self._tables().key(table)

    def row_estimates(self, tables: Collection[TableId]) -> Mapping[TableId, int | None]:
        """Return the server's estimates of the rows of tables, None where it has none."""
        with self._connection() as session:
            reader = DefinitionReader(session, self._captures)
            return reader.row_estimates({table.database for table in tables})

    def schema(self, table: TableId) -> TableEventSchema | None:
        """Return the schema of a captured table."""
        found = self._tables().get(table)
        return self._schema_of(found) if found and self._captures(found.id) else None

    def key_columns(self, schema: TableEventSchema, request: TableRequest) -> tuple[str, ...]:
        """Return the surrogate key, or the primary key, with types and collations.

        The server orders rows by its own; the tracked type decides how keys are read and written.
        """
        columns = key_columns(schema.table, request)
        known = self._keys.get(request)
        if known is None or known[0] is not schema:
            known = schema, self._orders(schema.table.id, columns)
            self._keys[request] = known
        return known[1]

    def _orders(self, table: TableId, columns: Sequence[Column]) -> tuple[str, ...]:
        if not columns:
            return ()
        sql = (
            "SELECT COLUMN_NAME, DATA_TYPE, COLLATION_NAME FROM information_schema.COLUMNS "
            "WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s"
        )
        with self._connection() as session:
            rows = session.rows(sql, (table.database, table.table))
        orders = {str(name).lower(): (type_, collation) for name, type_, collation in rows}
        return tuple(
            " ".join(filter(None, (one.name, one.type_name, *orders.get(one.name.lower(), ()))))
            for one in columns
        )

    def open_window(self, chunk: str) -> None:
        """Insert the first mark.

        :raises ReadOnlyServerError: the server takes none.
        :raises StopError: transactions may become visible in another order than that of the log.
        """
        self._check_commit_order()
        self._opened = _now_text()
        data = {"openWindowTimestamp": self._opened}
        self._insert(f"{chunk}-open", "snapshot-window-open", data)

    def close_window(self, chunk: str) -> None:
        """Insert the second mark, or delete the first one."""
        if self._options.deletes:
            table, column = self._signal_table(), self._signal_column()
            with self._connection() as session:
                mark = session.literal(f"{chunk}-open")
                session.execute(f"DELETE FROM {table} WHERE {column} = {mark}")  # noqa: S608 - quoted
            return
        data = {"openWindowTimestamp": self._opened, "closeWindowTimestamp": _now_text()}
        self._insert(f"{chunk}-close", "snapshot-window-close", data)

    def find_writable(self) -> None:
        """Look for a server that takes marks.

        :raises ServerSwitchError: there is one.
        """
        if self._find_writable is not None:
            self._find_writable()

    def another_reader(self) -> MySqlChunkReader:
        """Return a reader with another session."""
        return MySqlChunkReader(self._open_session)

    def source(self, window_end: Row, table: TableId) -> Row:
        """Return the block of the mark's event, of another table and as of now."""
        micros = time.time_ns() // 1000
        name, marker = table, "incremental"
        return self._source.at_event(window_end, name.database, name.table, marker, micros)

    def _check_commit_order(self) -> None:
        with self._connection() as session:
            if self._has_commit_order is None:
                self._has_commit_order = session.variable(_COMMIT_ORDER) is not None
            # for each chunk: SHOW GLOBAL VARIABLES takes the server five times as long
            if self._has_commit_order and session.row(_SELECT_COMMIT_ORDER) == ("0",):
                raise StopError(
                    f"{_COMMIT_ORDER} is OFF, so a chunk may lack a transaction that is in the "
                    "binlog before its first watermark.",
                    f"Run SET GLOBAL {_COMMIT_ORDER} = ON, or set read.only=true; then send the "
                    "signal resume-snapshot.",
                )

    def _insert(self, identity: str, type_: str, data: dict[str, str]) -> None:
        with self._connection() as session:
            values = ", ".join(map(session.literal, (identity, type_, json.dumps(data))))
            session.execute(f"INSERT INTO {self._signal_table()} VALUES ({values})")  # noqa: S608 - quoted

    def _signal_table(self) -> str:
        assert self._options.signal_table is not None, "the marks are not in a table"
        return self._options.signal_table.quoted("`")

    def _signal_column(self) -> str:
        """Return the first column, which holds the id whatever it is called."""
        name = self._options.signal_table
        table = self._tables().get(name) if name else None
        return quote(table.columns[0].name) if table and table.columns else "`id`"


def _now_text() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
