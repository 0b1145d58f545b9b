"""Definitions and positions that signals set, and what a restart makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from connector.capture.change import RowChanges, SchemaChange, TableChange
from connector.capture.history.memory import MemoryHistory
from connector.capture.signals.table_changes import TableChangesRequest
from connector.capture.tables import Column, Table, TableId
from connector.errors import ConfigError, HistoryError
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.schema.definitions import Definition
from connector.mysql.schema.schema_rules import SchemaRules
from connector.mysql.schema.tracker import SchemaTracker
from connector.mysql.schema.tracker_options import TrackerOptions
from connector.mysql.source_block import SourceBlock
from connector.mysql.source_parts import SourceParts
from connector.mysql.stream_control import MySqlStreamControl
from tests.unit.capture.incremental.simulated import SIGNALS, schema

T = TableId("d", "t")
SERVER = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
SNAPSHOT = BinlogPosition("b.000001", 90, snapshot="INITIAL")
BLOCK = SourceBlock("v", "mysql", "shop")


def tracker(store: MemoryHistory, *, prefer_ddl: bool = False, **rules: Any) -> SchemaTracker:
    options = TrackerOptions(SchemaRules(**rules), {"server": "shop"}, prefer_ddl=prefer_ddl)
    made = SchemaTracker(options, store, BLOCK, lambda _: schema(T, "a"))
    if not store.exists():
        list(made.apply_definition(Definition("d", "CREATE TABLE t (a INT)"), SNAPSHOT))
    return made


def stream(tracked: SchemaTracker, at: Coordinates, flavor: str = "mysql") -> MySqlStreamControl:
    parts = SimpleNamespace(tracker=tracked, source_block=BLOCK, flavor=flavor)
    made = MySqlStreamControl(cast("SourceParts", parts))
    made.follow(at)
    return made


def within(event: int, gtids: str | None = "1-9") -> Coordinates:
    """Return the coordinates in a transaction, after so many of its events."""
    done = None if gtids is None else GtidSet.parse(f"{SERVER}:{gtids}")
    at = Coordinates(BinlogPosition("b.000001", 200, done))
    if gtids is not None:
        at.start_gtid(f"{SERVER}:10")
    at.move(200, 50)
    at.begin()
    at.events_done = event
    return at


def request(*names: str, kind: Any = "ALTER", table: TableId = T) -> TableChangesRequest:
    columns = tuple(Column(name, "INT", 4, "INT", position=1) for name in names)
    made = None if kind == "DROP" else Table(table, columns)
    return TableChangesRequest("d", "s", (TableChange(kind, table, made),))


def signal_row(number: int) -> RowChanges:
    source = BLOCK.for_stream(within(2), "d", "signals", 1_000)
    return RowChanges(schema(SIGNALS, "id"), "c", [(None, ("1",))], source, number)


def columns(tracked: SchemaTracker) -> list[str]:
    table = tracked.tables.get(T)
    return [] if table is None else [column.name for column in table.columns]


def recover_names(store: MemoryHistory, at: BinlogPosition, **options: Any) -> list[str]:
    again = tracker(store, **options)
    again.recover(at, by_gtids=at.gtids is not None)
    return columns(again)


@pytest.mark.parametrize("gtids", ["1-9", None])
@pytest.mark.parametrize(
    ("event", "row", "expected"),
    [(0, 0, "a"), (2, 0, "a"), (2, 1, "a"), (2, 2, "b"), (2, 3, "b"), (3, 0, "b")],
)
def test_a_definition_holds_from_its_row_on(
    gtids: str | None, event: int, row: int, expected: str
) -> None:
    """The second row of the third event of a transaction, with and without GTIDs."""
    store = MemoryHistory()
    tracked = tracker(store)
    [change] = stream(tracked, within(2, gtids)).redefine(request("b"), signal_row(1))
    assert isinstance(change, SchemaChange)
    assert (change.ddl, change.schema, change.database) == (None, "s", "d")
    assert change.source[14] == 1
    assert columns(tracked) == ["b"]
    stopped = replace(within(event, gtids).position(), row=row)
    assert recover_names(store, stopped) == [expected]
    assert recover_names(store, stopped, prefer_ddl=True) == [expected]


def test_a_kill_behind_the_record_sets_the_definition_again() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    for _ in range(2):
        assert recover_names(store, within(2).position()) == ["a"]
        list(stream(tracked, within(2)).redefine(request("b"), signal_row(0)))
    assert recover_names(store, within(3).position()) == ["b"]
    tracked.prepare_stream(within(2).position(), by_gtids=True)
    assert columns(tracked) == ["a"], "an error of the stream reads the signal again"


class FullAfter(MemoryHistory):
    """Takes some records and no more."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.left = count

    def append(self, record: Any) -> None:
        if not self.left:
            raise HistoryError("no space")
        self.left -= 1
        super().append(record)


def test_an_error_between_two_changes_undoes_both() -> None:
    store = FullAfter(2)
    tracked = tracker(store)
    both = TableChangesRequest("d", None, (*request("b").changes, *request("c").changes))
    with pytest.raises(HistoryError):
        list(stream(tracked, within(2)).redefine(both, signal_row(0)))
    tracked.prepare_stream(within(2).position(), by_gtids=True)
    assert columns(tracked) == ["a"]


def test_signals_beside_the_stream_count_at_their_position_however_often_they_repeat() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    at = Coordinates(BinlogPosition("b.000001", 200, GtidSet.parse(f"{SERVER}:1-9")))
    made = stream(tracked, at)
    for name in ("b", "c", "b"):
        [change] = made.redefine(request(name), None)
        assert isinstance(change, SchemaChange)
        assert recover_names(store, at.position()) == [name]
    assert recover_names(store, replace(at.position(), gtids=GtidSet.parse(f"{SERVER}:1-8"))) == [
        "a"
    ]


def test_a_drop_is_published_and_keeps_its_table() -> None:
    tracked = tracker(MemoryHistory())
    [change] = stream(tracked, within(2)).redefine(request(kind="DROP"), signal_row(0))
    assert isinstance(change, SchemaChange)
    assert (change.kind, change.changes, columns(tracked)) == ("DROP", (), ["a"])


def test_only_captured_tables_are_recorded_if_so_configured() -> None:
    rules: dict[str, Any] = {
        "store_only_captured_tables_ddl": True,
        "captures": lambda table: table == T,
    }
    store = MemoryHistory()
    made = stream(tracker(store, **rules), within(2))
    other = request("b", table=TableId("d", "other"))
    assert list(made.redefine(other, signal_row(0))) == []
    assert len(list(made.redefine(request("b"), signal_row(0)))) == 1


def test_an_unresolved_schema_is_resolved() -> None:
    store = MemoryHistory()
    tracked = tracker(store)
    list(tracked.apply_definition(Definition("d", "ALTER TABLE t FROBNICATE ("), SNAPSHOT))
    assert tracked.unresolved_reason(T) is not None
    list(stream(tracked, within(2)).redefine(request("b"), signal_row(0)))
    again = tracker(store)
    again.recover(within(3).position(), by_gtids=True)
    assert tracked.unresolved_reason(T) is again.unresolved_reason(T) is None


def test_a_position_by_gtids() -> None:
    made = stream(tracker(MemoryHistory()), within(2))
    found = made.restart_position({"gtid_set": f"{SERVER}:1-3:5"})
    assert (found.gtids, found.event, found.row) == (GtidSet.parse(f"{SERVER}:1-3:5"), 0, 0)
    made = stream(
        tracker(MemoryHistory()),
        Coordinates(BinlogPosition("b.000001", 200, MariaDbGtidSet.parse("0-1-9"))),
        "mariadb",
    )
    assert made.restart_position({"gtid_set": "0-1-3"}).gtids == MariaDbGtidSet.parse("0-1-3")


def test_a_position_in_a_file() -> None:
    made = stream(tracker(MemoryHistory()), within(2, None))
    found = made.restart_position({"binlog_filename": "b.000007", "binlog_position": 99})
    assert found.to_offset() == {"file": "b.000007", "pos": 99}


@pytest.mark.parametrize(
    ("data", "gtids", "reason"),
    [
        ({}, "1-9", "neither gtid_set nor binlog_filename"),
        ({"gtid_set": f"{SERVER}:1", "binlog_position": 0}, "1-9", "both"),
        ({"gtid_set": "all"}, "1-9", "cannot be read"),
        ({"gtid_set": " ,"}, "1-9", "is empty"),
        ({"gtid_set": f"{SERVER}:1"}, None, "not followed by GTIDs"),
        ({"binlog_position": 4}, None, "neither"),
        ({"binlog_filename": "binlog", "binlog_position": 4}, None, "neither"),
        ({"binlog_filename": "b.000001"}, None, "no binlog_position"),
        ({"binlog_filename": "b.000001", "binlog_position": -1}, None, "no binlog_position"),
        ({"binlog_filename": "b.000001", "binlog_position": "4"}, None, "no binlog_position"),
        ({"binlog_filename": "b.000001", "binlog_position": 4}, "1-9", "behind GTIDs"),
    ],
)
def test_what_is_no_position_of_this_server_is_refused(
    data: Mapping[str, Any], gtids: str | None, reason: str
) -> None:
    made = stream(tracker(MemoryHistory()), within(2, gtids))
    with pytest.raises(ConfigError, match=reason):
        made.restart_position(data)
