"""The order of changes: binlog coordinates packed into two BIGINTs.

``hi = epoch · 2³² + number of the binlog file``, ``lo = pos · 2²² + row · 4 + rank``. Two changes
compare as (hi, lo) pairs. The clock takes no part: many changes share a millisecond, and it goes
back.

``rank`` orders what shares one coordinate: a change of key is a delete and a create of the same
row event, and a snapshot row loses to any event of the log at the position of the snapshot.
``epoch`` counts the binlogs: it grows when the numbering begins anew, as after a failover.
"""

from __future__ import annotations

from typing import Final, NamedTuple

POSITION_COLUMNS: Final = ("__seq_hi", "__seq_lo")
"""The columns of a place."""

OPERATION_RANKS: Final = {"r": 0, "d": 1, "t": 1, "c": 2, "u": 2}
"""Operation → its place among those of one coordinate."""

ROW_LIMIT: Final = 1 << 20
POS_LIMIT: Final = 1 << 41
_FILE_LIMIT: Final = 1 << 32
_EPOCH_LIMIT: Final = 1 << 31


class ChangePosition(NamedTuple):
    """A place in the order of all changes of one source."""

    hi: int
    lo: int

    def __str__(self) -> str:
        """Return epoch, number of the binlog file, and position; by Kafka's order the offset."""
        if not self.hi:
            return str(self.lo)
        return f"{self.hi // _FILE_LIMIT}/{self.hi % _FILE_LIMIT}/{self.lo >> 22}"


BEGINNING: Final = ChangePosition(-1, -1)
"""Before every change."""


def pack(epoch: int, file: str, pos: int, row: int, operation: str) -> ChangePosition | None:
    """Pack a coordinate; None where a part is missing or too large, which is never wrapped."""
    digits = file.rpartition(".")[2]
    if not (digits.isascii() and digits.isdigit() and int(digits) < _FILE_LIMIT):
        return None
    if not (0 <= epoch < _EPOCH_LIMIT and 0 <= pos < POS_LIMIT and 0 <= row < ROW_LIMIT):
        return None
    return ChangePosition(
        (epoch << 32) + int(digits), (pos << 22) + (row << 2) + OPERATION_RANKS[operation]
    )


def hi_sql(epoch: str, file: str) -> str:
    """Return SQL of the first half, as `pack`; ``epoch`` and ``file`` are SQL."""
    number = f"try_cast(substring_index({file}, '.', -1) AS BIGINT)"
    return (
        f"CASE WHEN {number} BETWEEN 0 AND {_FILE_LIMIT - 1}"
        f" AND {epoch} BETWEEN 0 AND {_EPOCH_LIMIT - 1}"
        f" THEN shiftleft(CAST({epoch} AS BIGINT), 32) + {number} END"
    )


def lo_sql(pos: str, row: str, operation: str) -> str:
    """Return SQL of the second half, as `pack`; the arguments are SQL."""
    ranks = " ".join(f"WHEN '{name}' THEN {rank}L" for name, rank in OPERATION_RANKS.items())
    return (
        f"CASE WHEN {pos} BETWEEN 0 AND {POS_LIMIT - 1} AND {row} BETWEEN 0 AND {ROW_LIMIT - 1}"
        f" THEN shiftleft({pos}, 22) + shiftleft(CAST({row} AS BIGINT), 2)"
        f" + CASE {operation} {ranks} END END"
    )


def newer_sql(left: str, right: str, hi: str = "__seq_hi", lo: str = "__seq_lo") -> str:
    """Return SQL that tells whether row ``left`` is later than row ``right``."""
    return (
        f"({left}.{hi} > {right}.{hi}"
        f" OR ({left}.{hi} = {right}.{hi} AND {left}.{lo} > {right}.{lo}))"
    )


def before_sql(sequence: ChangePosition, hi: str = "__seq_hi", lo: str = "__seq_lo") -> str:
    """Return SQL that tells whether a row lies before a place."""
    return f"({hi} < {sequence.hi} OR ({hi} = {sequence.hi} AND {lo} < {sequence.lo}))"
