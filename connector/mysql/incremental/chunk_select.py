"""The SELECT that reads chunks of one table, and what reads its rows.

The columns of the key stand behind those of the table. The native core reads the rows, and Python
sees the key of the last one; only with a surrogate key, which several rows may have, it sees all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from connector.capture.incremental.chunk_source import ChunkRows, Key, TableRequest
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Column, Table
from connector.errors import StopError
from connector.mysql.chunk_keys import ChunkKey, chunk_key, key_codecs
from connector.mysql.native_rows import read_batches, text_program
from connector.mysql.session.connection import RowStream, quote
from connector.mysql.session.text_rows import TextRows
from connector.native import RowProgram, Rows, is_native


@dataclass(frozen=True, slots=True)
class ChunkSelect:
    """Reads so many columns of a table, its ``width``, and the ``keys`` behind them."""

    schema: TableEventSchema
    keys: Sequence[ChunkKey]
    width: int
    selected: str
    rows: TextRows
    program: RowProgram | None

    @property
    def order(self) -> str:
        """What the rows are ordered by."""
        return ", ".join(key.sql for key in self.keys)

    @property
    def descending(self) -> str:
        """The opposite of `order`."""
        return ", ".join(f"{key.sql} DESC" for key in self.keys)

    def sql(self, wheres: Iterable[str | None], order: str, offset: int, limit: int | None) -> str:
        """Return the statement; without a limit all rows are selected."""
        where = " AND ".join(filter(None, wheres))
        return (
            f"SELECT {self.selected} FROM {self.schema.table.id.quoted('`')}"  # noqa: S608 - quoted
            f"{f' WHERE {where}' if where else ''} ORDER BY {order}"
            f"{'' if limit is None else f' LIMIT {offset}, {limit}'}"
        )

    def read(self, stream: RowStream) -> Iterator[tuple[ChunkRows, Sequence[Key]]]:
        """Yield rows as they come, and their keys: of those of the native core the last one."""
        for batch in read_batches(self.rows, stream, self.program):
            if not batch:
                continue
            if is_native(batch):
                yield batch, [self._key(batch.part(len(batch) - 1, len(batch)))]
            else:
                cut = [row[: self.width] for row in batch]
                derived = map(self.schema.with_derived, cut) if self.schema.derived else cut
                yield list(derived), [row[self.width :] for row in batch]

    def _key(self, row: Rows) -> Key:
        values = (row.values(self.width + number) for number in range(len(self.keys)))
        return tuple(None if found is None else found[0] for found in values)


@lru_cache(maxsize=128)  # a snapshot may read 64 tables at the same time
def chunk_select(
    schema: TableEventSchema, request: TableRequest, *, only_keys: bool = False
) -> ChunkSelect:
    """Return how a table is read; the last ones are kept, because each is compiled.

    :param only_keys: only the columns of the key are read.
    :raises StopError: it has no column of the name that the request has.
    """
    keys = [chunk_key(column) for column in key_columns(schema.table, request)]
    columns = () if only_keys else schema.columns
    expressions = [column.sql(quote(column.column.name)) for column in columns]
    selected = ", ".join([*expressions, *(key.sql for key in keys)])
    rows = TextRows([*(column.as_selected() for column in columns), *key_codecs(keys)])
    in_python = bool(only_keys or schema.derived or request.surrogate_key)
    program = None if in_python else text_program(rows, len(columns), is_checked=True)
    return ChunkSelect(schema, keys, len(columns), selected, rows, program)


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
