"""Measures of the changes of one Kafka partition that show whether binlog positions went back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as f

from sparksink.change_position import ChangePosition
from sparksink.state.table_result import PartitionEnd

_GOOD: Final = "__fault IS NULL"
# Rows of a snapshot have the position of its start: they may repeat at any time.
_STREAMED: Final = f"{_GOOD} AND __streamed AND __op <> 'r'"
_MICROS: Final = "unix_micros(__source_ts)"
_CHANGE: Final = (
    f"named_struct('hi', __seq_hi, 'lo', __seq_lo, 'offset', __offset, 'at', {_MICROS})"
)
_MEASURES: Final[Mapping[str, tuple[str, str, str]]] = {
    "first": ("min", _GOOD, f"struct(__offset AS rank, {_CHANGE} AS change)"),
    "lowest": ("min", _STREAMED, f"struct(__seq_hi, __seq_lo, __offset, {_CHANGE} AS change)"),
    "latest": ("max", _STREAMED, f"struct({_MICROS} AS at, -__offset, {_CHANGE} AS change)"),
    "highest": ("max", _GOOD, f"struct(__seq_hi, __seq_lo, -__offset, {_CHANGE} AS change)"),
}
"""Measure → aggregate function, condition and SQL: of equal ones the first by offset."""


class MeasuredChange(NamedTuple):
    """A change of a batch; ``at`` is the source's time in microseconds."""

    position: ChangePosition
    offset: int
    at: int


@dataclass(frozen=True, slots=True)
class PartitionMeasures:
    """The ``first`` change of a partition in a batch, that with the ``highest`` position, and,
    among the changes of the binlog, that with the ``lowest`` position and the ``latest`` time.
    """

    first: MeasuredChange
    highest: MeasuredChange
    lowest: MeasuredChange | None
    latest: MeasuredChange | None
    end: PartitionEnd


def partition_aggregates(partitions: Iterable[int]) -> list[Column]:
    """Return the aggregates of some partitions, which take no second scan."""
    return [
        aggregate.alias(f"{name}_{partition}")
        for partition in partitions
        for name, aggregate in _aggregates(partition).items()
    ]


def _aggregates(partition: int) -> Mapping[str, Column]:
    here = f"__partition = {partition} AND __source_ts IS NOT NULL"
    found = {
        name: f.expr(f"{function}(CASE WHEN {here} AND {which} THEN {sql} END).change")
        for name, (function, which, sql) in _MEASURES.items()
    }
    at = f.expr(f"max(CASE WHEN {here} AND {_GOOD} THEN {_MICROS} END)")
    return {**found, "at": at}


def read_partitions(
    seen: Mapping[str, Any], partitions: Iterable[int]
) -> Mapping[int, PartitionMeasures]:
    """Return the measures of the partitions that have changes with a position and a time."""
    found: dict[int, PartitionMeasures] = {}
    for partition in partitions:
        first, highest, lowest, latest = (
            _change(seen[f"{name}_{partition}"])
            for name in ("first", "highest", "lowest", "latest")
        )
        if first and highest:
            end = PartitionEnd(highest.position, seen[f"at_{partition}"])
            found[partition] = PartitionMeasures(first, highest, lowest, latest, end)
    return found


def _change(row: Any) -> MeasuredChange | None:
    if row is None:
        return None
    return MeasuredChange(ChangePosition(row["hi"], row["lo"]), row["offset"], row["at"])
