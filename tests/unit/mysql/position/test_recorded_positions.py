"""Which records of a schema history come before a position."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.errors import HistoryError
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.position.recorded_positions import DEFINES, recorded_before

A, B = "3e11fa47-71ca-11e1-9e33-c80aa9429562", "11111111-2222-3333-4444-555555555555"
COORDINATES = st.tuples(st.integers(1, 3), st.integers(4, 8), st.integers(0, 2), st.integers(0, 2))


def position(parts: tuple[int, int, int, int]) -> BinlogPosition:
    number, pos, event, row = parts
    return BinlogPosition(f"mysql-bin.{number:06d}", pos, event=event, row=row, server_id=1)


def is_reached(recorded: dict[str, Any], desired: BinlogPosition) -> bool:
    return recorded_before(desired, None, is_mariadb=False)(recorded)


@given(COORDINATES, COORDINATES)
def test_positions_are_ordered_by_file_position_event_and_row(
    recorded: tuple[int, int, int, int], desired: tuple[int, int, int, int]
) -> None:
    assert is_reached(position(recorded).to_offset(), position(desired)) == (recorded <= desired)


def test_files_are_ordered_by_number_and_not_by_text() -> None:
    desired = BinlogPosition("binlog.1000000", 4, server_id=1)
    recorded = {"file": "binlog.999999", "pos": 900, "server_id": 1}
    assert is_reached(recorded, desired)


def test_positions_without_gtids_are_compared_by_file_whatever_the_clocks_say() -> None:
    """Records of a snapshot have no ``server_id`` and the time of the connector's own clock."""
    desired = BinlogPosition("b.000001", 104, server_id=1, ts_sec=100)
    in_snapshot = {"file": "b.000001", "pos": 4, "ts_sec": 105, "snapshot": "INITIAL"}
    of_another_source = {"file": "b.000001", "pos": 90, "server_id": 2, "ts_sec": 101}
    behind = {"file": "b.000002", "pos": 4, "server_id": 2, "ts_sec": 99}
    assert is_reached(in_snapshot, desired)
    assert is_reached(of_another_source, desired)
    assert not is_reached(behind, desired)


def test_a_file_without_number_is_refused() -> None:
    with pytest.raises(HistoryError, match="'master'"):
        is_reached({"file": "master", "pos": 4}, BinlogPosition("b.000001", 4))


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 2), st.integers(0, 2))
def test_gtids_decide_where_both_have_them(
    recorded: int, desired: int, recorded_event: int, desired_event: int
) -> None:
    """The statement of a record with the same GTIDs is the next one: it is read again."""
    found = is_reached(
        {"file": "b.000009", "pos": 9, "gtids": f"{A}:1-{recorded}", "event": recorded_event},
        BinlogPosition("b.000001", 4, GtidSet.parse(f"{A}:1-{desired}"), desired_event),
    )
    assert found == (recorded < desired)


@pytest.mark.parametrize(("event", "reached"), [(3, False), (4, True)])
def test_a_signal_within_a_transaction_is_compared_without_annotations(
    event: int, reached: bool
) -> None:
    """Whether the server sends them differs between the run that recorded it and this one."""
    gtids = MariaDbGtidSet.parse("0-1-4")
    signal = BinlogPosition("b.000001", 104, gtids, event=6, row=1, annotations=2)
    desired = BinlogPosition("b.000001", 104, gtids, event=event, row=1)
    before = recorded_before(desired, None, is_mariadb=True)
    assert before(signal.recorded().to_offset()) == reached


def test_a_start_at_a_position_reads_no_statement_before_it_again() -> None:
    desired = BinlogPosition("b.000001", 104, GtidSet.parse(f"{A}:1-9"))
    by_position = recorded_before(desired, None, is_mariadb=False, by_gtids=False)
    assert by_position({"file": "b.000001", "pos": 104, "gtids": f"{A}:1-9"})
    assert not by_position({"file": "b.000001", "pos": 105, "gtids": f"{A}:1-9"})


def test_a_definition_found_by_its_rows_is_no_statement_that_is_read_again() -> None:
    desired = BinlogPosition("b.000001", 4, GtidSet.parse(f"{A}:1-9"))
    recorded = {"file": "b.000001", "pos": 4, "gtids": f"{A}:1-9"}
    assert not is_reached(recorded, desired)
    assert is_reached({**recorded, DEFINES: True}, desired)


def test_transactions_of_other_servers_are_not_before() -> None:
    desired = BinlogPosition("b.000001", 4, GtidSet.parse(f"{A}:1-9"))
    assert not is_reached({"file": "b.000001", "pos": 4, "gtids": f"{B}:1"}, desired)


def test_a_position_with_gtids_comes_after_all_without() -> None:
    with_gtids = BinlogPosition("b.000001", 4, GtidSet.parse(f"{A}:1"))
    without = BinlogPosition("b.000009", 99)
    assert is_reached(without.to_offset(), with_gtids)
    assert not is_reached(with_gtids.to_offset(), without)


def test_a_position_within_a_snapshot_is_not_reached_by_one_behind_it() -> None:
    in_snapshot = BinlogPosition("b.000001", 4, GtidSet.parse(f"{A}:1"), snapshot="INITIAL")
    behind = BinlogPosition("b.000001", 4, GtidSet.parse(f"{A}:1"))
    assert not is_reached(behind.to_offset(), in_snapshot)
    assert not is_reached(behind.to_offset(), behind)
    assert is_reached(in_snapshot.to_offset(), in_snapshot)
    assert is_reached(in_snapshot.to_offset(), behind)


def test_only_the_sources_that_are_followed_count() -> None:
    desired = BinlogPosition("b.000001", 4, GtidSet.parse(f"{A}:1-9"))
    recorded = {"file": "b.000001", "pos": 4, "gtids": f"{A}:1-5,{B}:1-99"}
    assert not is_reached(recorded, desired)
    assert recorded_before(desired, lambda source: source == A, is_mariadb=False)(recorded)


def test_positions_of_mariadb() -> None:
    desired = BinlogPosition("b.000001", 4, MariaDbGtidSet.parse("0-1-9"))
    test = recorded_before(desired, None, is_mariadb=True)
    assert test({"file": "b.000001", "pos": 4, "gtids": "0-2-8"})
    assert not test({"file": "b.000001", "pos": 4, "gtids": "0-2-10"})
    assert not test({"file": "b.000001", "pos": 4, "gtids": "0-2-8,1-1-1"})
