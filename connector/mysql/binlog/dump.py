"""The dump command: from an ordinary session to a stream of binlog events.

The session says what it understands by user variables, as a replica does, and then sends
COM_BINLOG_DUMP or COM_BINLOG_DUMP_GTID (MySQL: sql/rpl_source.cc; MariaDB: sql/sql_repl.cc).
"""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from connector.errors import StopError
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.session.connection import Connection
from connector.mysql.session.connection_settings import ConnectionSettings

HEARTBEAT: Final = 5.0
"""Seconds after which the server shows that it is alive when it has nothing else to send."""

_COM_BINLOG_DUMP, _COM_BINLOG_DUMP_GTID = 0x12, 0x1E
_THROUGH_GTID, _SEND_ANNOTATIONS = 4, 2
_FIRST_POSITION: Final = 4
_LARGEST_POSITION: Final = (1 << 32) - 1
_GTID_CAPABILITY: Final = 4  # MARIA_SLAVE_CAPABILITY_GTID: MariaDB sends its events as they are


@dataclass(frozen=True, slots=True)
class DumpStart:
    """Where to start: behind a set of transactions, or at a position in a file.

    The command has room for 32 bits of a position. Behind that, the file is read from its
    beginning, and what lies before ``position`` is dropped by the reader.
    """

    file: str = ""
    position: int = _FIRST_POSITION
    gtids: GtidSet | MariaDbGtidSet | None = None

    @property
    def is_too_far(self) -> bool:
        """Whether the command has no room for the position."""
        return self.gtids is None and self.position > _LARGEST_POSITION

    @property
    def requested_position(self) -> int:
        """The position that is requested from the server."""
        starts_file = self.gtids is not None or self.is_too_far
        return _FIRST_POSITION if starts_file else self.position


class DumpConnection:
    """A session on which the server sends its log.

    ``checksums``: whether events end in one. ``id`` is the server's number of the session.
    """

    def __init__(
        self,
        settings: ConnectionSettings,
        start: DumpStart,
        server_id: int,
        *,
        annotations: bool = False,
    ) -> None:
        self._connection = connection = Connection(replace(settings, initial_statements=()))
        try:
            self.id = connection.id
            self.checksums = (connection.variable("binlog_checksum") or "NONE") != "NONE"
            is_mariadb = connection.is_mariadb
            for statement in _preparation(settings, start, connection):
                connection.execute(statement)
            flags = _SEND_ANNOTATIONS if annotations and is_mariadb else 0
            connection.send_command(*dump_command(start, server_id, flags))
        except BaseException:
            connection.close()
            raise
        self.socket: socket.socket = connection.socket

    def close(self) -> None:
        """Close the session."""
        self._connection.close()


def end_dump(connection: Connection, session: int) -> None:
    """End an earlier dump of this client, if the server has not noticed that it is over.

    As long as the server waits for a client that is gone to take what it sends, MariaDB lets a new
    dump of the same ``server_id`` wait, for ``net_write_timeout``.
    """
    for number, _, _, _, command, *_ in connection.rows("SHOW PROCESSLIST"):
        if int(number) == session and str(command).startswith("Binlog Dump"):
            with suppress(StopError):  # it has just ended
                connection.execute(f"KILL {session}")


def _preparation(
    settings: ConnectionSettings, start: DumpStart, connection: Connection
) -> list[str]:
    """Return the statements that come before the dump command."""
    statements = [
        "SET @master_binlog_checksum = @@global.binlog_checksum",
        f"SET @master_heartbeat_period = {int(HEARTBEAT * 1_000_000_000)}",
    ]
    if connection.is_mariadb:
        statements.append(f"SET @mariadb_slave_capability = {_GTID_CAPABILITY}")
    if isinstance(start.gtids, MariaDbGtidSet):
        state = connection.literal(str(start.gtids))
        statements += [
            f"SET @slave_connect_state = {state}",
            "SET @slave_gtid_strict_mode = 1",
            "SET @slave_gtid_ignore_duplicates = 0",
        ]
    timeouts = {"read": settings.log_read_timeout, "write": settings.log_write_timeout}
    statements += [
        f"SET SESSION net_{name}_timeout = {int(seconds)}"
        for name, seconds in timeouts.items()
        if seconds
    ]
    return statements


def dump_command(start: DumpStart, server_id: int, flags: int) -> tuple[int, bytes]:
    """Return the number of the command and its body.

    Behind a set of MySQL's GTIDs it is COM_BINLOG_DUMP_GTID; MariaDB knows its set from a
    user variable.
    """
    if isinstance(start.gtids, GtidSet):
        encoded = start.gtids.encode()
        return _COM_BINLOG_DUMP_GTID, b"".join(
            (
                (flags | _THROUGH_GTID).to_bytes(2, "little"),
                server_id.to_bytes(4, "little"),
                (0).to_bytes(4, "little"),  # no file name
                _FIRST_POSITION.to_bytes(8, "little"),
                len(encoded).to_bytes(4, "little"),
                encoded,
            )
        )
    return _COM_BINLOG_DUMP, b"".join(
        (
            start.requested_position.to_bytes(4, "little"),
            flags.to_bytes(2, "little"),
            server_id.to_bytes(4, "little"),
            b"" if start.gtids is not None else start.file.encode(),
        )
    )
