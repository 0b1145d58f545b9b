"""Into how many ranges of keys a table is split, and which of their rows are marked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import Row, RowChanges
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.errors import TableChangedError
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.session.connection import Connection
from connector.mysql.snapshot.parallel_reading import ParallelReader, RowBatch, TableAltered
from connector.mysql.snapshot.rows import FIRST, SnapshotMarkers
from connector.mysql.snapshot.table_chunks import ChunkPlanner, TableChunk, chunk_count
from connector.mysql.snapshot.table_reader import TableReader
from connector.mysql.source_block import SourceBlock
from tests.unit.capture.incremental.simulated import schema

TABLES = [TableId("d", "a"), TableId("d", "b"), TableId("d", "c")]
CHUNKS = 4


@pytest.mark.parametrize(
    ("rows", "most", "expected"),
    [(0, 6, 1), (1, 6, 1), (5, 6, 5), (6, 6, 6), (7, 6, 6), (11, 6, 6), (13, 6, 6), (100, 1, 1)],
)
def test_a_range_has_a_row_at_least(rows: int, most: int, expected: int) -> None:
    assert chunk_count(rows, most) == expected


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=12))
def test_one_row_is_the_first_and_one_is_the_last(batches: list[tuple[bool, int]]) -> None:
    """Whichever ranges come first; the last row is one of the last range if that has any."""
    markers = SnapshotMarkers(SourceBlock("v", "m", "n"), BinlogPosition("f", 4), (), False)
    table = markers.begin_table(schema(TABLES[0], "id"), 0, FIRST)
    changes: list[Any] = []
    given_rows: list[Row] = []
    of_end = set()
    for number, (is_end, count) in enumerate(batches):
        rows: list[Row] = [(f"{number}-{one}",) for one in range(count)]
        given_rows += rows
        of_end |= set(rows) if is_end else set()
        changes += table.add(rows, is_end=is_end)
    changes += table.end()
    marked = [
        (change.source[4], after)
        for change in changes
        if isinstance(change, RowChanges)
        for _, after in change.rows
    ]
    assert {row for _, row in marked} == set(given_rows)
    assert len(marked) == len(given_rows)
    assert table.count == len(given_rows)
    if len(marked) > 1:
        assert [marker for marker, _ in marked[:1] + marked[-1:]] == [
            "first",
            "last_in_data_collection",
        ]
        assert {marker for marker, _ in marked[1:-1]} <= {"true"}
        assert not of_end or marked[-1][1] in of_end


class Session:
    """One that needs no preparation."""

    def execute(self, statement: str) -> None: ...


class Ranges:
    """A reader whose ranges have two batches; at ``altered`` a definition changes."""

    connection = cast("Connection", Session())

    def __init__(self, altered: tuple[str, int, int] | None) -> None:
        self._altered = altered

    def now_micros(self) -> int:
        return 0

    def rows_as_defined(self, codec: TableEventSchema, clause: str) -> Iterator[list[Row]]:
        number, table = int(clause), codec.table.id.table
        for batch in range(2):
            if self._altered == (table, number, batch):
                raise TableChangedError(f"table {table} was altered")
            yield [(table, number, batch)]


class Planner(ChunkPlanner):
    """Splits each table, the last one not."""

    def chunks(self, reader: TableReader, table: Any) -> list[TableChunk]:
        del reader
        count = 1 if table.id == TABLES[-1] else CHUNKS
        return [TableChunk(number, count, str(number)) for number in range(count)]


@pytest.mark.parametrize("sessions", [1, 3])
@pytest.mark.parametrize(
    "altered",
    [
        None,
        ("a", 0, 0),
        ("a", 0, 1),
        ("a", 1, 0),
        ("a", 3, 1),
        ("b", 0, 0),
        ("b", 2, 1),
        ("c", 0, 0),
    ],
)
def test_an_altered_table_ends_alone(sessions: int, altered: tuple[str, int, int] | None) -> None:
    readers = [cast("TableReader", Ranges(altered)) for _ in range(sessions)]
    planner = Planner(sessions, lambda _: 1)
    with closing(ParallelReader(readers, TABLES, lambda t: schema(t, "id"), planner)) as reader:
        items = list(reader.items())
    rows = [row for item in items if isinstance(item, RowBatch) for row in item.rows]
    ended = [item.table for item in items if isinstance(item, TableAltered)]
    assert ended == ([] if altered is None else ["abc".index(altered[0])])
    for table, count in (("a", CHUNKS), ("b", CHUNKS), ("c", 1)):
        found = [row for row in rows if row[0] == table]
        assert len(found) == len(set(found))
        if altered is None or altered[0] != table:
            assert set(found) == {
                (table, number, batch) for number in range(count) for batch in (0, 1)
            }
            assert found[0][1] == 0
    if altered is None or altered[0] != "a":
        assert rows[0] == ("a", 0, 0)
    assert not [one for one in threading.enumerate() if one.name.startswith("snapshot-")]


@pytest.mark.parametrize("after", range(12))
def test_a_reader_that_is_closed_ends_its_threads(after: int) -> None:
    readers = [cast("TableReader", Ranges(None)) for _ in range(3)]
    planner = Planner(3, lambda _: 1)
    with closing(ParallelReader(readers, TABLES, lambda t: schema(t, "id"), planner)) as reader:
        items = reader.items()
        for _ in range(after):
            next(items)
    assert not [one for one in threading.enumerate() if one.name.startswith("snapshot-")]
