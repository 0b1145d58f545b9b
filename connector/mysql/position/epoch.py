"""Epochs: the number of the binlog that a position belongs to, from 0.

The number of a binlog file and a position in it order the changes of one binlog only. Another
server has another binlog, as after a failover, and RESET BINARY LOGS starts a new one. A stored
offset therefore has the epoch and the server. Debezium ignores these keys if it continues from
such an offset.
"""

from __future__ import annotations

from dataclasses import replace

from connector.mysql.position.binlog_position import BinlogPosition, file_number
from connector.mysql.session.connection import Connection


def server_of(connection: Connection) -> str:
    """Return the identity of the server; for MariaDB before 10.11.9 its server_id alone."""
    if not connection.is_mariadb:
        return connection.variable("server_uuid") or ""
    names = (connection.variable(name) for name in ("server_uid", "server_id"))
    return "/".join(filter(None, names))


def with_epoch(
    at: BinlogPosition, last: BinlogPosition | None, end: BinlogPosition, server: str
) -> BinlogPosition:
    """Return ``at`` with its epoch and server.

    :param last: the last known position, on any server; None at the very first.
    :param end: the end of the log of ``server``.
    """
    if last is None:
        return replace(at, epoch=0, server=server)
    epoch = (last.epoch or 0) + _is_in_another_log(last, end, server)
    return replace(at, epoch=epoch, server=server)


def _is_in_another_log(last: BinlogPosition, end: BinlogPosition, server: str) -> bool:
    """Whether a position belongs to another log than the one that ends at ``end``."""
    if last.server not in (None, server):
        return True
    return (file_number(end.file), end.pos) < (file_number(last.file), last.pos)
