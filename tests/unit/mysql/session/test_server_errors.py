"""What errors of the server mean for a task."""

from __future__ import annotations

import pytest

from connector.errors import (
    AccessDeniedError,
    DatabaseUnavailableError,
    MillraceError,
    PositionLostError,
    StopError,
    TableChangedError,
)
from connector.mysql.session.server_errors import statement_error, stream_error
from connector.mysql.session.wire import read_error


def stream_error_of(code: int, message: str) -> MillraceError:
    packet = b"\xff" + code.to_bytes(2, "little") + b"#HY000" + message.encode()
    return stream_error(read_error(packet))


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
def test_a_stream_error_has_a_decision(code: int, error: type[MillraceError], message: str) -> None:
    found = stream_error_of(code, message)
    assert type(found) is error
    assert str(found) == f"{message} (error {code})"


def test_two_connectors_with_one_number_have_a_remedy() -> None:
    found = stream_error_of(1236, TWO_OF_ONE_NUMBER)
    assert "database.server.id" in found.remedy


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (1045, AccessDeniedError),
        (1205, DatabaseUnavailableError),
        (1412, TableChangedError),
        (1146, StopError),
    ],
)
def test_an_error_of_a_statement_has_a_decision(code: int, error: type[MillraceError]) -> None:
    packet = b"\xff" + code.to_bytes(2, "little") + b"#HY000no"
    found = statement_error(read_error(packet))
    assert (type(found), str(found)) == (error, f"no (error {code})")


def test_an_unknown_error_stops_a_statement_and_restarts_a_stream() -> None:
    assert type(statement_error(read_error(b"\xff\xff\xff#HY000new"))) is StopError
    assert type(stream_error_of(0xFFFF, "new")) is DatabaseUnavailableError
