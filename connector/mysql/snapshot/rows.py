"""The rows of a snapshot: table by table, or several tables at the same time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from connector.capture.change import PositionText, Row, RowChanges, Truncated
from connector.capture.snapshot_events import ChunkScan, TableScan
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import StopError, TableChangedError
from connector.mysql.native_rows import Batch
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.session.connection import code_of
from connector.mysql.session.server_errors import NO_SUCH_TABLE
from connector.mysql.snapshot.parallel_reading import (
    ChunkStart,
    ParallelReader,
    TableAltered,
    TableEnd,
    TableStart,
)
from connector.mysql.snapshot.table_chunks import ChunkPlanner, TableChunk
from connector.mysql.snapshot.table_reader import TableReader
from connector.mysql.source_block import SourceBlock
from connector.native import NativePairs, Rows, is_native, part_of

log = logging.getLogger(__name__)

PairsOrRows = NativePairs | Rows
Marker = str
RowOrScan = RowChanges | Truncated | TableScan | ChunkScan
FIRST: Final = "first"
FIRST_IN_TABLE: Final = "first_in_data_collection"
LAST_IN_TABLE: Final = "last_in_data_collection"
_TRUE: Final = "true"
_ATTEMPTS: Final = 20


@dataclass(frozen=True, slots=True)
class SnapshotMarkers:
    """The source blocks of the rows of one snapshot, by snapshot marker.

    ``partly_read`` are tables of which a SELECT of their own reads a part. With
    ``position_headers`` rows have their position as text.
    """

    source: SourceBlock
    at: BinlogPosition
    partly_read: Container[TableId]
    position_headers: bool

    def begin_table(self, codec: TableEventSchema, micros: int, first: Marker) -> TableRows:
        """Begin a table; ``first`` is the marker of its first row, ``micros`` the server's time."""
        name = codec.table.id
        blocks = {
            marker: self.source.for_snapshot(self.at, name.database, name.table, marker, micros)
            for marker in (FIRST, FIRST_IN_TABLE, _TRUE, LAST_IN_TABLE)
        }
        texts = {end: self._position_text(name, end) for end in ("", "/end", "/empty")}
        return TableRows(codec, blocks, texts, first)

    def _position_text(self, table: TableId, end: str) -> PositionText | None:
        """Return the position of rows as text; a table that is read in part has no end."""
        if not self.position_headers:
            return None
        at = self.at
        return PositionText(
            f"{at.epoch}/{at.file}/{at.pos}/", "" if table in self.partly_read else end
        )


class TableRows:
    """One table whose rows come in batches; each row gets its marker.

    ``blocks`` are the source blocks by marker, ``position_texts`` the positions of rows, of the
    last one, and of a table without rows. The last row is known at the end only. If it is the
    first one too, it gets the marker of the first.
    """

    def __init__(
        self,
        codec: TableEventSchema,
        blocks: Mapping[Marker, Row],
        position_texts: Mapping[str, PositionText | None],
        first: Marker,
    ) -> None:
        self._codec = codec
        self._blocks = blocks
        self._position_texts = position_texts
        self._marker = first
        self._delayed: PairsOrRows = []
        self._has_end = False
        self.count = 0

    def add(self, batch: Batch, *, is_end: bool = True) -> Iterator[RowChanges]:
        """Yield the delayed row and the rows of a batch, except the last one.

        :param is_end: the last row of the table is among these or comes later.
        """
        if not batch:
            return
        rows: PairsOrRows = batch if is_native(batch) else [(None, row) for row in batch]
        self.count += len(rows)
        if self._has_end and not is_end:
            yield from self._release(rows)
            return
        self._has_end = is_end
        delayed = self._delayed
        if isinstance(delayed, list) and isinstance(rows, list):
            delayed, rows = [], delayed + rows
        last = len(rows) - 1
        self._delayed = part_of(rows, last, last + 1)
        yield from self._release(delayed)
        yield from self._release(part_of(rows, 0, last))

    def _release(self, rows: PairsOrRows) -> Iterator[RowChanges]:
        if self._marker != _TRUE and rows:
            yield self._changes(self._marker, part_of(rows, 0, 1), "")
            rows, self._marker = part_of(rows, 1, len(rows)), _TRUE
        if rows:
            yield self._changes(_TRUE, rows, "")

    def end(self) -> Iterator[RowChanges | Truncated]:
        """Yield the last row."""
        if self._delayed:
            marker = FIRST if self._marker == FIRST else LAST_IN_TABLE
            yield self._changes(marker, self._delayed, "/end")
        empty = self._position_texts["/empty"]
        if not self.count and empty and empty[1]:
            yield Truncated(self._codec, self._blocks[LAST_IN_TABLE], empty)
        log.info("Snapshot of table %s: %d rows", self._codec.table.id, self.count)

    def _changes(self, marker: Marker, rows: PairsOrRows, end: str) -> RowChanges:
        return RowChanges(
            self._codec, "r", rows, self._blocks[marker], None, self._position_texts[end]
        )


class SnapshotRows:
    """Reads tables through one session or several.

    ``changed`` are tables that could not be read because their definitions changed. With a
    ``planner`` sessions share the ranges of keys of a table, otherwise each reads whole tables.
    """

    def __init__(
        self,
        readers: Sequence[TableReader],
        codec_of: Callable[[TableId], TableEventSchema],
        markers: SnapshotMarkers,
        planner: ChunkPlanner | None = None,
    ) -> None:
        self.changed: list[TableId] = []
        self._tables: Sequence[TableId] = ()
        self._reported: Sequence[TableId] = ()
        self._readers = readers
        self._codec_of = codec_of
        self._markers = markers
        self._planner = planner

    def changes(
        self, tables: Sequence[TableId], reported: Sequence[TableId] | None = None
    ) -> Iterator[RowOrScan]:
        """Yield the rows of the tables; with one session, in the order of the tables.

        :param reported: the tables that notifications name as those of the snapshot.
        """
        self._tables = tables
        self._reported = tables if reported is None else reported
        if len(self._readers) > 1 or self._planner is not None:
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

    def read_current(
        self, table: TableId, codec_of: Callable[[TableId, str], TableEventSchema]
    ) -> Iterator[RowOrScan]:
        """Yield the present rows of a table, with its present definition.

        `TableReader.lock_definition` keeps the definition until the rows are read.

        :raises TableChangedError: it was altered during each attempt.
        """
        reader = self._readers[0]
        for _ in range(_ATTEMPTS):
            reader.connection.execute("ROLLBACK")
            reader.connection.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
            try:
                reader.lock_definition(table)
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
        raise TableChangedError(f"table {table} was altered during each of {_ATTEMPTS} attempts")

    def _table(
        self,
        reader: TableReader,
        codec: TableEventSchema,
        batches: Iterator[Batch],
        first: Marker,
    ) -> Iterator[RowOrScan]:
        rows = self._markers.begin_table(codec, reader.now_micros(), first)
        yield TableScan(codec.table.id, self._tables)
        for batch in batches:
            yield from rows.add(batch)
        yield from rows.end()
        yield TableScan(codec.table.id, self._reported, rows.count)

    def _concurrently(self, tables: Sequence[TableId]) -> Iterator[RowOrScan]:
        """Read several tables or ranges at the same time; the last table is ended last."""
        started: dict[int, TableRows] = {}
        source = ParallelReader(self._readers, tables, self._codec_of, self._planner)
        with closing(source) as reader:
            for item in reader.items():
                name = tables[item.table]
                if isinstance(item, TableStart):
                    first = FIRST_IN_TABLE if item.table else FIRST
                    started[item.table] = self._markers.begin_table(item.codec, item.micros, first)
                    chunks = item.chunks if self._planner is not None else 0
                    yield TableScan(name, tables, chunks=chunks)
                elif isinstance(item, ChunkStart):
                    yield from self._chunk_scan(name, item.chunk, started[item.table])
                elif isinstance(item, TableAltered):
                    del started[item.table]
                    self._note_changed(name, item.error)
                elif isinstance(item, TableEnd):
                    if item.table < len(tables) - 1:
                        yield from self._end(name, started.pop(item.table))
                elif item.rows:
                    yield from started[item.table].add(item.rows, is_end=item.chunk.is_last)
                else:
                    rows = started[item.table]
                    yield from self._chunk_scan(name, item.chunk, rows, is_complete=True)
        for number, table in started.items():
            yield from self._end(tables[number], table)

    def _chunk_scan(
        self, table: TableId, chunk: TableChunk, rows: TableRows, *, is_complete: bool = False
    ) -> Iterator[ChunkScan]:
        if self._planner is not None:
            number, count = chunk.number, chunk.count
            yield ChunkScan(table, number, count, rows.count, self._reported, is_complete)

    def _end(self, table: TableId, rows: TableRows) -> Iterator[RowOrScan]:
        yield from rows.end()
        yield TableScan(table, self._reported, rows.count)

    def _note_changed(self, table: TableId, error: TableChangedError) -> None:
        log.info("%s; it is read again when the other tables are read", error)
        self.changed.append(table)
