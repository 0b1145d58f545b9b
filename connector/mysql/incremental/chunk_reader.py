"""Reads the chunks of incremental snapshots through one session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from connector.capture.change import Row
from connector.capture.columns import ColumnCodec
from connector.capture.incremental.chunk_source import MOST_BYTES, Chunk, Key, TableRequest
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Column, Table
from connector.errors import (
    ConversionError,
    SessionRefusedError,
    StopError,
    TableChangedError,
    TransientError,
)
from connector.mysql.chunk_keys import ChunkKey, chunk_key, conditions, equals, key_codecs
from connector.mysql.session.connection import Connection, code_of, quote
from connector.mysql.session.server_errors import NO_SUCH_COLUMN, NO_SUCH_TABLE
from connector.mysql.session.text_rows import TextRows

# Where the server's default is READ UNCOMMITTED, a chunk would have rows that are rolled back.
_COMMITTED: Final = "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ"
# The stream waits for a chunk: not for long if another session locks the table.
_LOCK_WAITS: Final = "SET SESSION lock_wait_timeout = 5, SESSION innodb_lock_wait_timeout = 5"
_UTC: Final = "SET time_zone = '+00:00'"
# Keys may be zero dates, which newer servers refuse to compare in these modes.
_ZERO_DATES: Final = (
    "SET SESSION sql_mode = REPLACE(REPLACE(@@sql_mode, 'NO_ZERO_DATE', ''), 'NO_ZERO_IN_DATE', '')"
)


class MySqlChunkReader:
    """A `connector.capture.incremental.chunk_source.ChunkReader`.

    The session is opened when it is needed.
    """

    def __init__(self, open_session: Callable[[], Connection]) -> None:
        self._open_session = open_session
        self._session: Connection | None = None

    def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:
        """Read the highest key."""
        keys = _chunk_keys(schema.table, request)
        order = ", ".join(f"{key.sql} DESC" for key in keys)
        found = self._select(schema, [], keys, [request.condition], order, 1)
        return found.end

    def chunk_ends(
        self,
        schema: TableEventSchema,
        request: TableRequest,
        after: Key | None,
        maximum: Key,
        limit: int,
        count: int,
    ) -> list[Key]:
        """Return the last keys of the next chunks; fewer where the table ends."""
        keys = _chunk_keys(schema.table, request)
        order = ", ".join(key.sql for key in keys)
        found = list[Key]()
        while len(found) < count:
            wheres = [self._bounds(keys, after, maximum), request.condition]
            end = self._select(schema, [], keys, wheres, order, 1, offset=limit - 1).end
            if end is None:
                break
            found.append(end)
            after = end
        return found

    def read(
        self,
        schema: TableEventSchema,
        request: TableRequest,
        after: Key | None,
        until: Key | None,
        limit: int,
    ) -> Chunk:
        """Read the rows behind a key and not behind another one; None is no bound.

        Rows of one surrogate key stay together: the next chunk begins behind that key.
        """
        keys = _chunk_keys(schema.table, request)
        order = ", ".join(key.sql for key in keys)
        wheres = [self._bounds(keys, after, until), request.condition]
        chunk = self._select(schema, schema.columns, keys, wheres, order, limit)
        is_whole = not chunk.is_cut and len(chunk.rows) < limit
        if request.surrogate_key is None or chunk.end is None or is_whole:
            return chunk
        with self._connection() as session:
            same = equals(keys, chunk.end, session.literal)
        rest = self._select(schema, schema.columns, keys, [same, request.condition], order, None)
        rows = [*chunk.rows[: -chunk.equal], *rest.rows]
        return Chunk(rows, chunk.end, size=chunk.size, is_cut=chunk.is_cut)

    def close(self) -> None:
        """Close the session."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def _bounds(self, keys: Sequence[ChunkKey], after: Key | None, until: Key | None) -> str:
        with self._connection() as session:
            return conditions(keys, after, until, session.literal)

    def _select(
        self,
        schema: TableEventSchema,
        columns: Sequence[ColumnCodec],
        keys: Sequence[ChunkKey],
        wheres: Sequence[str | None],
        order: str,
        limit: int | None,
        *,
        offset: int = 0,
    ) -> Chunk:
        expressions = [column.sql(quote(column.column.name)) for column in columns]
        selected = ", ".join([*expressions, *(key.sql for key in keys)])
        where = " AND ".join(filter(None, wheres))
        sql = (
            f"SELECT {selected} FROM {schema.table.id.quoted('`')}"  # noqa: S608 - quoted
            f"{f' WHERE {where}' if where else ''} ORDER BY {order}"
            f"{'' if limit is None else f' LIMIT {offset}, {limit}'}"
        )
        codecs = [*(column.as_selected() for column in columns), *key_codecs(keys)]
        rows, is_cut = list[Row](), False
        with self._connection() as session:
            stream = session.read_rows(sql)
            for batch in TextRows(codecs).read(stream):
                rows += batch
                if rows and limit is not None and stream.size > MOST_BYTES:
                    self.close()  # what is left of the result goes with the session
                    is_cut = True
                    break
        if not rows:
            return Chunk([])
        width = len(columns)
        end = rows[-1][width:]
        equal = sum(1 for row in rows if row[width:] == end)
        found = [row[:width] for row in rows]
        rows = list(map(schema.with_derived, found)) if schema.derived else found
        return Chunk(rows, end, equal, stream.size, is_cut)

    def _opened_session(self) -> Connection:
        try:
            session = self._open_session()
            for statement in (_COMMITTED, _LOCK_WAITS, _UTC, _ZERO_DATES):
                session.execute(statement)
        except TransientError as error:
            raise SessionRefusedError(f"No session can be opened: {error}") from error
        return session

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """Return the session; after an error it is opened again."""
        try:
            if self._session is not None and not self._session.reaches_present_server:
                self.close()
            if self._session is None:
                self._session = self._opened_session()
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


def key_columns(table: Table, request: TableRequest) -> list[Column]:
    """Return the columns by which a table is read.

    :raises StopError: it has no column of the name that the request has.
    """
    names = (request.surrogate_key,) if request.surrogate_key else table.primary_key
    columns = [table.column(name) for name in names]
    if request.surrogate_key and None in columns:
        raise StopError(
            f"Table {table.id} has no column {request.surrogate_key}.",
            "Send the signal again with the name of a column of the table as surrogate-key.",
        )
    return [column for column in columns if column is not None]


def _chunk_keys(table: Table, request: TableRequest) -> list[ChunkKey]:
    return [chunk_key(column) for column in key_columns(table, request)]


def _code(error: Exception) -> int:
    return code_of(error) if isinstance(error, StopError) else 0
