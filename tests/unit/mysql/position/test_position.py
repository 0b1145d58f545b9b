"""Positions: offset maps, and how they move from event to event."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.errors import ConfigError, StopError
from connector.mysql.position.binlog_position import BinlogPosition, position_of
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet

SERVER = "3e11fa47-71ca-11e1-9e33-c80aa9429562"

POSITIONS = st.builds(
    BinlogPosition,
    file=st.integers(1, 999_999).map(lambda number: f"binlog.{number:06d}"),
    pos=st.integers(4, 1 << 40),
    gtids=st.none() | st.integers(1, 99).map(lambda last: GtidSet.parse(f"{SERVER}:1-{last}")),
    event=st.integers(0, 50),
    row=st.integers(0, 50),
    server_id=st.integers(0, 1 << 32),
    ts_sec=st.none() | st.integers(0, 1 << 32),
    snapshot=st.none() | st.sampled_from(["INITIAL", "BLOCKING"]),
    server=st.none() | st.just("5bbad450-cfbd-11e5-84fb-021500000000"),
    own_count=st.booleans(),
    annotations=st.integers(0, 50),
)


@given(POSITIONS)
def test_a_position_is_stored_and_read_again(position: BinlogPosition) -> None:
    stored = position if position.in_group else replace(position, server=None, own_count=False)
    assert position_of(position.to_offset(), is_mariadb=False) == stored


def test_an_offset_within_a_transaction_names_the_server_that_counted_its_events() -> None:
    within = BinlogPosition("b.1", 157, event=2, server="s")
    assert within.to_offset()["millrace_server"] == "s"
    assert "millrace_server" not in within.at_group_start().to_offset()


def test_to_debezium_a_transaction_that_it_counts_otherwise_is_not_begun() -> None:
    offset = BinlogPosition("b.1", 157, event=2, row=1, own_count=True).to_offset()
    assert offset == {"file": "b.1", "pos": 157, "millrace_event": 2, "millrace_row": 1}


def test_an_offset_has_its_keys_in_the_order_of_java() -> None:
    gtids = GtidSet.parse(f"{SERVER}:1-5")
    position = BinlogPosition("b.1", 157, gtids, 2, 3, 7, 1_700_000_000, "INITIAL")
    assert list(position.to_offset().items()) == [
        ("ts_sec", 1_700_000_000),
        ("file", "b.1"),
        ("pos", 157),
        ("gtids", f"{SERVER}:1-5"),
        ("row", 3),
        ("server_id", 7),
        ("event", 2),
        ("snapshot", "INITIAL"),
    ]


def test_what_is_zero_is_left_out() -> None:
    assert BinlogPosition("b.1", 157).to_offset() == {"file": "b.1", "pos": 157}


@pytest.mark.parametrize(
    ("offset", "snapshot"),
    [
        ({"snapshot": True}, "INITIAL"),
        ({"snapshot": False}, None),
        ({"snapshot": "X"}, "X"),
        ({}, None),
    ],
)
def test_offsets_of_old_versions_mark_a_snapshot_by_a_boolean(
    offset: dict[str, Any], snapshot: str | None
) -> None:
    stored = {"file": "b.1", "pos": "157", **offset}
    found = position_of(stored, is_mariadb=False)
    assert (found.snapshot, found.pos) == (snapshot, 157)


def test_gtids_are_those_of_the_server() -> None:
    offset = {"file": "b.1", "pos": 4, "gtids": "0-1-5"}
    assert position_of(offset, is_mariadb=True).gtids == MariaDbGtidSet.parse("0-1-5")
    with pytest.raises(ConfigError, match="0-1-5"):
        position_of(offset, is_mariadb=False)


def test_gtids_may_come_as_text() -> None:
    given_as_text = BinlogPosition("b.1", 4, f"{SERVER}:1-3")
    assert given_as_text.to_offset()["gtids"] == f"{SERVER}:1-3"
    read = given_as_text.with_gtids(is_mariadb=False)
    assert read.gtids == GtidSet.parse(f"{SERVER}:1-3")
    assert read.with_gtids(is_mariadb=False) is read
    assert BinlogPosition("b.1", 4).with_gtids(is_mariadb=True).gtids == MariaDbGtidSet()
    assert read.without_gtids().gtids is None


def at(start: BinlogPosition | None = None) -> Coordinates:
    return Coordinates(start or BinlogPosition("b.1", 100, GtidSet.parse(f"{SERVER}:1-4")))


def test_outside_of_a_transaction_a_restart_reads_behind_the_event() -> None:
    coordinates = at()
    coordinates.move(200, 50)
    position = coordinates.position()
    assert (position.pos, position.event, position.row) == (250, 0, 0)


def test_inside_a_transaction_a_restart_reads_from_its_begin() -> None:
    coordinates = at()
    coordinates.move(200, 50)
    coordinates.start_gtid(f"{SERVER}:5")
    coordinates.move(250, 30)
    coordinates.begin()
    assert coordinates.transaction_id == f"{SERVER}:5"
    coordinates.move(280, 40)
    coordinates.events_done = 2
    position = coordinates.position()
    assert (position.pos, position.event) == (250, 2)
    assert str(position.gtids) == f"{SERVER}:1-4"
    assert coordinates.pos == 280


def test_behind_a_transaction_its_gtid_is_done() -> None:
    coordinates = at()
    coordinates.start_gtid(f"{SERVER}:5")
    coordinates.move(250, 30)
    coordinates.begin()
    coordinates.thread, coordinates.query, coordinates.events_done = 5, "SELECT", 9
    coordinates.move(300, 31)
    coordinates.commit()
    position = coordinates.position()
    assert (position.pos, position.event, position.row) == (331, 0, 0)
    assert str(position.gtids) == f"{SERVER}:1-5"
    left = [coordinates.thread, coordinates.query, coordinates.transaction_id]
    assert left == [None, None, None]


def test_without_gtids_a_transaction_is_named_by_its_position() -> None:
    coordinates = at(BinlogPosition("b.7", 4))
    coordinates.move(250, 30)
    coordinates.begin()
    assert coordinates.transaction_id == "file=b.7,pos=250"


def test_the_first_transaction_of_all_is_not_done_before_its_end() -> None:
    """Debezium counts it as done from its start: a restart loses the rest of it."""
    coordinates = at(BinlogPosition("b.1", 4, GtidSet()))
    coordinates.start_gtid(f"{SERVER}:1")
    assert "gtids" not in coordinates.position().to_offset()
    coordinates.begin()
    coordinates.commit()
    assert coordinates.position().to_offset()["gtids"] == f"{SERVER}:1-1"


def test_a_statement_counts_as_done_when_something_follows() -> None:
    coordinates = at()
    coordinates.start_gtid(f"{SERVER}:5")
    coordinates.end_statement()
    assert str(coordinates.position().gtids) == f"{SERVER}:1-4"
    coordinates.settle()
    assert str(coordinates.position().gtids) == f"{SERVER}:1-5"


def test_a_gtid_whose_statement_has_not_come_yet_is_not_done() -> None:
    coordinates = at()
    coordinates.start_gtid(f"{SERVER}:5")
    coordinates.end_statement()
    coordinates.start_gtid(f"{SERVER}:6")
    coordinates.settle()
    assert str(coordinates.position().gtids) == f"{SERVER}:1-5"


def test_the_first_event_of_a_connection_does_not_disturb_a_transaction_that_continues() -> None:
    start = BinlogPosition("b.1", 157, GtidSet.parse(f"{SERVER}:1-4"), event=3)
    coordinates = at(start)
    coordinates.rotate("b.1", 4, artificial=True)
    coordinates.move(4, 123)
    assert coordinates.position().to_offset() == start.to_offset()


def test_a_file_that_ends_within_a_transaction_ends_it() -> None:
    coordinates = at()
    coordinates.begin()
    coordinates.rotate("b.2", 4)
    assert not coordinates.in_transaction
    assert coordinates.position().to_offset()["file"] == "b.2"


def test_a_rotation_leads_to_another_file() -> None:
    coordinates = at()
    coordinates.rotate("b.2", 4)
    position = coordinates.position()
    assert (position.file, position.pos) == ("b.2", 4)
    coordinates.ts_micros = 1_700_000_000_999_999
    assert coordinates.position().ts_sec == 1_700_000_000


@given(st.integers(4, 1 << 36), st.lists(st.integers(1, 1 << 30), max_size=20))
def test_positions_beyond_4_gb_are_known_from_the_last_32_bits(
    start: int, sizes: list[int]
) -> None:
    coordinates = at(BinlogPosition("b.1", start))
    for size in sizes:
        coordinates.move(start & 0xFFFFFFFF or 1, size)
        assert coordinates.pos in (start, start + 1)
        start += size
        if sizes:
            assert coordinates.position().pos == coordinates.pos + size


def test_a_heartbeat_behind_the_last_event_leads_nowhere_else() -> None:
    coordinates = at(BinlogPosition("b.1", 4))
    coordinates.move(5_000, 100)
    coordinates.move(5_060, 40)
    assert coordinates.position().pos == 5_100


@pytest.mark.parametrize(
    ("offset", "reason"),
    [
        ({"file": "binlog.000001"}, "has no 'pos'"),
        ({"pos": 4}, "has no 'file'"),
        ({"file": "binlog.000001", "pos": "x"}, "cannot be read"),
        ({"file": "binlog.000001", "pos": None}, "cannot be read"),
    ],
)
def test_a_damaged_offset_says_what_to_do(offset: dict[str, object], reason: str) -> None:
    with pytest.raises(StopError, match=reason) as caught:
        position_of(offset, is_mariadb=False)
    assert "DELETE /connectors/<name>/offsets" in caught.value.remedy
