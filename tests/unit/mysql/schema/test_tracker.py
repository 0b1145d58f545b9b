"""The tracker: recorded before emitted, recovered as recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import SchemaChange
from connector.capture.history import HistoryRecord, HistoryStore
from connector.capture.history.memory import MemoryHistory
from connector.capture.history.snapshot import HistoryMark
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.errors import HistoryError
from connector.mysql.binlog.events import QueryRan
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.schema.definitions import Definition
from connector.mysql.schema.schema_rules import SchemaRules
from connector.mysql.schema.tracker import SchemaTracker
from connector.mysql.schema.tracker_options import TrackerOptions
from connector.mysql.source_block import SourceBlock

T = TableId("d", "t")
SERVER = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
SNAPSHOT = BinlogPosition("b.000001", 90, GtidSet.parse(f"{SERVER}:1-9"), snapshot="INITIAL")


class FullDisk:
    """A history that takes nothing."""

    def prepare(self) -> None: ...

    def exists(self) -> bool:
        return False

    def records(self, after: HistoryMark | None = None) -> Iterator[HistoryRecord]:
        assert after is None
        return iter(())

    def last(self) -> HistoryMark | None:
        return None

    def holds(self, mark: HistoryMark) -> bool:
        raise AssertionError(mark)

    def append(self, record: HistoryRecord) -> None:
        raise HistoryError(f"no space for {record.ddl}")

    def buffering(self) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None: ...


def no_codec(table: Table) -> TableEventSchema:
    raise AssertionError(f"no test truncates {table.id}")


def tracker(store: HistoryStore) -> SchemaTracker:
    options = TrackerOptions(SchemaRules(), {"server": "shop"})
    return SchemaTracker(options, store, SourceBlock("v", "mysql", "shop"), no_codec)


def at(pos: int) -> Coordinates:
    return Coordinates(BinlogPosition("binlog.000001", pos))


def run(tracked: SchemaTracker, sql: str, pos: int, sql_mode: int | None = None) -> list[str]:
    query = QueryRan((0, 1, pos, 10), 5, "d", sql, sql_mode)
    changes = list(tracked.apply_statement(query, at(pos), 1_000_000))
    return [change.ddl or "" for change in changes if isinstance(change, SchemaChange)]


def names(tracked: SchemaTracker) -> list[str]:
    table = tracked.tables.get(T)
    return [] if table is None else [column.name for column in table.columns]


def test_each_statement_is_recorded_where_it_stands() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    tracked.begin()
    list(
        tracked.apply_definition(
            Definition("d", "CREATE TABLE t (a INT)"), BinlogPosition("binlog.1", 4)
        )
    )
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
    again.recover(at(pos).position(), by_gtids=False)
    assert names(again) == expected


def test_without_a_history_nothing_is_recovered() -> None:
    with pytest.raises(HistoryError, match="missing or empty"):
        tracker(MemoryHistory()).recover(at(10).position(), by_gtids=False)


def test_a_change_that_cannot_be_recorded_is_not_published_and_is_undone() -> None:
    tracked = tracker(FullDisk())
    with pytest.raises(HistoryError, match="no space"):
        run(tracked, "CREATE TABLE t (a INT)", 10)
    with pytest.raises(HistoryError, match="missing or empty"):  # it has to be read again
        tracked.prepare_stream(at(10).position(), by_gtids=False)


def test_a_very_first_record_that_is_not_written_is_undone() -> None:
    """A start without a snapshot has no history yet: the statement is read again."""
    store = MemoryHistory()
    tracked = tracker(store)
    tracked.begin()
    append, store.append = store.append, FullDisk().append  # type: ignore[method-assign]  # a fault
    with pytest.raises(HistoryError):
        run(tracked, "CREATE TABLE t (a INT)", 10)
    store.append = append  # type: ignore[method-assign]  # it is over
    tracked.prepare_stream(at(4).position(), by_gtids=False)
    assert names(tracked) == []
    assert run(tracked, "CREATE TABLE t (a INT)", 10) == ["CREATE TABLE t (a INT)"]
    assert names(tracked) == ["a"]


def test_tables_are_recovered_after_an_interruption_between_a_change_and_its_record() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    run(tracked, "CREATE TABLE t (a INT)", 10)
    apply: Callable[..., Iterator[object]] = tracked.apply_statement  # type: ignore[assignment]  # a generator
    query = QueryRan((0, 1, 20, 10), 5, "d", "ALTER TABLE t ADD b INT")
    next(iter(apply(query, at(20), 0)))  # the reader is stopped before it reads on
    tracked.prepare_stream(at(10).position(), by_gtids=False)
    assert names(tracked) == ["a"]


def test_a_statement_that_is_read_again_is_applied_to_what_was_before_it() -> None:
    """With GTIDs the last statement comes again: twice applied, a swap changes nothing."""
    swap = "ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a"
    store = MemoryHistory()
    tracked = tracker(store)
    tracked.begin()
    list(tracked.apply_definition(Definition("d", "CREATE TABLE t (a INT, b INT)"), SNAPSHOT))
    behind = replace(SNAPSHOT, snapshot=None)
    after = Coordinates(behind)
    after.start_gtid(f"{SERVER}:10")
    query = QueryRan((0, 1, 100, 10), 5, "d", swap)
    assert list(tracked.apply_statement(query, after, 0))
    assert names(tracked) == ["b", "a"]
    tracked.prepare_stream(behind, by_gtids=True)
    assert names(tracked) == ["a", "b"]
    again = tracker(store)
    again.recover(behind, by_gtids=True)
    assert names(again) == ["a", "b"]
    done = replace(behind, gtids=GtidSet.parse(f"{SERVER}:1-10"))
    again.recover(done, by_gtids=True)
    assert names(again) == ["b", "a"]
    assert names(tracked) == ["a", "b"]


def test_an_unparsed_statement_is_emitted_and_recorded_and_leaves_its_tables_unresolved() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    run(tracked, "CREATE TABLE t (a INT)", 10)
    odd = "ALTER TABLE t FROBNICATE 'secret' ("
    assert run(tracked, odd, 20) == [odd]
    reason = tracked.unresolved_reason(T)
    assert reason is not None
    assert re.search(r"begins with \[ALTER TABLE t .*'…'.* at .+:20, for database \[d\]", reason)
    assert "secret" not in reason
    assert tracked.unresolved_reason(TableId("d", "x")) is None
    [_, record] = store.records()
    assert (record.ddl, record.unparsed, record.table_changes) == (None, odd, ())
    again = tracker(store)
    again.recover(at(30).position(), by_gtids=False)
    assert again.unresolved_reason(T) is not None
    assert names(again) == ["a"]


def test_a_new_definition_stays_resolved_after_a_restart() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    run(tracked, "CREATE TABLE t (a INT)", 10)
    run(tracked, "ALTER TABLE t FROBNICATE (", 20)
    [change] = tracked.define("CREATE TABLE `t` (`a` int, `b` int)", T, at(30))
    assert (change.kind, change.cause, names(tracked)) == ("CREATE", "resolved", ["a", "b"])
    assert tracked.unresolved_reason(T) is None
    again = tracker(store)
    again.recover(at(30).position(), by_gtids=False)
    assert again.unresolved_reason(T) is None
    assert names(again) == ["a", "b"]
    before = tracker(store)
    before.recover(at(25).position(), by_gtids=False)
    assert before.unresolved_reason(T) is not None


def test_a_known_definition_is_emitted_only_if_it_was_unresolved() -> None:
    tracked = tracker(MemoryHistory())
    run(tracked, "CREATE TABLE t (a INT)", 10)
    assert tracked.define("CREATE TABLE `t` (`a` int)", T, at(20)) == []
    run(tracked, "ALTER TABLE t FROBNICATE (", 30)
    [change] = tracked.define("CREATE TABLE `t` (`a` int)", T, at(40))
    assert (change.kind, tracked.unresolved_reason(T)) == ("CREATE", None)


@pytest.mark.parametrize(
    "statement",
    [
        "RENAME TABLE t TO moved",
        "RENAME TABLE t TO x, x TO moved",
        "ALTER TABLE t RENAME TO moved",
        "ALTER TABLE t ADD COLUMN b INT, RENAME AS `moved`",
        "CREATE TABLE moved LIKE t",
    ],
)
def test_an_unresolved_schema_follows_its_table(statement: str) -> None:
    """At once, and after a restart, whose history lacks some old names."""
    store = MemoryHistory()
    tracked = tracker(store)
    run(tracked, "CREATE TABLE t (a INT)", 10)
    run(tracked, "ALTER TABLE t FROBNICATE (", 20)
    run(tracked, statement, 30)
    again = tracker(store)
    again.recover(at(30).position(), by_gtids=False)
    for one in (tracked, again):
        assert one.unresolved_reason(TableId("d", "moved")) is not None
        run(one, "DROP TABLE moved", 40)
        run(one, "CREATE TABLE moved (b INT)", 50)
        assert one.unresolved_reason(TableId("d", "moved")) is None


def test_a_table_renamed_to_an_unresolved_name_is_resolved() -> None:
    tracked = tracker(MemoryHistory())
    for pos, statement in enumerate(["CREATE TABLE t (a INT)", "CREATE TABLE new (b INT)"]):
        run(tracked, statement, pos + 10)
    run(tracked, "ALTER TABLE t FROBNICATE (", 20)
    run(tracked, "RENAME TABLE t TO old, new TO t", 30)
    assert (tracked.unresolved_reason(T), tracked.unresolved_reason(TableId("d", "new"))) == (
        None,
        None,
    )
    assert tracked.unresolved_reason(TableId("d", "old")) is not None


def test_a_definition_is_read_apart() -> None:
    tracked = tracker(MemoryHistory())
    table = tracked.parse("CREATE TABLE t (a INT)", "d")
    assert table is not None
    assert table.id == T
    assert tracked.parse("CREATE TABLE t (", "d") is None
    assert names(tracked) == []


DAMAGED = st.tuples(
    st.sampled_from(
        (
            "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(3) DEFAULT 'x', c ENUM('a','b'))",
            "ALTER TABLE t ADD COLUMN c DECIMAL(10,2) AFTER a, DROP b, CHANGE a d INT, RENAME TO u",
            "RENAME TABLE t TO u, d.v TO w",
            "CREATE UNIQUE INDEX i ON t (a(10) DESC, (b + 1)) USING BTREE COMMENT 'x'",
        )
    ),
    st.integers(0, 90),
    st.integers(0, 20),
    st.text(max_size=8) | st.sampled_from(("9" * 5000, "(" * 3000, "'", "`", "/*!", "\\")),
)


@given(damaged=st.lists(DAMAGED, min_size=1, max_size=3), sql_mode=st.sampled_from((None, 0, 4)))
def test_no_damaged_statement_stops_the_stream(
    damaged: list[tuple[str, int, int, str]], sql_mode: int | None
) -> None:
    """Truncated, doubled or with an insertion: emitted, recorded, or skipped."""
    store = MemoryHistory()
    tracked = tracker(store)
    for number, (sql, start, cut, more) in enumerate(damaged):
        run(tracked, sql[:start] + more + sql[start + cut :], number, sql_mode)
    if store.exists():
        tracker(store).recover(at(100).position(), by_gtids=False)


def test_the_mode_of_the_session_decides_how_to_read_a_statement() -> None:
    tracked = tracker(MemoryHistory())
    run(tracked, 'CREATE TABLE "t" ("a" INT DEFAULT 1)', 10, 1 << 2)
    assert names(tracked) == ["a"]
