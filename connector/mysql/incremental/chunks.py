"""Reads the chunks of incremental snapshots, and marks their windows in the table of signals."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from connector.capture.change import Row
from connector.capture.columns import ColumnCodec
from connector.capture.incremental.chunk_source import Chunk, Key, TableRequest
from connector.capture.selection import Matches
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Column, Table, TableId, Tables
from connector.data.java import concurrent_hash_order
from connector.errors import ConversionError, StopError, TableChangedError, TransientError
from connector.mysql.chunk_keys import ChunkKey, chunk_key, conditions, equals, key_codecs
from connector.mysql.session.connection import Connection, code_of, quote
from connector.mysql.session.server_errors import NO_SUCH_COLUMN, NO_SUCH_TABLE
from connector.mysql.session.text_rows import TextRows
from connector.mysql.source_block import SourceBlock

log = logging.getLogger(__name__)

_UTC: Final = "SET time_zone = '+00:00'"
# Keys may be zero dates, which newer servers refuse to compare in these modes.
_ZERO_DATES: Final = (
    "SET SESSION sql_mode = REPLACE(REPLACE(@@sql_mode, 'NO_ZERO_DATE', ''), 'NO_ZERO_IN_DATE', '')"
)


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """The table of signals, and how the end of a window is marked there.

    Windows without such marks need no table.
    """

    signal_table: TableId | None
    deletes: bool = False
    captures_gtid: Matches | None = None


class MySqlChunks:
    """A `connector.capture.incremental.chunk_source.ChunkSource`.

    ``tables`` are those that the stream has come to; a session is opened when it is needed.
    """

    def __init__(
        self,
        options: ChunkOptions,
        tables: Callable[[], Tables],
        captures: Callable[[TableId], bool],
        schema_of: Callable[[Table], TableEventSchema],
        source: SourceBlock,
        open_session: Callable[[], Connection],
    ) -> None:
        self._options = options
        self._tables = tables
        self._captures = captures
        self._schema_of = schema_of
        self._source = source
        self._open_session = open_session
        self._session: Connection | None = None
        self._opened = ""

    def tables(self) -> Iterable[TableId]:
        """Return the captured tables, except the one of signals, in Debezium's order."""
        known = {str(table.id): table.id for table in self._tables()}
        ordered = (known[name] for name in concurrent_hash_order(known))
        hidden = self._options.signal_table
        return [table for table in ordered if table != hidden and self._captures(table)]

    def schema(self, table: TableId) -> TableEventSchema | None:
        """Return the schema of a captured table."""
        found = self._tables().get(table)
        return self._schema_of(found) if found and self._captures(found.id) else None

    def key_columns(self, schema: TableEventSchema, request: TableRequest) -> tuple[str, ...]:
        """Return the surrogate key, or the primary key."""
        return tuple(column.name for column in _key_columns(schema.table, request))

    def open_window(self, chunk: str) -> None:
        """Insert the first mark."""
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

    def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:
        """Read the highest key."""
        keys = _chunk_keys(schema.table, request)
        order = ", ".join(f"{key.sql} DESC" for key in keys)
        found = self._select(schema, [], keys, [request.condition], order, 1)
        return found.end

    def read(
        self,
        schema: TableEventSchema,
        request: TableRequest,
        after: Key | None,
        maximum: Key,
        limit: int,
    ) -> Chunk:
        """Read the rows behind a key; those of the first chunk are not compared at all.

        Rows of one surrogate key stay together: the next chunk begins behind that key.
        """
        keys = _chunk_keys(schema.table, request)
        order = ", ".join(key.sql for key in keys)
        with self._connection() as session:
            bounds = None if after is None else conditions(keys, after, maximum, session.literal)
        wheres = [bounds, request.condition]
        chunk = self._select(schema, schema.columns, keys, wheres, order, limit)
        if request.surrogate_key is None or chunk.end is None or len(chunk.rows) < limit:
            return chunk
        with self._connection() as session:
            same = equals(keys, chunk.end, session.literal)
        rest = self._select(schema, schema.columns, keys, [same, request.condition], order, None)
        return Chunk([*chunk.rows[: -chunk.equal], *rest.rows], chunk.end)

    def source(self, window_end: Row, table: TableId) -> Row:
        """Return the block of the mark's event, of another table and as of now."""
        micros = time.time_ns() // 1000
        name, marker = table, "incremental"
        return self._source.at_event(window_end, name.database, name.table, marker, micros)

    def close(self) -> None:
        """Close the session."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _select(
        self,
        schema: TableEventSchema,
        columns: Sequence[ColumnCodec],
        keys: Sequence[ChunkKey],
        wheres: Sequence[str | None],
        order: str,
        limit: int | None,
    ) -> Chunk:
        expressions = [column.sql(quote(column.column.name)) for column in columns]
        selected = ", ".join([*expressions, *(key.sql for key in keys)])
        where = " AND ".join(filter(None, wheres))
        sql = (
            f"SELECT {selected} FROM {schema.table.id.quoted('`')}"  # noqa: S608 - quoted
            f"{f' WHERE {where}' if where else ''} ORDER BY {order}"
            f"{'' if limit is None else f' LIMIT {limit}'}"
        )
        codecs = [*(column.as_selected() for column in columns), *key_codecs(keys)]
        with self._connection() as session:
            batches = TextRows(codecs).read(session.read_rows(sql))
            rows = [row for batch in batches for row in batch]
        if not rows:
            return Chunk([])
        width = len(columns)
        end = rows[-1][width:]
        equal = sum(1 for row in rows if row[width:] == end)
        found = [row[:width] for row in rows]
        rows = list(map(schema.with_derived, found)) if schema.derived else found
        return Chunk(rows, end, equal)

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """Return the session; after an error it is opened again."""
        try:
            if self._session is not None and not self._session.reaches_present_server:
                self.close()
            if self._session is None:
                self._session = self._open_session()
                self._session.execute(_UTC)
                self._session.execute(_ZERO_DATES)
            yield self._session
        except (TransientError, ConversionError, StopError) as error:
            self.close()
            if isinstance(error, ConversionError) or _code(error) in (
                NO_SUCH_COLUMN,
                NO_SUCH_TABLE,
            ):
                raise TableChangedError(
                    f"its definition is not the expected one: {error}"
                ) from error
            raise

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


def _key_columns(table: Table, request: TableRequest) -> list[Column]:
    names = (request.surrogate_key,) if request.surrogate_key else table.primary_key
    columns = [table.column(name) for name in names]
    if request.surrogate_key and None in columns:
        raise StopError(f"Table {table.id} has no column {request.surrogate_key}.")
    return [column for column in columns if column is not None]


def _chunk_keys(table: Table, request: TableRequest) -> list[ChunkKey]:
    return [chunk_key(column) for column in _key_columns(table, request)]


def _code(error: Exception) -> int:
    return code_of(error) if isinstance(error, StopError) else 0


def _now_text() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
