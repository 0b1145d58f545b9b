"""Where a stream starts: in a file, or behind a set of transactions on any server that has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from connector.mysql.binlog.dump import DumpStart
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.position.server_log import (
    binlog_end,
    executed_before,
    oldest_gtids,
    purged_gtids,
)
from connector.mysql.session.connection import Connection

Captures = Callable[[str], bool]
"""Whether transactions of a source (MySQL) or a domain (MariaDB) are captured."""


def start_at_file(position: BinlogPosition) -> tuple[Coordinates, DumpStart]:
    """Start at a position in a file."""
    return Coordinates(position.without_gtids()), DumpStart(position.file, position.pos)


def start_behind_gtids(
    connection: Connection, position: BinlogPosition, captures: Captures | None
) -> tuple[Coordinates, DumpStart]:
    """Start behind the GTIDs of a position; without any, at its file."""
    if isinstance(position.gtids, MariaDbGtidSet):
        start = DumpStart(position.file, position.pos)
        if not position.gtids:
            return Coordinates(position), start
        gtids = _accepted_domains(connection, position.gtids, captures)
        return Coordinates(replace(position, gtids=gtids)), replace(start, gtids=gtids)
    assert isinstance(position.gtids, GtidSet)
    if not position.gtids:
        return _first_gtids(connection, position)
    done = position.gtids.union(_purged_of_unknown_sources(connection, position.gtids))
    return Coordinates(replace(position, gtids=done)), DumpStart(gtids=done)


def _accepted_domains(
    connection: Connection, done: MariaDbGtidSet, captures: Captures | None
) -> MariaDbGtidSet:
    """Return a position that MariaDB accepts although some domains are not followed.

    The server refuses a position that lacks a domain whose first transactions are purged, or
    that has a domain unknown to it. Purged transactions of excluded domains do not
    matter.
    """
    if captures is None:
        return done
    excluded = done.without(captures)
    is_known = binlog_end(connection).contains
    kept = done.only(captures).joined(excluded if is_known(excluded) else MariaDbGtidSet())
    return oldest_gtids(connection).without(captures).joined(kept)


def _first_gtids(connection: Connection, position: BinlogPosition) -> tuple[Coordinates, DumpStart]:
    """Begin to follow GTIDs at a position in a file: do not read earlier transactions again."""
    done, begun = executed_before(connection, position.file, position.pos)
    coordinates = Coordinates(replace(position, gtids=done))
    if begun is not None:
        coordinates.start_gtid(begun)
    return coordinates, DumpStart(position.file, position.pos)


def _purged_of_unknown_sources(connection: Connection, done: GtidSet) -> GtidSet:
    """Return the purged transactions of sources that a set of GTIDs does not have.

    Those sources are not captured, or the user does not want the position checked; the server
    refuses a position without them.
    """
    purged = purged_gtids(connection)
    return purged.of_sources(purged.sources() - done.sources())
