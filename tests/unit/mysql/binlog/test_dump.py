"""The commands that start a dump."""

from __future__ import annotations

import uuid

from hypothesis import given
from hypothesis import strategies as st

from connector.mysql.binlog.dump import DumpStart, dump_command
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet


@given(st.integers(4, (1 << 32) - 1), st.integers(1, (1 << 32) - 1))
def test_a_dump_from_a_position_in_a_file(position: int, server_id: int) -> None:
    number, body = dump_command(DumpStart("binlog.000007", position), server_id, 2)
    assert number == 0x12
    assert body == (
        position.to_bytes(4, "little")
        + b"\2\0"
        + server_id.to_bytes(4, "little")
        + b"binlog.000007"
    )


def test_a_position_beyond_4_gb_is_reached_from_the_beginning_of_its_file() -> None:
    _, body = dump_command(DumpStart("binlog.000007", (1 << 32) + 5), 9, 0)
    assert body[:4] == b"\4\0\0\0"


def test_a_dump_behind_a_set_of_transactions() -> None:
    server = uuid.UUID("3e11fa47-71ca-11e1-9e33-c80aa9429562")
    start = DumpStart("binlog.000007", 157, GtidSet.parse(f"{server}:1-5"))
    number, body = dump_command(start, 9, 0)
    gtids = (1).to_bytes(8, "little") + server.bytes + (1).to_bytes(8, "little")
    gtids += (1).to_bytes(8, "little") + (6).to_bytes(8, "little")
    head = b"\4\0" + (9).to_bytes(4, "little") + bytes(4) + (4).to_bytes(8, "little")
    assert number == 0x1E
    assert body == head + len(gtids).to_bytes(4, "little") + gtids


def test_mariadb_knows_its_gtids_before_the_dump() -> None:
    start = DumpStart("binlog.000007", 157, MariaDbGtidSet.parse("0-1-5"))
    assert dump_command(start, 9, 0) == (0x12, b"\4\0\0\0" + b"\0\0" + b"\x09\0\0\0")
