"""What a server must be like for capturing; each fault comes with its remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from connector.capture.selection import Matches
from connector.errors import AccessDeniedError, StopError
from connector.mysql.connection import Connection
from connector.mysql.definitions import gtid_mode, log_files, purged
from connector.mysql.gtid import GtidSet, MariaDbGtidSet
from connector.mysql.position import BinlogPosition

G = TypeVar("G", GtidSet, MariaDbGtidSet)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that stands against capturing."""

    message: str
    remedy: str


def check_server(connection: Connection, *, is_mariadb: bool) -> None:
    """Refuse a server that cannot be captured.

    :raises StopError: naming the first problem.
    """
    for problem in problems(connection, is_mariadb=is_mariadb):
        raise StopError(problem.message, problem.remedy)


def problems(connection: Connection, *, is_mariadb: bool) -> Iterator[Problem]:
    """Yield what stands against capturing this server's log."""
    if connection.is_mariadb != is_mariadb:
        found, wanted = ("MariaDB", "MySQL") if connection.is_mariadb else ("MySQL", "MariaDB")
        name = "mariadb.MariaDbConnector" if connection.is_mariadb else "mysql.MySqlConnector"
        yield Problem(
            f"The server is {found} {connection.version}, not {wanted}.",
            f"Use connector.class=io.debezium.connector.{name}.",
        )
        return
    if (connection.variable("log_bin") or "").upper() != "ON":
        yield Problem(
            "The server does not write a binary log (log_bin=OFF).",
            "Start it with log_bin and server_id set.",
        )
    binlog_format = (connection.variable("binlog_format") or "ROW").upper()
    if binlog_format != "ROW":
        yield Problem(
            f"The server is not configured to use a ROW binlog_format (it is {binlog_format}), "
            "which is required for this connector to work properly.",
            "Set binlog_format=ROW and reconnect the applications that write.",
        )
    row_image = (connection.variable("binlog_row_image") or "FULL").upper()
    if row_image not in ("FULL", "NOBLOB"):
        yield Problem(
            f"The server is not configured to use a FULL binlog_row_image (it is {row_image}), "
            "which is required for this connector to work properly.",
            "Set binlog_row_image=FULL.",
        )


def can_resume(
    connection: Connection, at: BinlogPosition, captures_gtid: Matches | None = None
) -> bool:
    """Whether a start may continue at a position: the server knows it and all that follows."""
    known = True
    if isinstance(at.gtids, GtidSet) and at.gtids and gtid_mode(connection):
        known = _executed(connection).contains(_only(at.gtids, captures_gtid))
    elif isinstance(at.gtids, MariaDbGtidSet) and at.gtids:
        known = binlog_end(connection).contains(_only(at.gtids, captures_gtid))
    return known and still_has(connection, at, captures_gtid)


def still_has(
    connection: Connection, at: BinlogPosition, captures_gtid: Matches | None = None
) -> bool:
    """Whether the server's log still has everything after a position.

    A server that has not yet executed all that precedes it, such as a replica that lags behind
    the server before it, is no obstacle.
    """
    if isinstance(at.gtids, GtidSet) and at.gtids and gtid_mode(connection):
        gone = _only(purged(connection), captures_gtid)
        return at.gtids.contains(gone)
    if isinstance(at.gtids, MariaDbGtidSet) and at.gtids:
        return at.gtids.contains(_only(oldest_gtids(connection), captures_gtid))
    return at.file in log_files(connection)


def _only(gtids: G, captures_gtid: Matches | None) -> G:
    return gtids if captures_gtid is None else gtids.only(captures_gtid)


def _executed(connection: Connection) -> GtidSet:
    row = connection.row("SELECT @@global.gtid_executed")
    return GtidSet.parse(str(row[0])) if row else GtidSet()


def binlog_end(connection: Connection) -> MariaDbGtidSet:
    """Return the last transaction of each domain in MariaDB's log."""
    return MariaDbGtidSet.parse(connection.variable("gtid_binlog_pos") or "")


def oldest_gtids(connection: Connection) -> MariaDbGtidSet:
    """Return the transactions before the oldest file of MariaDB's log."""
    files = log_files(connection)
    if not files:
        return MariaDbGtidSet()
    row = connection.row("SELECT BINLOG_GTID_POS(%s, 4)", (files[0],))
    return MariaDbGtidSet.parse(str(row[0] or "")) if row else MariaDbGtidSet()


def check_privileges(connection: Connection) -> None:
    """Refuse a user who may not read the log.

    :raises AccessDeniedError: naming the privileges.
    """
    try:
        log_files(connection)
    except AccessDeniedError as error:
        raise AccessDeniedError(
            str(error),
            "Grant REPLICATION SLAVE and REPLICATION CLIENT (MariaDB: also BINLOG MONITOR) to "
            "the user.",
        ) from error
