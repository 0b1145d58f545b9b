"""The snapshot: lock, position, definitions, unlock, rows.

The statements follow Debezium's, so that a database administrator sees what is expected; the
locks are released as soon as the definitions are read.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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
from connector.errors import AccessDeniedError, StopError, TableChangedError
from connector.mysql.connection import Connection, RowStream, quote
from connector.mysql.definitions import Definition, DefinitionReader
from connector.mysql.locks import SnapshotLock
from connector.mysql.position import BinlogPosition
from connector.mysql.schema_tracker import SchemaTracker
from connector.mysql.source_block import SourceBlock
from connector.mysql.textrows import TextRows

log = logging.getLogger(__name__)

Mark = str
Told = SchemaChange | RowChanges | Truncated


@dataclass(frozen=True, slots=True)
class SnapshotOptions:
    """The part of the configuration that a snapshot needs. Times are in seconds.

    ``row_count_order`` is the order of tables by size. With ``places`` changes tell their place,
    and tables without rows are told of.
    """

    locking: str = "minimal"
    lock_timeout: float = 10.0
    table_order: tuple[str, ...] = ()
    included: str | None = None
    selects: dict[str, str] = field(default_factory=dict)
    row_count_order: str = "disabled"
    places: bool = False


class Snapshot:
    """One snapshot on one connection."""

    def __init__(
        self,
        connection: Connection,
        definitions: DefinitionReader,
        tracker: SchemaTracker,
        selection: Selection,
        codec_of: Callable[[Table], RowCodec],
        source: SourceBlock,
        options: SnapshotOptions,
    ) -> None:
        self._connection = connection
        self._definitions = definitions
        self._tracker = tracker
        self._selection = selection
        self._codec_of = codec_of
        self._source = source
        self._options = options
        self._read_as: set[str] = set()

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
        running = replace(at, snapshot="INITIAL", event=0, row=0)
        log.info("Snapshot at %s:%d of %d tables", at.file, at.pos, len(captured))
        statements = list(self._definitions.read(tables))
        self._read_as = {_without_counter(statement.ddl) for statement in statements}
        lock.definitions_read()
        yield from self._last_marked(self._read(statements, plan, captured, running), running)
        lock.rows_read()
        yield Progress(at)
        return at

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
        self._connection.execute("SET time_zone='+00:00'")
        for number, name in enumerate(captured):
            yield from self._table(name, at, first_table=number == 0)

    def _table(
        self, name: TableId, at: BinlogPosition, *, first_table: bool
    ) -> Iterator[RowChanges | Truncated]:
        table = self._tracker.tables.get(name)
        if table is None:
            raise StopError(f"Table {name} is captured but its definition could not be read.")
        codec = self._codec_of(table)
        micros = self._definitions.now_micros()
        blocks = {
            mark: self._source.snapshot(at, name.database, name.table, mark, micros)
            for mark in (_FIRST, _FIRST_IN_TABLE, _TRUE, _LAST_IN_TABLE)
        }
        batches = self._rows(codec)
        if codec.derived:
            batches = (list(map(codec.completed, batch)) for batch in batches)
        count = 0
        first = _FIRST if first_table else _FIRST_IN_TABLE
        for mark, rows, end in _marked(batches, first):
            count += len(rows)
            pairs: list[tuple[Row | None, Row | None]] = [(None, row) for row in rows]
            place = self._place(name, at, "/end" if end else "")
            yield RowChanges(codec, "r", pairs, blocks[mark], None, place)
        if not count and (place := self._place(name, at, "/empty")) and place[1]:
            yield Truncated(codec, blocks[_LAST_IN_TABLE], place)
        log.info("Snapshot of table %s: %d rows", name, count)

    def _place(self, table: TableId, at: BinlogPosition, end: str) -> Place | None:
        """Return the place of rows; a table of which but a part is read has no end."""
        if not self._options.places:
            return None
        whole = str(table) not in self._options.selects
        return f"{at.epoch}/{at.file}/{at.pos}/", end if whole else ""

    def _rows(self, codec: RowCodec) -> Iterator[list[Row]]:
        """Read a table, by the user's own statement if there is one for it."""
        name = codec.table.id
        own = self._options.selects.get(str(name))
        if own:
            stream = self._connection.read_rows(own)
            return TextRows(codec.columns, stream.columns).read(stream)
        columns = ", ".join(quote(column.column.name) for column in codec.columns)
        select = f"SELECT {columns} FROM {name.quoted('`')}"  # noqa: S608 - names are quoted
        return TextRows(codec.columns).read(self._opened(name, select))

    def _opened(self, table: TableId, select: str) -> RowStream:
        """Begin to read a table.

        The locks are gone by now: it may have been altered since its definition was read.

        :raises TableChangedError: it was, and cannot be read as it was.
        """
        try:
            return self._connection.read_rows(select)
        except AccessDeniedError:
            raise
        except StopError as error:
            if self._is_as_read(table):
                raise
            raise TableChangedError(f"{table} was altered while it was read: {error}") from error

    def _is_as_read(self, table: TableId) -> bool:
        try:
            definition = self._definitions.create_table(table)
        except StopError:  # it was dropped
            return False
        return _without_counter(definition) in self._read_as


_FIRST, _FIRST_IN_TABLE = "first", "first_in_data_collection"
_TRUE, _LAST_IN_TABLE = "true", "last_in_data_collection"


def _marked(batches: Iterable[list[Any]], first: Mark) -> Iterator[tuple[Mark, list[Any], bool]]:
    """Tell for each row of a table where it stands, and whether it is the last one.

    The last row is only known at the end. If it is the first one too, its mark is of the first.
    """
    mark = first
    held: list[Any] = []
    for batch in batches:
        rows = held + batch
        if mark != _TRUE and len(rows) > 1:
            yield mark, rows[:1], False
            rows, mark = rows[1:], _TRUE
        if len(rows) > 1:
            yield mark, rows[:-1], False
            rows = rows[-1:]
        held = rows
    if held:
        yield (_FIRST if mark == _FIRST else _LAST_IN_TABLE), held, True


def _without_counter(definition: str) -> str:
    """Return a definition without the number that the next row gets."""
    return re.sub(r" AUTO_INCREMENT=\d+", "", definition)


def table_order(include_list: str | None) -> tuple[str, ...]:
    """Return the expressions of ``table.include.list``, whose order the snapshot follows."""
    return tuple(split_list(include_list)) if include_list else ()
