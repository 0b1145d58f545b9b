"""What the dump connection sends and how refusals of the server are understood."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.errors import (
    AccessDeniedError,
    DatabaseUnavailableError,
    MillraceError,
    PositionLostError,
    StopError,
)
from connector.mysql.binlog.dump import DumpStart, dump_command
from connector.mysql.binlog.reader import _end_of_large, _joined, _refusal
from connector.mysql.position.gtid import GtidSet, MariaDbGtidSet

WHOLE = 0xFFFFFF


def packets(event: bytes) -> bytes:
    """Cut a packet's body, which starts with a zero byte, into pieces of at most 16 MB."""
    body = b"\0" + event
    pieces = [body[start : start + WHOLE] for start in range(0, len(body) + 1, WHOLE)]
    return b"".join(
        len(piece).to_bytes(3, "little") + bytes([number]) + piece
        for number, piece in enumerate(pieces)
    )


@pytest.mark.parametrize("size", [WHOLE - 1, WHOLE, 2 * WHOLE - 1, 2 * WHOLE + 5])
def test_a_large_event_is_joined_from_its_packets(size: int) -> None:
    event = b"e" * size
    data = b"front" + packets(event)
    end = _end_of_large(data + b"behind", 5)
    assert end == len(data)
    assert _joined(data + b"behind", 5, end) == event


def test_a_large_event_waits_for_its_last_packet() -> None:
    data = packets(b"e" * (WHOLE + 100))
    known = 0
    for have in (4, WHOLE + 4, WHOLE + 8, len(data) - 1):
        needed = _end_of_large(data[:have], 0)
        assert have < needed <= len(data)
        assert needed >= known
        known = needed
    assert _end_of_large(data, 0) == len(data)


def refused(code: int, message: str) -> MillraceError:
    return _refusal(b"\xff" + code.to_bytes(2, "little") + b"#HY000" + message.encode())


TWO_OF_ONE_NUMBER = "A slave with the same server_uuid/server_id as this slave has connected"


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        (1236, PositionLostError, "Could not find first log file name in binary log index file"),
        (1236, PositionLostError, "Cannot replicate because the source purged required logs"),
        (1236, PositionLostError, "Client requested to start from impossible position"),
        (1236, PositionLostError, "the GTID is not in the binlog of this server"),
        (1236, StopError, TWO_OF_ONE_NUMBER),
        (4052, StopError, TWO_OF_ONE_NUMBER),
        (1236, StopError, "log event entry exceeded max_allowed_packet"),
        (1227, AccessDeniedError, "Access denied; you need the REPLICATION SLAVE privilege"),
        (1045, AccessDeniedError, "Access denied for user"),
        (1053, DatabaseUnavailableError, "Server shutdown in progress"),
    ],
)
def test_a_refusal_has_a_decision(code: int, error: type[MillraceError], message: str) -> None:
    found = refused(code, message)
    assert type(found) is error
    assert str(found) == f"{message} (error {code})"


def test_the_remedy_of_two_connectors_with_one_number_is_told() -> None:
    found = refused(1236, TWO_OF_ONE_NUMBER)
    assert "database.server.id" in found.remedy


def test_the_end_of_the_stream_passes() -> None:
    assert isinstance(_refusal(b"\xfe\0\0\2\0"), DatabaseUnavailableError)


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
