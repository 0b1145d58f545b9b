"""The rows of a snapshot: table by table, or several tables at the same time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from connector.capture.change import Place, Row, RowChanges, Truncated
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import StopError, TableChangedError
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.session.connection import code_of
from connector.mysql.session.server_errors import NO_SUCH_TABLE
from connector.mysql.snapshot.parallel_reading import Begun, Changed, ParallelReading
from connector.mysql.snapshot.table_reader import TableReader
from connector.mysql.source_block import SourceBlock

log = logging.getLogger(__name__)

Mark = str
FIRST: Final = "first"
FIRST_IN_TABLE: Final = "first_in_data_collection"
LAST_IN_TABLE: Final = "last_in_data_collection"
_TRUE: Final = "true"
_ATTEMPTS: Final = 20


@dataclass(frozen=True, slots=True)
class MarkedRows:
    """How the rows of one snapshot are described.

    ``partly_read`` are tables of which the user's own statement reads a part. With ``places``
    the position is told as text.
    """

    source: SourceBlock
    at: BinlogPosition
    partly_read: Collection[str]
    places: bool

    def table(self, codec: TableEventSchema, micros: int, first: Mark) -> TableRows:
        """Begin a table; ``first`` marks its first row, ``micros`` is the server's time."""
        name = codec.table.id
        blocks = {
            mark: self.source.snapshot(self.at, name.database, name.table, mark, micros)
            for mark in (FIRST, FIRST_IN_TABLE, _TRUE, LAST_IN_TABLE)
        }
        places = {end: self._place(name, end) for end in ("", "/end", "/empty")}
        return TableRows(codec, blocks, places, first)

    def _place(self, table: TableId, end: str) -> Place | None:
        """Return the place of rows; a table of which but a part is read has no end."""
        if not self.places:
            return None
        at = self.at
        return f"{at.epoch}/{at.file}/{at.pos}/", "" if str(table) in self.partly_read else end


class TableRows:
    """One table whose rows come in batches; each row gets its mark.

    ``blocks`` are the source blocks by mark, ``places`` where rows, the last one, and a table
    without rows are told to stand. The last row is only known at the end. If it is the first one
    too, its mark is of the first.
    """

    def __init__(
        self,
        codec: TableEventSchema,
        blocks: Mapping[Mark, Row],
        places: Mapping[str, Place | None],
        first: Mark,
    ) -> None:
        self._codec = codec
        self._blocks = blocks
        self._places = places
        self._mark = first
        self._held: list[Row] = []
        self._count = 0

    def add(self, batch: list[Row]) -> Iterator[RowChanges]:
        """Yield the rows of a batch and of what was held back, but for the last one."""
        self._count += len(batch)
        rows = self._held + batch
        if self._mark != _TRUE and len(rows) > 1:
            yield self._changes(self._mark, rows[:1], "")
            rows, self._mark = rows[1:], _TRUE
        if len(rows) > 1:
            yield self._changes(self._mark, rows[:-1], "")
            rows = rows[-1:]
        self._held = rows

    def end(self) -> Iterator[RowChanges | Truncated]:
        """Yield the last row."""
        if self._held:
            mark = FIRST if self._mark == FIRST else LAST_IN_TABLE
            yield self._changes(mark, self._held, "/end")
        empty = self._places["/empty"]
        if not self._count and empty and empty[1]:
            yield Truncated(self._codec, self._blocks[LAST_IN_TABLE], empty)
        log.info("Snapshot of table %s: %d rows", self._codec.table.id, self._count)

    def _changes(self, mark: Mark, rows: list[Row], end: str) -> RowChanges:
        pairs: list[tuple[Row | None, Row | None]] = [(None, row) for row in rows]
        return RowChanges(self._codec, "r", pairs, self._blocks[mark], None, self._places[end])


class SnapshotRows:
    """Reads tables through one session or several.

    ``changed`` are tables that could not be read because their definitions changed.
    """

    def __init__(
        self,
        readers: Sequence[TableReader],
        codec_of: Callable[[TableId], TableEventSchema],
        marked: MarkedRows,
    ) -> None:
        self.changed: list[TableId] = []
        self._readers = readers
        self._codec_of = codec_of
        self._marked = marked

    def changes(self, tables: Sequence[TableId]) -> Iterator[RowChanges | Truncated]:
        """Yield the rows of the tables, in the order of these if there is one session."""
        if len(self._readers) > 1:
            yield from self._concurrently(tables)
            return
        reader = self._readers[0]
        for number, name in enumerate(tables):
            codec = self._codec_of(name)
            try:
                first = FIRST_IN_TABLE if number else FIRST
                yield from self._table(reader, codec, reader.rows_as_defined(codec), first)
            except TableChangedError as error:
                self._note_changed(name, error)

    def read_as_it_is(
        self, table: TableId, codec_of: Callable[[TableId, str], TableEventSchema]
    ) -> Iterator[RowChanges | Truncated]:
        """Yield the rows of a table as of now, with the definition that it has now.

        A look at the table keeps its definition until its rows are read.

        :raises TableChangedError: it is altered all the time.
        """
        reader = self._readers[0]
        for _ in range(_ATTEMPTS):
            reader.connection.execute("ROLLBACK")
            reader.connection.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
            try:
                reader.look_at(table)
                codec = codec_of(table, reader.definition(table))
                yield from self._table(reader, codec, reader.rows(codec), FIRST_IN_TABLE)
            except TableChangedError as error:
                log.info("%s; it is read again", error)
                continue
            except StopError as error:
                if code_of(error) != NO_SUCH_TABLE:
                    raise
                log.info("Table %s was dropped during the snapshot", table)
            return
        raise TableChangedError(f"table {table} is altered all the time")

    def _table(
        self,
        reader: TableReader,
        codec: TableEventSchema,
        batches: Iterator[list[Row]],
        first: Mark,
    ) -> Iterator[RowChanges | Truncated]:
        rows = self._marked.table(codec, reader.now_micros(), first)
        for batch in batches:
            yield from rows.add(batch)
        yield from rows.end()

    def _concurrently(self, tables: Sequence[TableId]) -> Iterator[RowChanges | Truncated]:
        """Read several tables at the same time; the last one is ended last."""
        begun: dict[int, TableRows] = {}
        with closing(ParallelReading(self._readers, tables, self._codec_of)) as reading:
            for item in reading.items():
                if isinstance(item, Begun):
                    first = FIRST_IN_TABLE if item.table else FIRST
                    begun[item.table] = self._marked.table(item.codec, item.micros, first)
                elif isinstance(item, Changed):
                    del begun[item.table]
                    self._note_changed(tables[item.table], item.error)
                elif item.rows:
                    yield from begun[item.table].add(item.rows)
                elif item.table < len(tables) - 1:
                    yield from begun.pop(item.table).end()
        for table in begun.values():
            yield from table.end()

    def _note_changed(self, table: TableId, error: TableChangedError) -> None:
        log.info("%s; it is read again when the other tables are read", error)
        self.changed.append(table)
