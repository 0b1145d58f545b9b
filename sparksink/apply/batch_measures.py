"""Measures of the changes of a batch, taken while they are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as f

from sparksink.apply.partition_measures import (
    PartitionMeasures,
    measure_partitions,
    partition_aggregates,
    read_partitions,
)
from sparksink.change_position import ChangePosition
from sparksink.config.table import Mirror as Rules
from sparksink.spark_errors import SparkError
from sparksink.sql import quote_name

_COUNTED = ("c", "r", "u")


@dataclass(frozen=True, slots=True)
class BatchMeasures:
    """The measures of a table in one batch; positions are None without such a change.

    ``truncated`` is the position of a TRUNCATE, ``ended`` of the end of a snapshot; ``earliest`` is
    the first change that is not a delete. ``partitions`` are measured if positions are checked.
    """

    changes: int
    faults: int
    deletes: int
    operations: Mapping[str, int]
    truncated: ChangePosition | None
    ended: ChangePosition | None
    highest: ChangePosition | None
    earliest: ChangePosition | None
    last_delete: ChangePosition | None
    source_ts: datetime | None
    bounds: tuple[Any, Any]
    partitions: Mapping[int, PartitionMeasures]


class ObservedChanges:
    """Changes that are measured while they are read, as reading them twice is expensive."""

    def __init__(
        self, changes: DataFrame, measures: Sequence[Column], partitions: Sequence[int]
    ) -> None:
        self.partitions = partitions
        self._changes = changes
        self._measures = measures
        self._observation = Observation()
        self.frame = changes.observe(self._observation, *measures)

    def values(self) -> Mapping[str, Any]:
        """Return the measures; the frame must have been run.

        If adaptive execution finds that no row is left, it drops a part of the plan with its
        measures (SPARK-54620), and Spark fails to return them. Then the changes are read again:
        they are only TRUNCATEs and faults.
        """
        try:
            found = self._observation.get
        except SparkError:
            found = {}
        return found or self._changes.agg(*self._measures).collect()[0].asDict()


def observe(
    changes: DataFrame, rules: Rules, key: str | None, partitions: Sequence[int]
) -> tuple[DataFrame, ObservedChanges]:
    """Return the changes, which are measured when they are read, and the observation.

    :param partitions: the Kafka partitions that are measured.
    """
    aggregates = [*_aggregates(rules, key), *partition_aggregates(partitions)]
    found = ObservedChanges(changes, aggregates, partitions)
    return found.frame, found


def _aggregates(rules: Rules, key: str | None) -> list[Column]:
    position = f.struct("__seq_hi", "__seq_lo")
    good = f.col("__fault").isNull()
    deleted = f.col("__op") == "d"
    first = f.col(quote_name(key)) if key else f.lit(None)
    return [
        f.count(f.lit(1)).alias("changes"),
        f.count("__fault").alias("faults"),
        f.count(f.when(good & deleted, 1)).alias("deletes"),
        *(f.count(f.when(good & (f.col("__op") == op), 1)).alias(op) for op in _COUNTED),
        f.max(f.when(good & is_truncate(rules), position)).alias("truncated"),
        f.max(f.when(good & is_snapshot_end(rules), position)).alias("ended"),
        f.max(f.when(good, position)).alias("highest"),
        f.min(f.when(good & ~deleted, position)).alias("earliest"),
        f.max(f.when(good & deleted, position)).alias("last_delete"),
        f.max(f.when(good, f.col("__source_ts"))).alias("source_ts"),
        f.min(f.when(good, first)).alias("low"),
        f.max(f.when(good, first)).alias("high"),
    ]


def is_truncate(rules: Rules) -> Column:
    """Return the condition of a TRUNCATE, which ends all rows before it."""
    return f.col("__op") == "t" if rules.truncate != "ignore" else f.lit(False)


def is_snapshot_end(rules: Rules) -> Column:
    """Return the condition of the last row of a snapshot, which has all living rows."""
    return f.col("__end") if rules.sweep else f.lit(False)


def read_measures(observation: ObservedChanges) -> BatchMeasures:
    """Return the measures of an observation; the frame must have been run."""
    return _from_row(observation.values(), observation.partitions)


def measure(changes: Sequence[DataFrame], rules: Rules, *, partitions: bool) -> BatchMeasures:
    """Measure persisted changes, with their ``partitions`` if positions are checked."""
    used = ("__fault", "__op", "__streamed", "__end", "__seq_hi", "__seq_lo", "__source_ts")
    columns = (*used, "__partition", "__offset", "__timestamp")
    every = reduce(DataFrame.unionByName, [one.select(*columns) for one in changes])
    found = _from_row(every.agg(*_aggregates(rules, None)).collect()[0].asDict(), ())
    return replace(found, partitions=measure_partitions(every)) if partitions else found


def _from_row(seen: Mapping[str, Any], partitions: Sequence[int]) -> BatchMeasures:
    positions = {
        name: None if seen[name] is None else ChangePosition(*seen[name])
        for name in ("truncated", "ended", "highest", "earliest", "last_delete")
    }
    return BatchMeasures(
        changes=seen["changes"],
        faults=seen["faults"],
        deletes=seen["deletes"],
        operations={"d": seen["deletes"], **{op: seen[op] for op in _COUNTED}},
        source_ts=seen["source_ts"],
        bounds=(seen["low"], seen["high"]),
        partitions=read_partitions(seen, partitions),
        **positions,
    )
