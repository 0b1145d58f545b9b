"""Which positions of a schema history come before another: Debezium's order of binlog positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from connector.capture.selection import Matches
from connector.errors import HistoryError
from connector.mysql.gtid import GtidSet, MariaDbGtidSet
from connector.mysql.position import BinlogPosition, position_of

Offset = Mapping[str, Any]


def reached_by(
    desired: BinlogPosition, captures_gtid: Matches | None, *, is_mariadb: bool
) -> Callable[[Offset], bool]:
    """Return the test whether a recorded position is at or before ``desired``.

    GTIDs decide where both have them. A position with GTIDs comes after all that have none:
    servers are switched to GTIDs and hardly ever back.
    """
    wanted = _Comparable(desired, captures_gtid)

    def is_reached(recorded: Offset) -> bool:
        at = _Comparable(position_of(recorded, is_mariadb=is_mariadb), captures_gtid)
        if wanted.gtids is None and at.gtids is None:
            return at.is_before_in_files(wanted)
        if wanted.gtids is None or at.gtids is None:
            return at.gtids is None
        return at.is_before_in_gtids(wanted)

    return is_reached


class _Comparable:
    """One position with its GTIDs reduced to the sources that are followed."""

    __slots__ = ("at", "gtids")

    def __init__(self, at: BinlogPosition, captures_gtid: Matches | None) -> None:
        self.at = at
        gtids = at.gtids or None
        assert not isinstance(gtids, str)
        if gtids is not None and captures_gtid is not None:
            gtids = gtids.only(captures_gtid)
        self.gtids: GtidSet | MariaDbGtidSet | None = gtids

    def is_before_in_gtids(self, other: _Comparable) -> bool:
        assert self.gtids is not None
        assert other.gtids is not None
        if self.gtids != other.gtids:
            return other.gtids.contains(self.gtids)
        if other.at.snapshot and not self.at.snapshot:
            return False
        return self.at.event <= other.at.event

    def is_before_in_files(self, other: _Comparable) -> bool:
        """Compare places in files; those of different servers can only be compared by time."""
        mine, others = self.at, other.at
        if mine.server_id != others.server_id:
            return (mine.ts_sec or 0) <= (others.ts_sec or 0)
        return _place(mine) <= _place(others)


def _place(at: BinlogPosition) -> tuple[int, int, int, int]:
    number = at.file.rpartition(".")[2]
    if not number.isdigit():
        raise HistoryError(f"The schema history holds a position in {at.file!r}, no binlog file.")
    return int(number), at.pos, at.event, at.row
