"""Measures of the changes of one Kafka partition that show whether positions went back.

The time of a change is that of the source, or with ordering.mode=kafka that of its message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from sparksink.change_position import ChangePosition
from sparksink.state.table_result import PartitionEnd

_GOOD: Final = "__fault IS NULL"
_BY_OFFSET: Final = "__seq_hi = 0"
"""The condition of changes that Kafka's offsets order."""
# Rows of a snapshot have the position of its start: they may repeat at any time.
_STREAMED: Final = f"{_GOOD} AND ({_BY_OFFSET} OR (__streamed AND __op <> 'r'))"
_TIME: Final = f"CASE WHEN {_BY_OFFSET} THEN __timestamp ELSE __source_ts END"
_MICROS: Final = f"unix_micros({_TIME})"
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
    """A change of a batch; ``at`` is its time in microseconds."""

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
    """Return the aggregates of a few partitions, which take no second scan."""
    return [
        aggregate.alias(f"{name}_{partition}")
        for partition in partitions
        for name, aggregate in _aggregates(f"__partition = {partition} AND ").items()
    ]


def read_partitions(
    seen: Mapping[str, Any], partitions: Iterable[int]
) -> Mapping[int, PartitionMeasures]:
    """Return the measures of the partitions that have changes with a position and a time."""
    found = {
        partition: _measures({name: seen[f"{name}_{partition}"] for name in (*_MEASURES, "at")})
        for partition in partitions
    }
    return {partition: one for partition, one in found.items() if one is not None}


def measure_partitions(changes: DataFrame) -> Mapping[int, PartitionMeasures]:
    """Measure all partitions in a scan of their own."""
    aggregates = [aggregate.alias(name) for name, aggregate in _aggregates("").items()]
    rows = changes.groupBy("__partition").agg(*aggregates).collect()
    found = {row["__partition"]: _measures(row.asDict()) for row in rows}
    return {partition: one for partition, one in found.items() if one is not None}


def _aggregates(here: str) -> Mapping[str, Column]:
    where = f"{here}({_TIME}) IS NOT NULL AND "
    found = {
        name: f.expr(f"{function}(CASE WHEN {where}{which} THEN {sql} END).change")
        for name, (function, which, sql) in _MEASURES.items()
    }
    return {**found, "at": f.expr(f"max(CASE WHEN {where}{_GOOD} THEN {_MICROS} END)")}


def _measures(seen: Mapping[str, Any]) -> PartitionMeasures | None:
    first, highest, lowest, latest = (
        _change(seen[name]) for name in ("first", "highest", "lowest", "latest")
    )
    if not (first and highest):
        return None
    end = PartitionEnd(highest.position, seen["at"])
    return PartitionMeasures(first, highest, lowest, latest, end)


def _change(row: Any) -> MeasuredChange | None:
    if row is None:
        return None
    return MeasuredChange(ChangePosition(row["hi"], row["lo"]), row["offset"], row["at"])
