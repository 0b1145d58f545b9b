"""The protocol of a database that reads tables in chunks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from connector.capture.change import Row
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.native import Rows

Key = tuple[Any, ...]
"""The values of the columns by which a table is read in chunks; None, int, str and so on."""


@dataclass(frozen=True, slots=True)
class TableRequest:
    """A table to read; ``condition`` is SQL in parentheses."""

    table: TableId
    condition: str | None = None
    surrogate_key: str | None = None


MOST_BYTES: Final = 16 << 20
"""A chunk ends after so many bytes of rows: a table may have rows of megabytes."""


ChunkRows = list[Row] | Rows
"""Some rows of a chunk."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows in the order of their keys, in batches as they came.

    ``end`` is the key of the last one, None without rows; so many rows have an ``equal`` key. The
    rows have so many bytes as a ``size``; ``is_cut`` says that they were too many.
    """

    batches: Sequence[ChunkRows] = ()
    end: Key | None = None
    equal: int = 0
    size: int = 0
    is_cut: bool = False

    @property
    def count(self) -> int:
        """How many rows it has."""
        return sum(map(len, self.batches))


class ChunkReader(Protocol):
    """Reads chunks through a session of its own, for one thread at a time.

    After a `TransientError` or `StopError` the chunk is read again later, then its table fails.
    `SessionRefusedError` concerns all tables: they wait. `TableChangedError` means that the
    definition of the table is newer than the one that the stream has come to.
    """

    def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:
        """Return the highest key of a table, None if there are no rows."""

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

    def read(
        self,
        schema: TableEventSchema,
        request: TableRequest,
        after: Key | None,
        until: Key | None,
        limit: int,
    ) -> Chunk:
        """Read the rows behind a key and not behind another one; None is no bound."""

    def interrupt(self) -> None:
        """Make a statement that runs fail with a `TransientError`; any thread may call this."""

    def close(self) -> None:
        """Close the connection."""


class ChunkSource(ChunkReader, Protocol):
    """Reads chunks and marks the windows in which they are read; used by the task's thread.

    Its methods raise what those of a `ChunkReader` do.
    """

    def another_reader(self) -> ChunkReader:
        """Return a reader with another session."""

    def tables(self) -> Iterable[TableId]:
        """Return the captured tables."""

    def key(self, table: TableId) -> TableId:
        """Return what is equal for all spellings of a table's name; servers may ignore case."""

    def row_estimates(self, tables: Collection[TableId]) -> Mapping[TableId, int | None]:
        """Return the server's estimates of the rows of tables, None where it has none."""

    def schema(self, table: TableId) -> TableEventSchema | None:
        """Return the schema of a captured table as of the present position of the stream."""

    def key_columns(self, schema: TableEventSchema, request: TableRequest) -> tuple[str, ...]:
        """Return the columns by which a table is read; none if it has no key.

        Each is a text that changes when the order of the column's values does.
        """

    def open_window(self, chunk: str) -> None:
        """Write the mark of a window's begin."""

    def close_window(self, chunk: str) -> None:
        """Write the mark of a window's end."""

    def find_writable(self) -> None:
        """Look for a server that takes marks, after a `ReadOnlyServerError`.

        It needs the position of the stream, so the task's thread calls it.

        :raises ServerSwitchError: there is one, which has to be captured.
        """

    def source(self, window_end: Row, table: TableId) -> Row:
        """Return the source block of rows of a chunk, made from that of the mark's event."""
