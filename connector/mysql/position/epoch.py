"""Epochs: which binlog a place is of, counted from 0.

The number of a binlog file and a position in it order the changes of one binlog only. Another
server has another one, as after a failover, and RESET BINARY LOGS begins anew. A stored offset
therefore keeps the epoch and the server; Debezium, when it takes over an offset, reads the keys
that it knows and leaves these alone.
"""

from __future__ import annotations

from dataclasses import replace

from connector.mysql.position.binlog_position import BinlogPosition, file_number
from connector.mysql.session.connection import Connection


def server_of(connection: Connection) -> str:
    """Return what names the server that is read; of MariaDB before 10.11.9 its server_id alone."""
    if not connection.is_mariadb:
        return connection.variable("server_uuid") or ""
    names = (connection.variable(name) for name in ("server_uid", "server_id"))
    return "/".join(filter(None, names))


def numbered(
    at: BinlogPosition, known: BinlogPosition | None, end: BinlogPosition, server: str
) -> BinlogPosition:
    """Return ``at`` with its epoch and server.

    :param known: the last position that is known, of whichever server; None at the very first.
    :param end: the end of the log of ``server``.
    """
    if known is None:
        return replace(at, epoch=0, server=server)
    epoch = (known.epoch or 0) + _is_of_another(known, end, server)
    return replace(at, epoch=epoch, server=server)


def _is_of_another(known: BinlogPosition, end: BinlogPosition, server: str) -> bool:
    """Whether a position is not one of the log that ends at ``end``."""
    if known.server not in (None, server):
        return True
    return (file_number(end.file), end.pos) < (file_number(known.file), known.pos)
