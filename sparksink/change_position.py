"""The position of a change: binlog coordinates packed into two BIGINTs.

``hi = epoch · 2³² + number of the binlog file``, ``lo = pos · 2²² + row · 4 + rank``. Two changes
compare as (hi, lo) pairs. Timestamps are not compared: many changes share a millisecond, and
clocks go back.

``rank`` orders changes with the same coordinates: a change of key is a delete and a create of the
same row event, and a snapshot row comes before any binlog event at the position of the snapshot.
``epoch`` grows when the numbering of binlog files restarts, for example after a failover.

Rows from 2²⁰ on carry into ``pos``. The order remains: only the position header numbers rows that
far, by the bytes of a compressed transaction (``binlog_transaction_compression``). No compression
makes a transaction 2²⁰ times smaller, so the next position is larger.
"""

from __future__ import annotations

from typing import Final, NamedTuple

POSITION_COLUMNS: Final = ("__seq_hi", "__seq_lo")
"""The columns that hold a position."""

OPERATION_RANKS: Final = {"r": 0, "d": 1, "t": 1, "c": 2, "u": 2}
"""Operation → its rank among the changes with the same coordinates."""

ROW_LIMIT: Final = 1 << 40
POS_LIMIT: Final = 1 << 40
_FILE_LIMIT: Final = 1 << 32
_EPOCH_LIMIT: Final = 1 << 31


class ChangePosition(NamedTuple):
    """The position of a change among all changes of one source."""

    hi: int
    lo: int

    def __str__(self) -> str:
        """Return epoch/file number/binlog position, or the offset with ordering.mode=kafka."""
        if not self.hi:
            return str(self.lo)
        return f"{self.hi // _FILE_LIMIT}/{self.hi % _FILE_LIMIT}/{self.lo >> 22}"


BEGINNING: Final = ChangePosition(-1, -1)
"""Before every change."""


def pack(epoch: int, file: str, pos: int, row: int, operation: str) -> ChangePosition | None:
    """Pack coordinates; None if a part is missing or too large for its bits."""
    digits = file.rpartition(".")[2]
    if not (digits.isascii() and digits.isdigit() and int(digits) < _FILE_LIMIT):
        return None
    if not (0 <= epoch < _EPOCH_LIMIT and 0 <= pos < POS_LIMIT and 0 <= row < ROW_LIMIT):
        return None
    return ChangePosition(
        (epoch << 32) + int(digits), (pos << 22) + (row << 2) + OPERATION_RANKS[operation]
    )


def hi_sql(epoch: str, file: str) -> str:
    """Return SQL of the first half, as in `pack`; ``epoch`` and ``file`` are SQL."""
    number = f"try_cast(substring_index({file}, '.', -1) AS BIGINT)"
    return (
        f"CASE WHEN {number} BETWEEN 0 AND {_FILE_LIMIT - 1}"
        f" AND {epoch} BETWEEN 0 AND {_EPOCH_LIMIT - 1}"
        f" THEN shiftleft(CAST({epoch} AS BIGINT), 32) + {number} END"
    )


def lo_sql(pos: str, row: str, operation: str) -> str:
    """Return SQL of the second half, as in `pack`; the arguments are SQL."""
    ranks = " ".join(f"WHEN '{name}' THEN {rank}L" for name, rank in OPERATION_RANKS.items())
    return (
        f"CASE WHEN {pos} BETWEEN 0 AND {POS_LIMIT - 1} AND {row} BETWEEN 0 AND {ROW_LIMIT - 1}"
        f" THEN shiftleft({pos}, 22) + shiftleft(CAST({row} AS BIGINT), 2)"
        f" + CASE {operation} {ranks} END END"
    )


def newer_sql(left: str, right: str, hi: str = "__seq_hi", lo: str = "__seq_lo") -> str:
    """Return the SQL condition that row ``left`` is later than row ``right``."""
    return (
        f"({left}.{hi} > {right}.{hi}"
        f" OR ({left}.{hi} = {right}.{hi} AND {left}.{lo} > {right}.{lo}))"
    )


def before_sql(position: ChangePosition, hi: str = "__seq_hi", lo: str = "__seq_lo") -> str:
    """Return the SQL condition that a row is before a position."""
    return f"({hi} < {position.hi} OR ({hi} = {position.hi} AND {lo} < {position.lo}))"
