"""Reads the chunks of incremental snapshots through one session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from connector.capture.incremental.chunk_source import (
    MOST_BYTES,
    Chunk,
    ChunkRows,
    Key,
    TableRequest,
)
from connector.capture.incremental.window import decoded
from connector.capture.table_schema import TableEventSchema
from connector.errors import (
    ConversionError,
    SessionRefusedError,
    StopError,
    TableChangedError,
    TransientError,
)
from connector.mysql.chunk_keys import ChunkKey, conditions, equals
from connector.mysql.incremental.chunk_select import ChunkSelect, chunk_select
from connector.mysql.session.connection import Connection, code_of
from connector.mysql.session.server_errors import NO_SUCH_COLUMN, NO_SUCH_TABLE

# Where the server's default is READ UNCOMMITTED, a chunk would have rows that are rolled back.
_COMMITTED: Final = "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ"
# A DDL statement in the stream waits for a chunk: not for long if another session locks the table.
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
        self._is_interrupted = False

    def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:
        """Read the highest key."""
        select = chunk_select(schema, request, only_keys=True)
        return self._select(select, [request.condition], 1, order=select.descending).end

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
        select = chunk_select(schema, request, only_keys=True)
        found = list[Key]()
        while len(found) < count:
            wheres = [self._bounds(select.keys, after, maximum), request.condition]
            end = self._select(select, wheres, 1, offset=limit - 1).end
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
        select = chunk_select(schema, request)
        wheres = [self._bounds(select.keys, after, until), request.condition]
        chunk = self._select(select, wheres, limit)
        is_whole = not chunk.is_cut and chunk.count < limit
        if request.surrogate_key is None or chunk.end is None or is_whole:
            return chunk
        with self._connection() as session:
            same = equals(select.keys, chunk.end, session.literal)
        rest = self._select(select, [same, request.condition], None)
        rows = [row for batch in chunk.batches for row in decoded(batch)]
        batches = [rows[: -chunk.equal], *rest.batches]
        return Chunk(batches, chunk.end, size=chunk.size, is_cut=chunk.is_cut)

    def interrupt(self) -> None:
        """Make a statement that runs fail; any thread may call this."""
        session = self._session
        if session is not None:
            self._is_interrupted = True
            session.interrupt()

    def close(self) -> None:
        """Close the session."""
        if self._session is not None:
            self._session.close()
            self._session = None
        self._is_interrupted = False

    def _bounds(self, keys: Sequence[ChunkKey], after: Key | None, until: Key | None) -> str:
        with self._connection() as session:
            return conditions(keys, after, until, session.literal)

    def _select(
        self,
        select: ChunkSelect,
        wheres: Sequence[str | None],
        limit: int | None,
        *,
        offset: int = 0,
        order: str = "",
    ) -> Chunk:
        sql = select.sql(wheres, order or select.order, offset, limit)
        batches, is_cut = list[ChunkRows](), False
        end, equal = None, 0
        with self._connection() as session:
            stream = session.read_rows(sql)
            for batch, keys in select.read(stream):
                batches.append(batch)
                equal = sum(1 for key in keys if key == keys[-1]) + (equal if keys[0] == end else 0)
                end = keys[-1]
                if limit is not None and stream.size > MOST_BYTES:
                    self.close()  # what is left of the result goes with the session
                    is_cut = True
                    break
        return Chunk(batches, end, equal, stream.size, is_cut) if batches else Chunk()

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
            session = self._session
            if session and (self._is_interrupted or not session.reaches_present_server):
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


def _code(error: Exception) -> int:
    return code_of(error) if isinstance(error, StopError) else 0
