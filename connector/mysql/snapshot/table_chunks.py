"""Splits tables into ranges of keys, which several sessions read at the same time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from connector.capture.incremental.chunk_source import Key
from connector.capture.tables import Table, TableId
from connector.errors import StopError, TableChangedError
from connector.mysql.chunk_keys import ChunkKey, behind, chunk_key, key_codecs
from connector.mysql.session.connection import Connection
from connector.mysql.session.text_rows import TextRows
from connector.mysql.snapshot.table_reader import TableReader

log = logging.getLogger(__name__)

# Keys may be zero dates, which newer servers refuse to compare in these modes.
_ZERO_DATES: Final = (
    "SET SESSION sql_mode = REPLACE(REPLACE(@@sql_mode, 'NO_ZERO_DATE', ''), 'NO_ZERO_IN_DATE', '')"
)


@dataclass(frozen=True, slots=True)
class TableChunk:
    """One range, by its number from 0; ``clause`` is the rest of the SELECT that reads it."""

    number: int = 0
    count: int = 1
    clause: str = ""

    @property
    def is_last(self) -> bool:
        """Whether no range has higher keys."""
        return self.number == self.count - 1


WHOLE: Final = TableChunk()


def chunk_count(rows: int, most: int) -> int:
    """Return into how many ranges a table of some rows is split."""
    if not rows:
        return 1
    return min(most, rows // max(1, rows // most))


class ChunkPlanner:
    """Splits a table into as many ranges as there are ``threads``, times ``multiplier_of`` it.

    A table without a key, or with a SELECT of its own, has one range.
    """

    def __init__(self, threads: int, multiplier_of: Callable[[TableId], int]) -> None:
        self._threads = threads
        self._multiplier_of = multiplier_of

    @staticmethod
    def prepare(connection: Connection) -> None:
        """Let a session compare keys of any kind."""
        connection.execute(_ZERO_DATES)

    def chunks(self, reader: TableReader, table: Table) -> Sequence[TableChunk]:
        """Return the ranges of a table as of now, in the order of its keys.

        They hold all rows, whatever is written meanwhile: the outer ones have no end.
        """
        columns = [table.column(name) for name in table.primary_key]
        keys = [chunk_key(column) for column in columns if column is not None]
        most = self._threads * self._multiplier_of(table.id)
        if most < 2 or not keys or len(keys) < len(columns) or reader.has_select(table.id):
            return (WHOLE,)
        connection = reader.connection
        connection.execute("SAVEPOINT millrace")
        try:
            ends = _ends(connection, table, keys, most)
        except (StopError, TableChangedError) as error:  # it was altered: reading it shows that
            log.info("Table %s is not split: %s", table.id, error)
            ends = []
        connection.execute("ROLLBACK TO SAVEPOINT millrace")
        return _chunks(connection, keys, ends)


def _ends(connection: Connection, table: Table, keys: Sequence[ChunkKey], most: int) -> list[Key]:
    """Read the last key of each range but the last one."""
    name, order = table.id.quoted("`"), _order(keys)
    ((found,),) = connection.rows(f"SELECT COUNT(1) FROM {name}")  # noqa: S608 - quoted
    rows = int(found)
    count = chunk_count(rows, most)
    columns = ", ".join(key.sql for key in keys)
    ends: list[Key] = []
    while len(ends) < count - 1:
        where = f" WHERE {behind(keys, ends[-1], connection.literal)}" if ends else ""
        sql = f"SELECT {columns} FROM {name}{where}{order} LIMIT 1 OFFSET {rows // count - 1}"  # noqa: S608 - quoted
        batches = TextRows([*key_codecs(keys)]).read(connection.read_rows(sql))
        end = [row for batch in batches for row in batch]
        if not end:
            break
        ends += end
    return ends


def _chunks(
    connection: Connection, keys: Sequence[ChunkKey], ends: Sequence[Key]
) -> Sequence[TableChunk]:
    if not ends:
        return (WHOLE,)
    after = [behind(keys, end, connection.literal) for end in ends]
    wheres = [
        " AND ".join([*after[number - 1 : number], *(f"NOT {one}" for one in after[number:][:1])])
        for number in range(len(ends) + 1)
    ]
    count, order = len(wheres), _order(keys)
    return [
        TableChunk(number, count, f" WHERE {where}{order}") for number, where in enumerate(wheres)
    ]


def _order(keys: Sequence[ChunkKey]) -> str:
    return f" ORDER BY {', '.join(key.sql for key in keys)}"
