"""Chunks whose windows are marked by the GTIDs that the server has executed; nothing is written."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from connector.capture.change import Row
from connector.mysql.incremental.chunks import CapturedTables, ChunkOptions, MySqlChunks
from connector.mysql.position.binlog_position import BinlogPosition, Gtids, file_number
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.position.server_log import binlog_end, executed_gtids, log_end, purged_gtids
from connector.mysql.session.connection import Connection
from connector.mysql.source_block import GTID_SLOT

log = logging.getLogger(__name__)

_ATTEMPTS: Final = 5
_PAUSE: Final = 0.01  # seconds between attempts
_SILENCE: Final = 60.0  # seconds between two lines of the log


class GtidChunks(MySqlChunks):
    """A `connector.capture.incremental.read_only.PositionedChunks`.

    MySQL counts a transaction as executed after it is visible; but it sends it to replicas
    before. MariaDB counts it before, too.
    """

    def __init__(
        self,
        options: ChunkOptions,
        captured: CapturedTables,
        open_session: Callable[[], Connection],
        log_position: Callable[[], Coordinates | None],
    ) -> None:
        super().__init__(options, captured, open_session)
        self._log_position = log_position
        self._at: BinlogPosition | None = None
        self._streamed: Gtids = GtidSet()
        self._low: Gtids = GtidSet()
        self._high: Gtids = GtidSet()
        self._begun_is_unknown = False
        self._next_warning = 0.0

    def follow(self, streamed: BinlogPosition, last: Row | None) -> None:
        """Note the position, and the transaction of the last change, which may not be complete."""
        self._at = streamed
        gtids = streamed.gtids
        assert isinstance(gtids, (GtidSet, MariaDbGtidSet)), "the stream follows no GTIDs"
        self._streamed = gtids
        self._begun_is_unknown = last is None and streamed.in_group
        if last is not None and last[GTID_SLOT] is not None:
            begun = type(gtids)().with_all([last[GTID_SLOT]])
            if not gtids.contains(begun):
                self._streamed = gtids.with_all([last[GTID_SLOT]])

    def can_read(self) -> bool:
        """Take the first mark, as soon as the server has executed all that was streamed.

        A replica may lag behind the server that was streamed from before. Of a transaction that
        is continued after a restart the id is not known until another row of it comes.
        """
        if self._begun_is_unknown:
            return False
        for attempt in range(_ATTEMPTS):
            if attempt:
                time.sleep(_PAUSE)
            with self._connection() as session:
                if session.is_mariadb:
                    self._low = binlog_end(session)
                    visible = _is_visible(session)
                else:
                    self._low, visible = executed_gtids(session), True
            if visible and self._low.contains(self._streamed):
                return True
        if time.monotonic() >= self._next_warning:
            self._next_warning = time.monotonic() + _SILENCE
            log.warning(
                "The incremental snapshot waits: the server has not executed all transactions "
                "that were captured. Captured: %s; executed: %s",
                self._streamed,
                self._low,
            )
        return False

    def open_window(self, chunk: str) -> None:
        """Do nothing: the first mark is taken before."""

    def close_window(self, chunk: str) -> None:  # noqa: ARG002 - a protocol
        """Take the second mark: what the stream has to come to.

        Transactions that are not in the log, such as those of a restored backup, never come.
        """
        with self._connection() as session:
            if session.is_mariadb:
                self._high = binlog_end(session)
            else:
                self._high = executed_gtids(session).subtract(purged_gtids(session))

    def reflects(self, source: Row) -> bool:
        """Whether a change belongs to a transaction before the first mark."""
        gtid = source[GTID_SLOT]
        return gtid is not None and self._low.contains(type(self._low)().with_all([gtid]))

    def has_passed(self) -> bool:
        """Whether all transactions of the second mark were streamed completely."""
        assert self._at is not None
        gtids, high, captures = self._at.gtids, self._high, self._options.captures_gtid
        if isinstance(high, MariaDbGtidSet) and captures is not None:
            high = high.only(captures)
        return not isinstance(gtids, str) and gtids is not None and gtids.contains(high)

    def source_here(self) -> Row:
        """Return the source block of the position and the last transaction.

        The snapshot's tables replace the names. Debezium has the transaction by which it sees that
        the stream has passed the second mark.
        """
        assert self._at is not None
        log = self._log_position()
        assert log is not None, "windows are closed while the log is streamed"
        return self._source.at_position(self._at, log)


def _is_visible(session: Connection) -> bool:
    """Whether reads see everything that MariaDB's log has at this moment."""
    end = log_end(session)
    session.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
    rows = session.rows("SHOW STATUS LIKE 'binlog_snapshot_%'")
    session.execute("ROLLBACK")
    found = {str(name).lower(): str(value) for name, value in rows}
    file = found.get("binlog_snapshot_file", "")
    pos = int(found.get("binlog_snapshot_position") or 0)
    return (file_number(file), pos) >= (file_number(end.file), end.pos)
