"""What the log of a server holds: its end, its files, the transactions that were purged."""

from __future__ import annotations

import re
from typing import TypeVar

from connector.capture.selection import Matches
from connector.errors import StopError
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.session.connection import Connection

G = TypeVar("G", GtidSet, MariaDbGtidSet)
_GTID_EVENT = re.compile("SET @@SESSION.GTID_NEXT= '([^':]+:[^']+)'")


def log_end(connection: Connection) -> BinlogPosition:
    """Return the end of the server's log.

    :raises StopError: the server writes none.
    """
    status = _status(connection)
    if not status:
        raise StopError(
            "The server does not write a binary log.", "Start it with log_bin and server_id set."
        )
    executed = _executed_text(connection, status)
    return BinlogPosition(str(status["File"]), int(status["Position"]), executed)


def _status(connection: Connection) -> dict[str, str] | None:
    try:
        rows = connection.named_rows("SHOW BINARY LOG STATUS")
    except StopError:  # before MySQL 8.2
        rows = connection.named_rows("SHOW MASTER STATUS")
    return rows[0] if rows else None


def _executed_text(connection: Connection, status: dict[str, str]) -> str | None:
    if connection.is_mariadb:
        return connection.variable("gtid_binlog_pos") or None
    return str(status.get("Executed_Gtid_Set") or "").replace("\n", "") or None


def has_gtids(connection: Connection) -> bool:
    """Whether the server assigns GTIDs to transactions; MariaDB always does."""
    return connection.is_mariadb or (connection.variable("gtid_mode") or "").upper() == "ON"


def purged_gtids(connection: Connection) -> GtidSet:
    """Return the transactions that are not in MySQL's log any more."""
    row = connection.row("SELECT @@global.gtid_purged")
    return GtidSet.parse(str(row[0])) if row else GtidSet()


def executed_before(connection: Connection, file: str, pos: int) -> tuple[GtidSet, str | None]:
    """Return MySQL's transactions before a position of its log, and the one that has begun there.

    A file begins with those of the files before it. An id comes before its transaction, which is
    done if any event after the id ends before the position.
    """
    earlier, done, begun = GtidSet(), list[str](), None
    sql = f"SHOW BINLOG EVENTS IN {connection.literal(file)}"
    for _, _, kind, _, end, text in connection.each_row(sql):
        if int(end) > pos:
            break
        if kind == "Previous_gtids":
            earlier = GtidSet.parse(text)
        elif found := _GTID_EVENT.fullmatch(text):
            begun = found[1]
        elif begun is not None:
            done.append(begun)
            begun = None
    return earlier.with_all(done), begun


def log_files(connection: Connection) -> list[str]:
    """Return the files of the server's log, oldest first."""
    return [str(row[0]) for row in connection.rows("SHOW BINARY LOGS")]


def lacking(connection: Connection, gtids: GtidSet | MariaDbGtidSet) -> str:
    """Return which transactions a server does not have; an empty text if it has all.

    MariaDB's position names the last transaction of each domain only: another server may have
    others with the same numbers.
    """
    if isinstance(gtids, GtidSet):
        return str(gtids.subtract(executed_gtids(connection)))
    state = connection.variable("gtid_binlog_state") or ""
    last = {tuple(gtid.split("-")[:2]): int(gtid.split("-")[2]) for gtid in _members(state)}
    return ",".join(
        f"{domain}-{server}-{sequence}"
        for domain, (server, sequence) in gtids.domains().items()
        if last.get((str(domain), str(server)), 0) < sequence
    )


def is_replicating(connection: Connection) -> bool:
    """Whether a server applies transactions of another one; also if the user may not know that."""
    if connection.is_mariadb:
        row = connection.row("SHOW GLOBAL STATUS LIKE 'Slaves_running'")
        return row is None or int(row[1]) > 0
    try:
        row = connection.row(
            "SELECT COUNT(*) FROM performance_schema.replication_applier_status "
            "WHERE service_state = 'ON'"
        )
    except StopError:
        return True
    return row is None or int(row[0]) > 0


def _members(gtids: str) -> list[str]:
    return [gtid.strip() for gtid in gtids.split(",") if gtid.strip()]


def oldest_position(connection: Connection) -> BinlogPosition:
    """Return the position of the first event of the server's log.

    :raises StopError: the server writes none.
    """
    gtids: GtidSet | MariaDbGtidSet | None = None
    if connection.is_mariadb:
        gtids = oldest_gtids(connection)
    elif has_gtids(connection):
        gtids = purged_gtids(connection)
    files = log_files(connection)
    return BinlogPosition(files[0], 4, gtids) if files else log_end(connection)


def can_resume(
    connection: Connection, at: BinlogPosition, captures_gtid: Matches | None = None
) -> bool:
    """Whether a start may continue at a position: the server has it and all that follows."""
    is_known = True
    if isinstance(at.gtids, GtidSet) and at.gtids and has_gtids(connection):
        is_known = executed_gtids(connection).contains(_only(at.gtids, captures_gtid))
    elif isinstance(at.gtids, MariaDbGtidSet) and at.gtids:
        is_known = binlog_end(connection).contains(_only(at.gtids, captures_gtid))
    return is_known and has_all_after(connection, at, captures_gtid)


def has_all_after(
    connection: Connection, at: BinlogPosition, captures_gtid: Matches | None = None
) -> bool:
    """Whether the server's log still has everything after a position.

    The server need not have executed everything before the position yet: a replica may lag behind
    the previous server.
    """
    if isinstance(at.gtids, GtidSet) and at.gtids and has_gtids(connection):
        purged = _only(purged_gtids(connection), captures_gtid)
        return at.gtids.contains(purged)
    if isinstance(at.gtids, MariaDbGtidSet) and at.gtids:
        return at.gtids.contains(_only(oldest_gtids(connection), captures_gtid))
    return at.file in log_files(connection)


def _only(gtids: G, captures_gtid: Matches | None) -> G:
    return gtids if captures_gtid is None else gtids.only(captures_gtid)


def executed_gtids(connection: Connection) -> GtidSet:
    """Return the transactions that MySQL has executed; they are visible to reads."""
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
