"""Positions: offset maps, and how they move from event to event."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.errors import ConfigError
from connector.mysql.gtid import GtidSet, MariaDbGtidSet
from connector.mysql.position import BinlogPosition, Coordinates, position_of

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
)


@given(POSITIONS)
def test_a_position_is_stored_and_read_again(position: BinlogPosition) -> None:
    assert position_of(position.to_offset(), is_mariadb=False) == position


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
    coordinates = at(BinlogPosition("b.1", 100, None, 3, 2))
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


def test_without_gtids_a_transaction_is_named_by_its_place() -> None:
    coordinates = at(BinlogPosition("b.7", 4))
    coordinates.move(250, 30)
    coordinates.begin()
    assert coordinates.transaction_id == "file=b.7,pos=250"


def test_the_first_transaction_of_all_is_no_reason_to_read_the_whole_log() -> None:
    """Debezium stores the first GTID at once when there was none before."""
    coordinates = at(BinlogPosition("b.1", 4, GtidSet()))
    coordinates.start_gtid(f"{SERVER}:1")
    assert str(coordinates.position().gtids) == f"{SERVER}:1-1"


def test_a_rotation_leads_to_another_file() -> None:
    coordinates = at()
    coordinates.rotate("b.2", 4)
    position = coordinates.position()
    assert (position.file, position.pos) == ("b.2", 4)
    coordinates.ts_micros = 1_700_000_000_999_999
    assert coordinates.position().ts_sec == 1_700_000_000
