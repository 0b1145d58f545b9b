"""What is measured of the changes of a batch while they go by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as f

from sparksink.change_position import ChangePosition
from sparksink.config.keys import Mirror as Rules
from sparksink.spark_errors import SparkError
from sparksink.sql import quote_name

_COUNTED = ("c", "r", "u")


@dataclass(frozen=True, slots=True)
class BatchMeasures:
    """What went through one batch of a table; places are None where there was no such change.

    ``truncated`` is where the table was truncated, ``ended`` where a snapshot of it ended;
    ``earliest`` is the first change that is not a delete.
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
    streamed: ChangePosition | None
    first_ts: datetime | None
    source_ts: datetime | None
    bounds: tuple[Any, Any]


class ObservedChanges:
    """What is measured while changes are read once; reading them twice is dear."""

    def __init__(self, changes: DataFrame, measures: Sequence[Column]) -> None:
        self._changes = changes
        self._measures = measures
        self._observation = Observation()
        self.frame = changes.observe(self._observation, *measures)

    def values(self) -> Mapping[str, Any]:
        """Return what was measured; the frame must have been run.

        Where adaptive execution finds that no row is left, it drops a part of the plan with what
        was measured in it (SPARK-54620), and Spark fails to return it. The changes are read again
        then: they are no more than TRUNCATEs and faults.
        """
        try:
            found = self._observation.get
        except SparkError:
            found = {}
        return found or self._changes.agg(*self._measures).collect()[0].asDict()


def observe(changes: DataFrame, rules: Rules, key: str | None) -> tuple[DataFrame, ObservedChanges]:
    """Return the changes, which are measured as soon as they are read, and the measurements."""
    found = ObservedChanges(changes, _aggregates(rules, key))
    return found.frame, found


def _aggregates(rules: Rules, key: str | None) -> list[Column]:
    place = f.struct("__seq_hi", "__seq_lo")
    good = f.col("__fault").isNull()
    deleted = f.col("__op") == "d"
    streamed = good & f.col("__streamed")
    first = f.col(quote_name(key)) if key else f.lit(None)
    return [
        f.count(f.lit(1)).alias("changes"),
        f.count("__fault").alias("faults"),
        f.count(f.when(good & deleted, 1)).alias("deletes"),
        *(f.count(f.when(good & (f.col("__op") == op), 1)).alias(op) for op in _COUNTED),
        f.max(f.when(good & is_truncate(rules), place)).alias("truncated"),
        f.max(f.when(good & is_snapshot_end(rules), place)).alias("ended"),
        f.max(f.when(good, place)).alias("highest"),
        f.min(f.when(good & ~deleted, place)).alias("earliest"),
        f.max(f.when(good & deleted, place)).alias("last_delete"),
        f.max(f.when(streamed, place)).alias("streamed"),
        f.min(f.when(streamed, f.col("__source_ts"))).alias("first_ts"),
        f.max(f.when(good, f.col("__source_ts"))).alias("source_ts"),
        f.min(f.when(good, first)).alias("low"),
        f.max(f.when(good, first)).alias("high"),
    ]


def is_truncate(rules: Rules) -> Column:
    """Return the condition of a TRUNCATE, which ends all rows before it."""
    return f.col("__op") == "t" if rules.truncate != "ignore" else f.lit(False)


def is_snapshot_end(rules: Rules) -> Column:
    """Return the condition of the last row of a snapshot, in which all rows are that live on."""
    return f.col("__end") if rules.sweep else f.lit(False)


def read_measures(observation: ObservedChanges) -> BatchMeasures:
    """Return what an observation has seen; the frame must have been run."""
    return _from_row(observation.values())


def measure(changes: Sequence[DataFrame], rules: Rules) -> BatchMeasures:
    """Measure changes by themselves, where nobody who writes them has."""
    used = ("__fault", "__op", "__streamed", "__end", "__seq_hi", "__seq_lo", "__source_ts")
    every = reduce(DataFrame.unionByName, [one.select(*used) for one in changes])
    return _from_row(every.agg(*_aggregates(rules, None)).collect()[0].asDict())


def _from_row(seen: Mapping[str, Any]) -> BatchMeasures:
    places = {
        name: None if seen[name] is None else ChangePosition(*seen[name])
        for name in ("truncated", "ended", "highest", "earliest", "last_delete", "streamed")
    }
    return BatchMeasures(
        changes=seen["changes"],
        faults=seen["faults"],
        deletes=seen["deletes"],
        operations={"d": seen["deletes"], **{op: seen[op] for op in _COUNTED}},
        first_ts=seen["first_ts"],
        source_ts=seen["source_ts"],
        bounds=(seen["low"], seen["high"]),
        **places,
    )
