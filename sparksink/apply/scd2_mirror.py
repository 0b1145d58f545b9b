"""The mirror with all versions of each row and their validity (SCD type 2).

For each key the table stores the set of its changes with their positions, deletes included. The end
of a version follows from that set: the next change of its key, or the next boundary of the table (a
TRUNCATE, a new snapshot) if that comes first. Adding to a set is idempotent and commutative, so
batches may be repeated, interrupted between any two writes, or arrive in any order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from sparksink.apply import tracked_columns
from sparksink.apply.batch import TableBatch
from sparksink.apply.batch_measures import (
    BatchMeasures,
    is_snapshot_end,
    is_truncate,
    observe,
    read_measures,
)
from sparksink.apply.mirror import MirroredTable, TableMirror
from sparksink.change_position import POSITION_COLUMNS, ChangePosition, before_sql
from sparksink.errors import TableError
from sparksink.evolve.target_table import TargetTable
from sparksink.sql import quote_name, timestamp_literal
from sparksink.state.sink_state import SinkState
from sparksink.state.table_result import Boundary
from sparksink.tables import Merge

_END: Final = ("__end_hi", "__end_lo", "__end_at")
SCD2_COLUMNS: Final = {
    "__seq_hi": "bigint",
    "__seq_lo": "bigint",
    "__op": "string",
    "__start_at": "timestamp",
    "__end_hi": "bigint",
    "__end_lo": "bigint",
    "__end_at": "timestamp",
    "__current": "boolean",
}
"""The sink's columns; a delete is a version that ends where it starts, and is never current."""


class Scd2Mirror(TableMirror):
    """The versions of one table's rows."""

    def __init__(self, mirrored: MirroredTable, keys: tuple[str, ...]) -> None:
        super().__init__(mirrored)
        self._keys = keys

    def write(self, batch: TableBatch) -> BatchMeasures:
        """Add the changes of a batch, and end the versions before them."""
        changes = batch.changes_for(self.target)
        frame, observation = observe(changes, self._rules, None, batch.partitions)
        rows = self._deduplicate(frame).localCheckpoint()
        seen = read_measures(observation)
        batch.check(seen)
        known = self._state.boundaries(self._name)
        found = self._boundaries_in(changes, is_truncate(self._rules)) if seen.truncated else []
        if seen.ended:
            snapshots = self._boundaries_in(changes, is_snapshot_end(self._rules))
            found += batch.due(set(snapshots).difference(known))
        self._add(rows, {*known, *found})
        end_versions(self._name, self.target, found, self._state)
        return seen

    def _deduplicate(self, changes: DataFrame) -> DataFrame:
        once = Window.partitionBy(*self._key_columns(), *POSITION_COLUMNS).orderBy(
            f.desc("__offset")
        )
        rows = changes.where("__fault IS NULL AND __op <> 't'")
        rows = rows.withColumn("__n", f.row_number().over(once)).where("__n = 1")
        return rows.withColumn("__start_at", f.col("__source_ts"))

    def _boundaries_in(self, changes: DataFrame, which: Column) -> list[Boundary]:
        found = changes.where("__fault IS NULL").where(which)
        at = f.expr("unix_micros(__source_ts)").alias("at")
        rows = found.groupBy(*POSITION_COLUMNS).agg(f.max(at)).collect()
        return [Boundary(*row) for row in rows]

    def _add(self, rows: DataFrame, ends: Iterable[Boundary]) -> None:
        first = rows.agg(f.min(f.struct(*POSITION_COLUMNS)).alias("position")).collect()[0][
            "position"
        ]
        if first is None:
            return
        earliest = ChangePosition(*first)
        stored, follows = self._affected_versions(rows, earliest), self._rules.track_columns
        known = stored.select(*self._key_columns(), *POSITION_COLUMNS)
        if lost := [name for name in follows if name not in self.target.columns]:
            raise TableError(
                f"{self._name} has no column {lost[0]}, which mirror.track.columns names.",
                "Name columns of this table in an entry of tables, and run park replay.",
            )
        if follows:
            rows, known = (
                tracked_columns.as_versions(rows),
                tracked_columns.known_positions(stored, self._keys),
            )
        fresh = rows.join(known, [*self._keys, *POSITION_COLUMNS], "left_anti")
        columns = [f.col(quote_name(name)) for name in self.target.columns if name not in _END]
        blank = [f.lit(None).cast(SCD2_COLUMNS[name]).alias(name) for name in _END]
        given = [f.col(name) for name in _END]
        fresh = fresh.withColumn("__current", f.lit(None).cast("boolean"))
        line = fresh.select(*columns, *blank, f.lit(True).alias("__fresh")).unionByName(
            stored.select(*columns, *given, f.lit(False).alias("__fresh"))
        )
        if follows:
            line = tracked_columns.merge_versions(line, self._keys, follows, _first_after(ends))
        changed = self._end_versions(line, ends).select(
            *map(f.col, map(quote_name, self.target.columns))
        )
        bounds = f"(t.__end_hi IS NULL OR t.__end_hi >= {earliest.hi})"
        keys = (*self._keys, *POSITION_COLUMNS)
        how = Merge(keys, tuple(self.target.columns), deletes=False, ordered=False, bounds=bounds)
        self.target.table.merge(changed.localCheckpoint(), how)

    def _affected_versions(self, rows: DataFrame, earliest: ChangePosition) -> DataFrame:
        """Return the stored versions of the batch's keys that may change."""
        over = f"__end_hi IS NOT NULL AND {before_sql(earliest, '__end_hi', '__end_lo')}"
        keys = rows.select(*self._key_columns()).distinct()
        return self.target.table.read(keys).where(f"NOT ({over})")

    def _end_versions(self, line: DataFrame, ends: Iterable[Boundary]) -> DataFrame:
        """Return new versions, and versions with another end than before."""
        order = Window.partitionBy(*self._key_columns()).orderBy(*POSITION_COLUMNS)
        here = f.struct(
            f.col("__seq_hi").alias("hi"),
            f.col("__seq_lo").alias("lo"),
            f.col("__start_at").alias("at"),
        )
        following = f.lead(here).over(order)
        found = line.withColumn("__end", f.least(following, _first_after(ends)))
        found = found.withColumn(
            "__end", f.when(f.col("__op") == "d", here).otherwise(f.col("__end"))
        )
        same = "__end.hi <=> __end_hi AND __end.lo <=> __end_lo"
        found = found.where(f"__fresh OR NOT ({same})")
        for name, part in zip(_END, ("hi", "lo", "at"), strict=True):
            found = found.withColumn(name, f.col(f"__end.{part}"))
        return found.withColumn("__current", f.col("__end_hi").isNull())

    def _key_columns(self) -> list[Column]:
        return [f.col(quote_name(key)) for key in self._keys]


def end_versions(
    name: str, target: TargetTable, ends: Iterable[Boundary], state: SinkState
) -> None:
    """End all versions at some boundaries, and store these for late versions."""
    for end in set(ends).difference(state.boundaries(name)):
        if target.columns:
            later = f"NOT {before_sql(ChangePosition(end.hi, end.lo + 1), '__end_hi', '__end_lo')}"
            if tracked_columns.LAST[0] in target.columns:
                tracked_columns.split_versions(target, ChangePosition(end.hi, end.lo))
            target.table.run(
                f"UPDATE {{table}} SET __end_hi = {end.hi}, __end_lo = {end.lo},"  # noqa: S608 - numbers
                f" __end_at = {timestamp_literal(end.at)}, __current = false"
                f" WHERE {before_sql(ChangePosition(end.hi, end.lo))}"
                f" AND (__end_hi IS NULL OR {later})"
            )
        # The versions end first: in the other order a crash in between would keep them.
        state.add_boundary(name, end)


def _first_after(ends: Iterable[Boundary]) -> Any:
    """Return the first boundary after the position of a row."""
    kind = "struct<hi:bigint,lo:bigint,at:timestamp>"
    boundaries = ", ".join(
        f"struct({end.hi}L, {end.lo}L, "
        + ("CAST(NULL AS TIMESTAMP)" if end.at is None else f"timestamp_micros({end.at}L)")
        + ")"
        for end in sorted(set(ends), key=lambda end: end[:2])
    )
    later = "b.hi > __seq_hi OR (b.hi = __seq_hi AND b.lo > __seq_lo)"
    return f.expr(f"array_min(filter(CAST(array({boundaries}) AS array<{kind}>), b -> {later}))")
