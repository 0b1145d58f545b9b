"""What each error of the server means for a task: the one table of error codes."""

from __future__ import annotations

from typing import Final

from connector.errors import (
    AccessDeniedError,
    DatabaseUnavailableError,
    MillraceError,
    PositionLostError,
    ReadOnlyServerError,
    StopError,
    TableChangedError,
)
from connector.mysql.session.wire import ErrorPacket

NO_SUCH_TABLE: Final = 1146
NO_SUCH_COLUMN: Final = 1054
NO_CONNECTION_LEFT: Final = frozenset({1040, 1203, 1226})
"""The server, or the user, has as many connections as allowed."""
INVALID_OR_DENIED: Final = frozenset({1044, 1046, 1049, 1064, 1142, 1143, 1227})
"""A statement is wrong, or its user lacks a privilege: errors with the SQL states 42000 and 3D000
with which Debezium fails after ``heartbeat.action.query``."""

_LOG_FAILED: Final = 1236  # ER_MASTER_FATAL_ERROR_READING_BINLOG; its text says what happened
_DENIED: Final = (1044, 1045, 1142, 1143, 1227, 1698, 1820, 3118, 3955)
_UNAVAILABLE: Final = (
    1040,  # too many connections
    1053,  # server shutdown in progress
    1077,
    1080,
    1152,
    1158,
    1159,
    1160,
    1161,
    1184,
    1205,  # lock wait timeout
    1213,  # deadlock
    1317,  # the query was interrupted: by KILL, or by a shutdown
    1927,  # connection was killed (MariaDB)
    2002,
    2003,
    2006,
    2013,
    2055,
    3169,  # session was killed
    4031,  # disconnected because of inactivity
)
_READ_ONLY: Final = (
    1290,  # an option prevents it; for writes it is one of read_only
    1836,
)
_MEANINGS: Final[dict[int, type[MillraceError]]] = {
    **dict.fromkeys(_DENIED, AccessDeniedError),
    **dict.fromkeys(_UNAVAILABLE, DatabaseUnavailableError),
    **dict.fromkeys(_READ_ONLY, ReadOnlyServerError),
    1412: TableChangedError,  # ER_TABLE_DEF_CHANGED
}
_LOST_POSITION: Final = (
    "could not find first log file",
    "purged",
    "not in the binlog",
    "impossible position",
    "position > file size",
)


def statement_error(error: ErrorPacket) -> MillraceError:
    """Return the error of a statement. One that is not in the table stops the task."""
    return _MEANINGS.get(error.code, StopError)(_message(error))


def stream_error(error: ErrorPacket) -> MillraceError:
    """Return the error that ended a stream of the log.

    The task opens the stream again after one that is not in the table: a server that shuts down
    uses many.
    """
    message, lowered = _message(error), error.text.lower()
    if "server_uuid/server_id" in lowered:  # MySQL: 1236, MariaDB: 4052
        return StopError(message, "Give every connector a database.server.id of its own.")
    if error.code != _LOG_FAILED:
        return _MEANINGS.get(error.code, DatabaseUnavailableError)(message)
    if any(words in lowered for words in _LOST_POSITION):
        return PositionLostError(message)
    return DatabaseUnavailableError(message) if "net" in lowered else StopError(message)


def _message(error: ErrorPacket) -> str:
    return f"{error.text} (error {error.code})"
