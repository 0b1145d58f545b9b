"""Which positions of a schema history come before another: Debezium's order of binlog positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from connector.capture.selection import Matches
from connector.errors import HistoryError
from connector.mysql.position.binlog_position import BinlogPosition, position_of
from connector.mysql.position.gtid import GtidSet, MariaDbGtidSet

Offset = Mapping[str, Any]

DEFINES: Final = "millrace_defines"
"""Key of a recorded position that is no statement's: a definition that was found by its rows."""


def reached_by(
    desired: BinlogPosition,
    captures_gtid: Matches | None,
    *,
    is_mariadb: bool,
    by_gtids: bool = True,
) -> Callable[[Offset], bool]:
    """Return the test whether a recorded statement is one that a start does not read again.

    :param by_gtids: the log is read behind a set of transactions, else behind a position of it.

    GTIDs decide where both have them. A position with GTIDs comes after all that have none:
    servers are switched to GTIDs and hardly ever back.
    """

    def is_reached(recorded: Offset) -> bool:
        at = position_of(recorded, is_mariadb=is_mariadb)
        if not by_gtids or not (desired.gtids or at.gtids):
            return _place(at) <= _place(desired)
        if not desired.gtids or not at.gtids:
            return not at.gtids
        if at.gtids == desired.gtids:
            # The transaction after these GTIDs is that of the statement: it is read again.
            return bool(at.snapshot or recorded.get(DEFINES))
        return _contains(desired, at, captures_gtid)

    return is_reached


def _contains(desired: BinlogPosition, at: BinlogPosition, captures_gtid: Matches | None) -> bool:
    """Whether the GTIDs of a position, of the sources that are followed, include another's."""
    wanted, recorded = desired.gtids, at.gtids
    assert isinstance(wanted, (GtidSet, MariaDbGtidSet))
    assert isinstance(recorded, (GtidSet, MariaDbGtidSet))
    if captures_gtid is not None:
        wanted, recorded = wanted.only(captures_gtid), recorded.only(captures_gtid)
    return wanted.contains(recorded)


def _place(at: BinlogPosition) -> tuple[int, int, int, int]:
    """Return what orders positions of one log.

    Debezium compares the times of positions with different ``server_id``. But those of a
    snapshot have none, and the clocks of a connector and of several servers differ.
    """
    number = at.file.rpartition(".")[2]
    if not number.isdigit():
        raise HistoryError(f"The schema history holds a position in {at.file!r}, no binlog file.")
    return int(number), at.pos, at.event, at.row
