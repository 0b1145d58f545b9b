"""Epochs: when a log is taken for another one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from connector.mysql.position.binlog_position import BinlogPosition, position_of
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.epoch import with_epoch

END = BinlogPosition("b.000009", 500)
KNOWN = BinlogPosition("b.000009", 400, epoch=3, server="one")


def test_the_first_log_is_number_0() -> None:
    found = with_epoch(END, None, END, "one")
    assert (found.epoch, found.server) == (0, "one")
    assert found.to_offset() == {
        "file": "b.000009", "pos": 500, "millrace_epoch": 0, "millrace_server": "one",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("end", "server", "epoch"),
    [
        (END, "one", 3),
        (BinlogPosition("b.000010", 4), "one", 3),
        (BinlogPosition("b.1000000", 4), "one", 3),  # not as text
        (BinlogPosition("other.000009", 400), "one", 3),
        (BinlogPosition("b.000009", 399), "one", 4),  # RESET BINARY LOGS
        (BinlogPosition("b.000001", 900), "one", 4),
        (END, "two", 4),
    ],
)
def test_another_server_or_positions_that_went_back_begin_an_epoch(
    end: BinlogPosition, server: str, epoch: int
) -> None:
    found = with_epoch(KNOWN, KNOWN, end, server)
    assert found == replace(KNOWN, epoch=epoch, server=server)


def test_a_position_of_debezium_goes_on_with_its_log() -> None:
    known = replace(KNOWN, epoch=0, server=None)
    assert with_epoch(known, known, END, "one").epoch == 0
    assert with_epoch(known, known, BinlogPosition("b.000001", 9), "one").epoch == 1


def test_an_offset_keeps_the_epoch() -> None:
    assert position_of(KNOWN.to_offset(), is_mariadb=False) == KNOWN
    assert Coordinates(KNOWN).position() == KNOWN


def test_a_file_with_a_lower_number_begins_an_epoch_while_streaming() -> None:
    at = Coordinates(KNOWN)
    places = []
    for file in ("b.000009", "b.000010", "b.000001", "b.000002"):
        at.rotate(file, 4)
        places.append(at.position_text[0])
    assert places == ["3/b.000009/4/", "3/b.000010/4/", "4/b.000001/4/", "4/b.000002/4/"]


def test_the_first_file_of_another_server_does_not_begin_a_second_epoch() -> None:
    at = Coordinates(replace(KNOWN, epoch=4, server="two"))
    at.begin_epoch()
    at.rotate("b.000002", 4)
    assert at.epoch == 4
    at.rotate("b.000001", 4)
    assert at.epoch == 5


def test_nothing_is_counted_unless_configured() -> None:
    at = Coordinates(BinlogPosition("b.000009", 4))
    at.rotate("b.000001", 4)
    assert at.position().to_offset() == {"file": "b.000001", "pos": 4}
