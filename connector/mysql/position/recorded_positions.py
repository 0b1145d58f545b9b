"""Compares positions recorded in a schema history: Debezium's order of binlog positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from connector.capture.history.record import RecordedPosition
from connector.capture.selection import Matches
from connector.errors import HistoryError
from connector.mysql.position.binlog_position import BinlogPosition, position_of
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet

DEFINES: Final = "millrace_defines"
"""Key of a recorded position that belongs to a resolved definition instead of a statement."""


def recorded_before(
    desired: BinlogPosition,
    captures_gtid: Matches | None,
    *,
    is_mariadb: bool,
    by_gtids: bool = True,
) -> Callable[[RecordedPosition], bool]:
    """Return the predicate of recorded positions that a start at ``desired`` does not read again.

    :param by_gtids: the log is read after a set of transactions, otherwise after a position of it.

    If both positions have GTIDs, these decide. A position with GTIDs comes after all that have
    none: servers are switched to GTIDs and rarely back.
    """

    def is_reached(recorded: RecordedPosition) -> bool:
        at = position_of(recorded, is_mariadb=is_mariadb)
        if not by_gtids or not (desired.gtids or at.gtids):
            return _order(at) <= _order(desired)
        if not desired.gtids or not at.gtids:
            return not at.gtids
        if at.gtids == desired.gtids:
            if at.row:  # of a signal in a row of the transaction after these GTIDs
                return _order_in_group(at) <= _order_in_group(desired)
            # The transaction after these GTIDs is that of the statement: it is read again.
            return bool(at.snapshot or recorded.get(DEFINES))
        return _contains(desired, at, captures_gtid)

    return is_reached


def _contains(desired: BinlogPosition, at: BinlogPosition, captures_gtid: Matches | None) -> bool:
    """Whether the GTIDs of a position, of the sources that are followed, include another's."""
    required, recorded = desired.gtids, at.gtids
    assert isinstance(required, (GtidSet, MariaDbGtidSet))
    assert isinstance(recorded, (GtidSet, MariaDbGtidSet))
    if captures_gtid is not None:
        required, recorded = required.only(captures_gtid), recorded.only(captures_gtid)
    return required.contains(recorded)


def _order_in_group(at: BinlogPosition) -> tuple[int, int]:
    """Return the sort key of positions in one group of events, with or without annotations."""
    return at.events_without_annotations, at.row


def _order(at: BinlogPosition) -> tuple[int, int, int, int]:
    """Return the sort key of positions in one log.

    Debezium compares the times of positions with different ``server_id``. But those of a
    snapshot have none, and the clocks of a connector and of several servers differ.
    """
    number = at.file.rpartition(".")[2]
    if not number.isdigit():
        raise HistoryError(
            f"The schema history has a position in {at.file!r}, which is not a binlog file."
        )
    return int(number), at.pos, *_order_in_group(at)
