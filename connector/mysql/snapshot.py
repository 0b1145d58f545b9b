"""The snapshot: lock, position, definitions, unlock, rows.

The statements follow Debezium's, so that a database administrator sees what is expected; the
locks are released as soon as the definitions are read.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from connector.capture.change import (
    Change,
    Place,
    Progress,
    Row,
    RowChanges,
    SchemaChange,
    Truncated,
)
from connector.capture.rowcodec import RowCodec
from connector.capture.selection import Selection, any_of, pattern, split_list
from connector.capture.snapshot_plan import Plan
from connector.capture.tables import Table, TableId
from connector.errors import StopError
from connector.mysql.connection import Connection
from connector.mysql.definitions import Definition, DefinitionReader
from connector.mysql.locks import SnapshotLock
from connector.mysql.parallel_reading import Begun, ParallelReading
from connector.mysql.position import BinlogPosition
from connector.mysql.schema_tracker import SchemaTracker
from connector.mysql.source_block import SourceBlock
from connector.mysql.table_reader import TableReader, without_counter

log = logging.getLogger(__name__)

Mark = str
Told = SchemaChange | RowChanges | Truncated


@dataclass(frozen=True, slots=True)
class SnapshotOptions:
    """The part of the configuration that a snapshot needs. Times are in seconds.

    ``row_count_order`` is the order of tables by size. With ``places`` changes tell their place,
    and tables without rows are told of. ``threads`` is how many sessions read tables.
    """

    locking: str = "minimal"
    lock_timeout: float = 10.0
    table_order: tuple[str, ...] = ()
    included: str | None = None
    selects: dict[str, str] = field(default_factory=dict)
    row_count_order: str = "disabled"
    places: bool = False
    threads: int = 1


class Snapshot:
    """One snapshot; ``open_session`` opens further connections, if several are to read tables."""

    def __init__(
        self,
        connection: Connection,
        definitions: DefinitionReader,
        tracker: SchemaTracker,
        selection: Selection,
        codec_of: Callable[[Table], RowCodec],
        source: SourceBlock,
        options: SnapshotOptions,
        open_session: Callable[[], Connection],
    ) -> None:
        self._connection = connection
        self._definitions = definitions
        self._tracker = tracker
        self._selection = selection
        self._codec_of = codec_of
        self._source = source
        self._options = options
        self._read_as: set[str] = set()
        self._open_session = open_session
        self._further: list[Connection] = []

    def changes(
        self,
        plan: Plan,
        position_of: Callable[[], BinlogPosition],
        resume: BinlogPosition | None,
    ) -> Generator[Change, None, BinlogPosition]:
        """Yield the statements and rows; return the position to stream from.

        ``resume`` is the position to keep when only the schema is to be recovered.
        """
        self._tracker.begin()
        tables = self._definitions.tables()
        captured = self._captured(tables)
        lock = SnapshotLock(self._connection, self._options.locking, self._options.lock_timeout)
        lock.acquire(captured)
        at = replace(resume or position_of(), ts_sec=int(time.time()))
        self._open_further(plan, captured, lock)
        running = replace(at, snapshot="INITIAL", event=0, row=0)
        log.info("Snapshot at %s:%d of %d tables", at.file, at.pos, len(captured))
        statements = self._statements(tables, lock)
        self._read_as = {without_counter(statement.ddl) for statement in statements}
        lock.definitions_read()
        yield from self._last_marked(self._read(statements, plan, captured, running), running)
        lock.rows_read()
        yield Progress(at)
        return at

    def close(self) -> None:
        """Close the further sessions."""
        while self._further:
            self._further.pop().close()

    def _statements(self, tables: Sequence[TableId], lock: SnapshotLock) -> list[Definition]:
        """Read the definitions; those of tables that are not locked through another session."""
        if not lock.of_tables:
            return list(self._definitions.read(tables))
        with closing(self._open_session()) as session:
            return list(self._definitions.through(session).read(tables))

    def _open_further(self, plan: Plan, captured: Sequence[TableId], lock: SnapshotLock) -> None:
        """Open the sessions that read tables besides.

        Writers are kept out; or, where no lock is wanted, the position is older than what they
        read, so that nothing is lost.
        """
        wanted = min(self._options.threads, len(captured)) if plan.data else 1
        for _ in range(wanted - 1):
            session = self._open_session()
            self._further.append(session)
            lock.share(session)

    def _read(
        self,
        statements: Sequence[Definition],
        plan: Plan,
        captured: Sequence[TableId],
        at: BinlogPosition,
    ) -> Iterator[Told]:
        with self._tracker.buffered():
            for definition in statements:
                yield from self._tracker.snapshot(definition, at)
        if plan.data:
            yield from self._data(self._by_size(captured), at)

    def _last_marked(self, changes: Iterator[Told], at: BinlogPosition) -> Iterator[Change]:
        """Hold each change back until the next one comes: the very last one gets a mark."""
        held: SchemaChange | RowChanges | None = None
        for change in changes:
            if isinstance(change, Truncated):
                yield change
                continue
            if held is not None:
                yield held
                yield Progress(at)
            held = change
        if held is not None:
            yield replace(held, source=self._source.marked(held.source, "last"))

    def _captured(self, tables: Iterable[TableId]) -> list[TableId]:
        """Return the tables whose rows are read, in the order of the include list, then by name."""
        wanted = [table for table in tables if self._selection.captures(table)]
        if self._options.included:
            included = any_of("snapshot.include.collection.list", self._options.included)
            wanted = [table for table in wanted if included(str(table))]
        wanted.sort(key=str)
        ordered: dict[TableId, None] = {}
        for text in self._options.table_order or (".*",):
            expression = pattern("table.include.list", text)
            ordered |= {table: None for table in wanted if expression.fullmatch(str(table))}
        return list(ordered)

    def _by_size(self, captured: Sequence[TableId]) -> Sequence[TableId]:
        """Order tables by ``snapshot.tables.order.by.row.count``; those alike keep their order.

        A table with a statement of its own counts as one without rows, as in Debezium.
        """
        sign = {"ascending": 1, "descending": -1}.get(self._options.row_count_order)
        if sign is None:
            return captured
        counts = {
            table: 0 if str(table) in self._options.selects else self._definitions.row_count(table)
            for table in captured
        }
        return sorted(captured, key=lambda table: sign * counts[table])

    def _data(
        self, captured: Sequence[TableId], at: BinlogPosition
    ) -> Iterator[RowChanges | Truncated]:
        for session in (self._connection, *self._further):
            session.execute("SET time_zone='+00:00'")
        readers = [
            TableReader(session, self._options.selects, self._read_as)
            for session in (self._connection, *self._further)
        ]
        if len(readers) > 1:
            yield from self._concurrently(readers, captured, at)
            return
        for number, name in enumerate(captured):
            codec = self._codec(name)
            table = self._begun(codec, readers[0].now_micros(), at, number)
            for rows in readers[0].rows(codec):
                yield from table.add(rows)
            yield from table.end()

    def _concurrently(
        self, readers: Sequence[TableReader], captured: Sequence[TableId], at: BinlogPosition
    ) -> Iterator[RowChanges | Truncated]:
        """Read several tables at the same time; the end of the last one is told at the end."""
        tables: dict[int, _Table] = {}
        with closing(ParallelReading(readers, captured, self._codec)) as reading:
            for item in reading.items():
                if isinstance(item, Begun):
                    tables[item.table] = self._begun(item.codec, item.micros, at, item.table)
                elif item.rows:
                    yield from tables[item.table].add(item.rows)
                elif item.table < len(captured) - 1:
                    yield from tables.pop(item.table).end()
        for table in tables.values():
            yield from table.end()

    def _codec(self, name: TableId) -> RowCodec:
        table = self._tracker.tables.get(name)
        if table is None:
            raise StopError(f"Table {name} is captured but its definition could not be read.")
        return self._codec_of(table)

    def _begun(self, codec: RowCodec, micros: int, at: BinlogPosition, number: int) -> _Table:
        name = codec.table.id
        blocks = {
            mark: self._source.snapshot(at, name.database, name.table, mark, micros)
            for mark in (_FIRST, _FIRST_IN_TABLE, _TRUE, _LAST_IN_TABLE)
        }
        places = {end: self._place(name, at, end) for end in ("", "/end", "/empty")}
        return _Table(codec, blocks, places, _FIRST_IN_TABLE if number else _FIRST)

    def _place(self, table: TableId, at: BinlogPosition, end: str) -> Place | None:
        """Return the place of rows; a table of which but a part is read has no end."""
        if not self._options.places:
            return None
        whole = str(table) not in self._options.selects
        return f"{at.epoch}/{at.file}/{at.pos}/", end if whole else ""


_FIRST, _FIRST_IN_TABLE = "first", "first_in_data_collection"
_TRUE, _LAST_IN_TABLE = "true", "last_in_data_collection"


class _Table:
    """One table whose rows come in batches; it tells for each row where it stands.

    ``blocks`` are the source blocks by mark, ``places`` where rows, the last one, and a table
    without rows are told to stand. The last row is only known at the end. If it is the first one
    too, its mark is of the first.
    """

    def __init__(
        self,
        codec: RowCodec,
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
            mark = _FIRST if self._mark == _FIRST else _LAST_IN_TABLE
            yield self._changes(mark, self._held, "/end")
        empty = self._places["/empty"]
        if not self._count and empty and empty[1]:
            yield Truncated(self._codec, self._blocks[_LAST_IN_TABLE], empty)
        log.info("Snapshot of table %s: %d rows", self._codec.table.id, self._count)

    def _changes(self, mark: Mark, rows: list[Row], end: str) -> RowChanges:
        pairs: list[tuple[Row | None, Row | None]] = [(None, row) for row in rows]
        return RowChanges(self._codec, "r", pairs, self._blocks[mark], None, self._places[end])


def table_order(include_list: str | None) -> tuple[str, ...]:
    """Return the expressions of ``table.include.list``, whose order the snapshot follows."""
    return tuple(split_list(include_list)) if include_list else ()
