"""The tracker: recorded before told, recovered as recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

import pytest

from connector.capture.change import SchemaChange
from connector.capture.history import HistoryRecord, HistoryStore
from connector.capture.history.memory import MemoryHistory
from connector.capture.rowcodec import RowCodec
from connector.capture.tables import Table, TableId
from connector.errors import DdlError, HistoryError
from connector.mysql.binlog.events import QueryRan
from connector.mysql.definitions import Definition
from connector.mysql.position import BinlogPosition, Coordinates
from connector.mysql.schema import SchemaRules
from connector.mysql.schema_tracker import SchemaTracker, TrackerOptions
from connector.mysql.source_block import SourceBlock

T = TableId("d", "t")


class FullDisk:
    """A history that takes nothing."""

    def prepare(self) -> None: ...

    def exists(self) -> bool:
        return False

    def records(self) -> Iterator[HistoryRecord]:
        return iter(())

    def append(self, record: HistoryRecord) -> None:
        raise HistoryError(f"no space for {record.ddl}")

    def buffering(self) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None: ...


def no_codec(table: Table) -> RowCodec:
    raise AssertionError(f"nobody truncates {table.id} here")


def tracker(store: HistoryStore) -> SchemaTracker:
    options = TrackerOptions(SchemaRules(), {"server": "shop"})
    return SchemaTracker(options, store, SourceBlock("v", "mysql", "shop"), no_codec)


def at(pos: int) -> Coordinates:
    return Coordinates(BinlogPosition("binlog.000001", pos))


def run(tracked: SchemaTracker, sql: str, pos: int, sql_mode: int | None = None) -> list[str]:
    query = QueryRan((0, 1, pos, 10), 5, "d", sql, sql_mode)
    changes = list(tracked.streamed(query, at(pos), 1_000_000))
    return [change.ddl for change in changes if isinstance(change, SchemaChange)]


def names(tracked: SchemaTracker) -> list[str]:
    table = tracked.tables.get(T)
    return [] if table is None else [column.name for column in table.columns]


def test_each_statement_is_recorded_where_it_stands() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    tracked.begin()
    list(tracked.snapshot(Definition("d", "CREATE TABLE t (a INT)"), BinlogPosition("binlog.1", 4)))
    assert run(tracked, "ALTER TABLE t ADD b INT", 100) == ["ALTER TABLE t ADD b INT"]
    assert [(record.position["pos"], record.ddl) for record in store.records()] == [
        (4, "CREATE TABLE t (a INT)"),
        (100, "ALTER TABLE t ADD b INT"),
    ]


@pytest.mark.parametrize(
    ("pos", "expected"), [(50, ["a"]), (100, ["a", "b"]), (150, ["a", "b"]), (300, ["x", "b"])]
)
def test_tables_are_recovered_as_of_a_position(pos: int, expected: list[str]) -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    run(tracked, "CREATE TABLE t (a INT)", 10)
    run(tracked, "ALTER TABLE t ADD b INT", 100)
    run(tracked, "ALTER TABLE t RENAME COLUMN a TO x", 200)
    again = tracker(store)
    again.recover(at(pos).position())
    assert names(again) == expected


def test_without_a_history_nothing_is_recovered() -> None:
    with pytest.raises(HistoryError, match="missing or empty"):
        tracker(MemoryHistory()).recover(at(10).position())


def test_a_change_that_cannot_be_recorded_is_not_told_and_leaves_doubt() -> None:
    tracked = tracker(FullDisk())
    with pytest.raises(HistoryError, match="no space"):
        run(tracked, "CREATE TABLE t (a INT)", 10)
    assert tracked.unsure


def test_recovery_ends_the_doubt() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    run(tracked, "CREATE TABLE t (a INT)", 10)
    told: Callable[..., Iterator[object]] = tracked.streamed  # type: ignore[assignment]  # a generator
    query = QueryRan((0, 1, 20, 10), 5, "d", "ALTER TABLE t ADD b INT")
    next(iter(told(query, at(20), 0)))  # the reader is stopped before it asks for more
    assert tracked.unsure
    tracked.recover(at(20).position())
    assert not tracked.unsure
    assert names(tracked) == ["a", "b"]


def test_what_cannot_be_read_is_neither_recorded_nor_in_doubt() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    told = r"begins with \[CREATE TABLE t \(\]\. It stands at .+:10, for database \[d\]"
    with pytest.raises(DdlError, match=told) as caught:
        run(tracked, "CREATE TABLE t (", 10)
    assert "skip.unparseable.ddl" in caught.value.remedy
    assert not store.exists()
    assert not tracked.unsure


def test_the_mode_of_the_session_tells_how_to_read_a_statement() -> None:
    tracked = tracker(MemoryHistory())
    run(tracked, 'CREATE TABLE "t" ("a" INT DEFAULT 1)', 10, 1 << 2)
    assert names(tracked) == ["a"]
