"""The mirror that equals the source's table: the last change of each key wins.

For each key the table stores the change with the greatest position, for the table the greatest
watermark. A maximum is idempotent and commutative, so batches may be repeated, interrupted between
any two writes, or arrive in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from sparksink.apply.ambiguous_positions import NEWEST_FIRST, AmbiguousPositions
from sparksink.apply.batch import TableBatch
from sparksink.apply.batch_measures import BatchMeasures, observe, read_measures
from sparksink.apply.mirror import MirroredTable, TableMirror
from sparksink.change_position import ChangePosition, before_sql, newer_sql
from sparksink.decode.reading import META
from sparksink.evolve.target_table import TargetTable
from sparksink.sql import key_text_sql, quote_name, typed_literal
from sparksink.state.sink_state import SinkState
from sparksink.state.table_result import Boundary
from sparksink.tables import Merge

_BOUNDED: Final = ("tinyint", "smallint", "int", "bigint", "date", "string", "decimal")


def last_changes(changes: DataFrame, keys: Iterable[str]) -> DataFrame:
    """Keep the last change of each key."""
    order = map(f.desc, NEWEST_FIRST)
    window = Window.partitionBy(*(f.col(quote_name(key)) for key in keys)).orderBy(*order)
    rows = changes.where("__fault IS NULL AND __op <> 't'")
    return rows.withColumn("__n", f.row_number().over(window)).where("__n = 1").drop("__n")


def fold_changes(changes: DataFrame, keys: Iterable[str], columns: Iterable[str]) -> DataFrame:
    """Fold the changes of each key into one: of each column the last value that is not NULL.

    Changes count from the last one that is not an update, which has the whole row; ``__whole`` is
    true if there is one.
    """
    order = map(f.desc, NEWEST_FIRST)
    line = Window.partitionBy(*(f.col(quote_name(key)) for key in keys)).orderBy(*order)
    rows = changes.where("__fault IS NULL AND __op <> 't'").withColumn(
        "__all", f.expr("__op <> 'u'")
    )
    later = f.count(f.when(f.col("__all"), 1)).over(line.rowsBetween(Window.unboundedPreceding, -1))
    rows = rows.withColumn("__later", later).where("__later = 0").drop("__later")
    rest = line.rowsBetween(Window.currentRow, Window.unboundedFollowing)
    last = {name: f.first(f.col(quote_name(name)), ignorenulls=True).over(rest) for name in columns}
    whole = {"__whole": f.max("__all").over(rest), "__n": f.row_number().over(line)}
    return rows.withColumns({**last, **whole}).where("__n = 1").drop("__n", "__all")


def sweep_rows(
    name: str,
    target: TargetTable,
    position: ChangePosition,
    state: SinkState,
    *,
    soft: bool = False,
) -> None:
    """Remove all rows of a table from before a position; ``soft`` only marks them as deleted."""
    if position <= state.watermark(name):
        return
    if target.columns:
        # The rows are removed first: in the other order a crash in between would keep them.
        update = "UPDATE {table} SET __deleted = true WHERE NOT __deleted AND "
        remove = "DELETE FROM {table} WHERE "
        target.table.run(f"{update if soft else remove}{before_sql(position)}")
    state.raise_watermark(name, position)


def new_watermark(before: ChangePosition, seen: BatchMeasures, batch: TableBatch) -> ChangePosition:
    """Return the watermark after a batch.

    The end of a snapshot counts once all partitions that may have its rows are read.
    """
    position = max(before, seen.truncated or before)
    if seen.ended and seen.ended > position and batch.due([Boundary(*seen.ended, None)]):
        return seen.ended
    return position


class KeyedMirror(TableMirror):
    """The mirror of a table with keys; with ``keeps`` values that updates lack are kept."""

    def __init__(
        self, mirrored: MirroredTable, keys: tuple[str, ...], *, keeps: bool = False
    ) -> None:
        super().__init__(mirrored)
        self._keys = keys
        self._keeps = keeps

    def write(self, batch: TableBatch) -> BatchMeasures:
        """Apply the changes of a batch."""
        columns = self.target.columns
        changes = batch.changes_for(self.target)
        if self._rules.deletes == "ignore":
            changes = changes.where("__op <> 'd' OR __fault IS NOT NULL")
        frame, observation = observe(
            changes, self._rules, self._bound_by(columns), batch.partitions
        )
        positions = None
        if batch.ends is not None:
            positions = AmbiguousPositions(frame, self._keys, batch.ends)
            frame = positions.frame
        rows = self._one_change_per_key(frame, columns).localCheckpoint()
        seen = read_measures(observation)
        batch.check(seen)
        if positions is not None:
            positions.check(self._name)
        self._apply(rows, seen, columns, batch)
        return seen

    def _one_change_per_key(self, changes: DataFrame, columns: Iterable[str]) -> DataFrame:
        """Return one change of each key."""
        if self._keeps:
            return fold_changes(changes, self._keys, self._kept_columns(columns))
        return last_changes(changes, self._keys)

    def _kept_columns(self, columns: Iterable[str]) -> list[str]:
        """Return the columns whose values are kept: those of the source except the key."""
        others = {*self._keys, *META, "__deleted"}
        return [name for name in columns if name not in others] if self._keeps else []

    def _apply(
        self, rows: DataFrame, seen: BatchMeasures, columns: Mapping[str, str], batch: TableBatch
    ) -> None:
        before = self._state.watermark(self._name)
        watermark = new_watermark(before, seen, batch)
        soft = self._rules.truncate == "soft"
        gone, ended = "__op = 'd'", before_sql(watermark)
        if soft:  # late changes of truncated rows are kept as deleted
            gone = f"{gone} OR {ended}"
        else:
            rows = rows.where(f"NOT {ended}")
        living = self._drop_deleted(rows.withColumn("__deleted", f.expr(gone)), seen)
        if self._rules.deletes == "hard" and seen.last_delete:
            self._record_deletes(living, seen.last_delete, batch)
        if seen.highest and self.target.take_is_new():
            first = self._select_columns(living, columns)
            if self._rules.deletes != "soft":
                first = first.where("__op <> 'd'")
            writer = f"{batch.app}:mirror"
            self.target.table.append(first.select(*map(quote_name, columns)), writer, batch.number)
        elif seen.highest:
            self.target.table.merge(self._select_columns(living, columns), self._how(seen, columns))
        if watermark > before:
            sweep_rows(self._name, self.target, watermark, self._state, soft=soft)

    def _drop_deleted(self, rows: DataFrame, seen: BatchMeasures) -> DataFrame:
        """Drop changes of rows that were deleted later, unless all changes are newer."""
        first = seen.earliest
        if first is None or self._state.last_delete(self._name) < first:
            return rows
        buried = (
            self._state.table("tombstones")
            .read()
            .where(f.col("source_table") == self._name)
            .where(f"NOT {before_sql(first, 'seq_hi', 'seq_lo')}")
            .selectExpr("key AS __key", "seq_hi AS __seq_hi", "seq_lo AS __seq_lo")
        )
        keyed = rows.withColumn("__key", self._key_text())
        later = f.expr(f"change.__key = buried.__key AND {newer_sql('buried', 'change')}")
        rest = keyed.alias("change").join(buried.alias("buried"), later, "left_anti").drop("__key")
        # Delta refuses a write to the tombstones that also reads them when another table's deletes
        # are committed in between; tables are written concurrently.
        return rest.localCheckpoint()

    def _record_deletes(self, rows: DataFrame, last: ChangePosition, batch: TableBatch) -> None:
        deletes = rows.where("__op = 'd'").select(
            self._key_text().alias("key"),
            f.col("__seq_hi").alias("seq_hi"),
            f.col("__seq_lo").alias("seq_lo"),
        )
        self._state.record_deletes(
            self._name, deletes, last, f"{batch.app}:tombstones", batch.number
        )

    def _key_text(self) -> Column:
        return f.expr(key_text_sql(self._keys))

    def _select_columns(self, rows: DataFrame, columns: Mapping[str, str]) -> DataFrame:
        names = [*columns, "__whole"] if self._keeps else columns
        return rows.select(*(f.col(quote_name(name)) for name in names))

    def _how(self, seen: BatchMeasures, columns: Mapping[str, str]) -> Merge:
        soft = self._rules.deletes == "soft"
        bounds = self._bounds(seen, columns)
        names, kept = tuple(columns), self._kept_columns(columns)
        return Merge(self._keys, names, seen.deletes > 0, soft, bounds, kept=kept)

    def _bound_by(self, columns: Mapping[str, str]) -> str | None:
        """Return the key column by which files can be skipped."""
        first = self._keys[0]
        return first if columns[first].partition("(")[0] in _BOUNDED else None

    def _bounds(self, seen: BatchMeasures, columns: Mapping[str, str]) -> str:
        key = self._bound_by(columns)
        low, high = seen.bounds
        if key is None or low is None:
            return ""
        ends = [typed_literal(value, columns[key]) for value in (low, high)]
        return f"t.{quote_name(key)} BETWEEN {ends[0]} AND {ends[1]}"
