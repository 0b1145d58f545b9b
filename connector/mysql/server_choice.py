"""Failover: which of several servers is captured.

After a lost connection the servers of ``database.hostname`` are tried, the present one first. A
server is captured if its log continues what was captured, which GTIDs decide: it has all these
transactions, and has purged none that came after them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from connector.capture.selection import Matches
from connector.errors import (
    DatabaseUnavailableError,
    MillraceError,
    PositionLostError,
    StopError,
    TransientError,
)
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.server_log import has_all_after, has_gtids, is_replicating, lacking
from connector.mysql.session.addresses import Address, Addresses
from connector.mysql.session.connection import Connection

log = logging.getLogger(__name__)

_REMEDY: Final = (
    "Let database.hostname name a server that has these transactions; or take a new snapshot if "
    "they are lost."
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a server is not captured; one that ``may_pass`` is asked again."""

    reason: str
    may_pass: bool = True


class ServerChoice:
    """Finds the server to capture; used by one thread.

    ``open_checked`` opens a session to a server, the present one of ``servers`` by default, and
    checks its settings.
    """

    def __init__(
        self,
        servers: Addresses,
        open_checked: Callable[[Address | None], Connection],
        captures_gtid: Matches | None,
    ) -> None:
        self._servers = servers
        self._open_checked = open_checked
        self._captures_gtid = captures_gtid
        self._followed = servers.current

    def connect(self) -> Connection:
        """Connect to the followed server, or to another one if it cannot be captured.

        :raises MillraceError: there is none.
        """
        self._servers.current = self._followed
        refusals: dict[Address, Refusal] = {}
        for address in (self._followed, *self._servers.others()):
            found = self._try(address)
            if isinstance(found, Connection):
                return found
            refusals[address] = found
        self._servers.current = self._followed
        raise _unavailable(refusals)

    def follow(self, connection: Connection, position: BinlogPosition) -> Connection:
        """Return a session to a server that continues a position; the given one if it does.

        Others are closed.

        :raises DatabaseUnavailableError: there is none at present.
        :raises PositionLostError: there is none, and there will not be one.
        """
        refusals: dict[Address, Refusal] = {}
        first = self._servers.current
        refusal = self._judge(connection, first, position)
        if refusal is None:
            return self._accept(connection)
        connection.close()
        refusals[first] = refusal
        for address in list(self._servers.others()):
            found = self._try(address)
            if isinstance(found, Connection):
                refusal = self._judge(found, address, position)
                if refusal is None:
                    return self._accept(found)
                found.close()
                found = refusal
            refusals[address] = found
        self._servers.current = self._followed
        raise _unavailable(refusals)

    def writable(self, position: BinlogPosition) -> Address | None:
        """Return another server that accepts writes and continues a position, None without one.

        Any thread may call this. It waits for servers that do not answer.
        """
        others = (one for one in self._servers if one != self._followed)
        return next((one for one in others if self._accepts_writes(one, position)), None)

    def switch_to(self, address: Address) -> None:
        """Connect to a server first, from the next connection on."""
        log.warning(
            "Server %s is read-only; switching to %s, which accepts writes.",
            self._followed,
            address,
        )
        self._followed = address

    def _accepts_writes(self, address: Address, position: BinlogPosition) -> bool:
        try:
            with closing(self._open_checked(address)) as connection:
                if (connection.variable("read_only") or "OFF").upper() not in ("OFF", "0"):
                    return False
                refusal = self._judge(connection, address, position)
        except MillraceError as error:
            log.debug("Cannot check whether server %s accepts writes: %s", address, error)
            return False
        return refusal is None

    def _accept(self, connection: Connection) -> Connection:
        if self._servers.current != self._followed:
            log.warning("Failover from %s to %s", self._followed, self._servers.current)
            self._followed = self._servers.current
        return connection

    def _try(self, address: Address) -> Connection | Refusal:
        self._servers.current = address
        try:
            return self._open_checked(None)
        except TransientError as error:
            return Refusal(str(error))
        except StopError as error:
            return Refusal(f"{error} {error.remedy}".strip(), may_pass=False)

    def _judge(
        self, connection: Connection, address: Address, position: BinlogPosition
    ) -> Refusal | None:
        """Return why a server does not continue a position; None if it does."""
        if not has_gtids(connection):
            return Refusal("it assigns no GTIDs, which several servers need", may_pass=False)
        gtids = position.with_gtids(is_mariadb=connection.is_mariadb).gtids
        if not gtids or isinstance(gtids, str):
            if address == self._followed:
                return None
            return Refusal("the position has no GTIDs: it belongs to the first server")
        if self._captures_gtid is not None:
            gtids = gtids.only(self._captures_gtid)
        missing = lacking(connection, gtids)
        if missing and is_replicating(connection):
            return Refusal(f"it has not executed {missing} yet")
        if missing:
            return Refusal(
                f"its history diverges: it does not have {missing}, which was captured, and "
                "replicates from no server",
                may_pass=False,
            )
        if not has_all_after(connection, position, self._captures_gtid):
            return Refusal("its log lacks transactions that were not captured", may_pass=False)
        if isinstance(gtids, GtidSet) and not _logs_what_it_replicates(connection):
            return Refusal("it does not log what it replicates", may_pass=False)
        return None


def with_unfinished(position: BinlogPosition, at: Coordinates | None) -> BinlogPosition:
    """Return a position with all transactions of which a part was captured.

    :param at: how far the last stream came, None before any.
    """
    gtids = None if at is None else at.position().gtids
    if at is None or gtids is None or isinstance(gtids, str):
        return position
    unfinished = at.unfinished_gtid
    return replace(position, gtids=gtids.with_all([unfinished] if unfinished else []))


def _logs_what_it_replicates(connection: Connection) -> bool:
    names = ("log_replica_updates", "log_slave_updates")
    found = next(filter(None, map(connection.variable, names)), "ON")
    return found.upper() == "ON" or not is_replicating(connection)


def _unavailable(refusals: Mapping[Address, Refusal]) -> MillraceError:
    """Return the error when no server can be captured."""
    each = "; ".join(f"{address}: {refusal.reason}" for address, refusal in refusals.items())
    text = f"No server of database.hostname can be captured: {each}"
    if any(refusal.may_pass for refusal in refusals.values()):
        return DatabaseUnavailableError(text)
    return PositionLostError(text, _REMEDY)
