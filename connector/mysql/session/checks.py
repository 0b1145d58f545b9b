"""Checks the settings of a server and the privileges of the user; each problem has a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from connector.errors import AccessDeniedError, StopError
from connector.mysql.session.connection import Connection


@dataclass(frozen=True, slots=True)
class Problem:
    """A setting of the server that prevents capturing."""

    message: str
    remedy: str


def check_server(connection: Connection, *, is_mariadb: bool) -> None:
    """Refuse a server that cannot be captured.

    :raises StopError: naming the first problem.
    """
    for problem in problems(connection, is_mariadb=is_mariadb):
        raise StopError(problem.message, problem.remedy)


def problems(connection: Connection, *, is_mariadb: bool) -> Iterator[Problem]:
    """Yield the problems that prevent capturing this server's log."""
    if connection.is_mariadb != is_mariadb:
        found, expected = ("MariaDB", "MySQL") if connection.is_mariadb else ("MySQL", "MariaDB")
        name = "mariadb.MariaDbConnector" if connection.is_mariadb else "mysql.MySqlConnector"
        yield Problem(
            f"The server is {found} {connection.version}, not {expected}.",
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


def check_gtids(connection: Connection, setting: str) -> None:
    """Refuse a server without GTIDs, by which chunks are marked because of a setting.

    :raises StopError: the server assigns none.
    """
    for problem in gtid_problems(connection, setting):
        raise StopError(problem.message, problem.remedy)


def gtid_problems(connection: Connection, setting: str) -> Iterator[Problem]:
    """Yield the problem of a server that assigns no GTIDs, which a setting needs.

    MariaDB always does.
    """
    mode = "ON" if connection.is_mariadb else (connection.variable("gtid_mode") or "").upper()
    if mode != "ON":
        yield Problem(
            f"{setting} needs GTIDs, but the server has gtid_mode={mode or 'OFF'}.",
            "Set gtid_mode=ON and enforce_gtid_consistency=ON, or change the setting.",
        )


def check_privileges(connection: Connection) -> None:
    """Refuse a user who may not read the log.

    :raises AccessDeniedError: naming the privileges.
    """
    try:
        connection.rows("SHOW BINARY LOGS")
    except AccessDeniedError as error:
        raise AccessDeniedError(
            str(error),
            "Grant REPLICATION SLAVE and REPLICATION CLIENT (MariaDB: also BINLOG MONITOR) to "
            "the user.",
        ) from error
