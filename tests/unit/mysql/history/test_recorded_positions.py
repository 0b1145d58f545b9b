"""The order of binlog positions: which record comes before an offset."""

from __future__ import annotations

from typing import Any

import pytest

from connector.errors import HistoryError
from connector.mysql.position import position_of
from connector.mysql.recorded_positions import reached_by

A, B = "3e11fa47-71ca-11e1-9e33-c80aa9429562", "5bbad450-cfbd-11e5-84fb-021500000000"


def is_reached(recorded: dict[str, Any], desired: dict[str, Any], **options: Any) -> bool:
    mariadb = options.pop("is_mariadb", False)
    captures = options.pop("captures_gtid", None)
    wanted = position_of({"pos": 4, **desired}, is_mariadb=mariadb)
    return reached_by(wanted, captures, is_mariadb=mariadb)({"pos": 4, **recorded})


@pytest.mark.parametrize(
    ("recorded", "desired", "expected"),
    [
        ({"file": "b.000001", "pos": 9}, {"file": "b.000001", "pos": 9}, True),
        ({"file": "b.000001", "pos": 10}, {"file": "b.000001", "pos": 9}, False),
        ({"file": "b.000009", "pos": 99}, {"file": "b.000010", "pos": 4}, True),
        ({"file": "b.999999"}, {"file": "b.1000000"}, True),
        ({"file": "b.1", "event": 2}, {"file": "b.1", "event": 1}, False),
        ({"file": "b.1", "event": 1, "row": 1}, {"file": "b.1", "event": 1, "row": 1}, True),
        ({"file": "b.1", "gtids": f"{A}:1-5"}, {"file": "b.1", "gtids": f"{A}:1-5"}, True),
        ({"file": "b.9", "gtids": f"{A}:1-4"}, {"file": "b.1", "gtids": f"{A}:1-5"}, True),
        ({"file": "b.1", "gtids": f"{A}:1-6"}, {"file": "b.9", "gtids": f"{A}:1-5"}, False),
        ({"file": "b.1", "gtids": f"{A}:1-2,{B}:1"}, {"file": "b.1", "gtids": f"{A}:1-5"}, False),
        ({"file": "b.9"}, {"file": "b.1", "gtids": f"{A}:1"}, True),
        ({"file": "b.1", "gtids": f"{A}:1"}, {"file": "b.9"}, False),
        (
            {"file": "b.9", "server_id": 1, "ts_sec": 5},
            {"file": "b.1", "server_id": 2, "ts_sec": 6},
            True,
        ),
        (
            {"file": "b.1", "server_id": 1, "ts_sec": 7},
            {"file": "b.9", "server_id": 2, "ts_sec": 6},
            False,
        ),
    ],
)
def test_the_order_of_positions(
    recorded: dict[str, Any],
    desired: dict[str, Any],
    expected: bool,
) -> None:
    assert is_reached(recorded, desired) is expected


def test_sources_that_are_not_followed_do_not_count() -> None:
    recorded = {"file": "b.1", "gtids": f"{A}:1-5,{B}:1-9"}
    desired = {"file": "b.1", "gtids": f"{A}:1-5"}
    assert not is_reached(recorded, desired)
    assert is_reached(recorded, desired, captures_gtid=A.__eq__)


def test_mariadb_has_gtids_of_its_own() -> None:
    recorded = {"file": "b.1", "gtids": "0-1-5"}
    assert is_reached(recorded, {"file": "b.1", "gtids": "0-1-6"}, is_mariadb=True)
    assert not is_reached(recorded, {"file": "b.1", "gtids": "0-1-4"}, is_mariadb=True)


def test_what_is_no_binlog_file_is_an_error() -> None:
    with pytest.raises(HistoryError, match="no binlog file"):
        is_reached({"file": "nonsense"}, {"file": "b.1"})
