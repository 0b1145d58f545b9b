"""The mirror of a table without a key: each distinct row once, with its count.

Inserts and deletes add up in any order, but a sum is not idempotent: for the rows that a batch
changes it is computed again from the history, which has each message once. Redelivered events are
recognized by their position.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batch import TableBatch
from sparksink.apply.batch_measures import BatchMeasures, observe, read_measures
from sparksink.apply.keyed_mirror import new_watermark
from sparksink.apply.mirror import MirroredTable, TableMirror
from sparksink.change_position import BEGINNING, ChangePosition, before_sql
from sparksink.errors import TableError
from sparksink.evolve.target_table import TargetTable
from sparksink.sql import quote_name
from sparksink.tables import Merge

ROW_NAME_COLUMNS: Final = {"__row_name": "string", "__before_name": "string"}
"""Hashes of the row of a change, and of the row that an update has replaced."""

KEYLESS_COLUMNS: Final = {
    "__seq_hi": "bigint", "__seq_lo": "bigint", "__op": "string", "__source_ts": "timestamp",
    "__row_name": "string", "__count": "bigint",
}  # fmt: skip
"""The sink's columns: the last change of a row, its hash, and its count."""

_SIGNS: Final = """inline(CASE
    WHEN __op = 'd' THEN array(named_struct('name', __row_name, 'sign', -1L))
    WHEN __op = 'u' THEN array(named_struct('name', __row_name, 'sign', 1L),
                               named_struct('name', __before_name, 'sign', -1L))
    ELSE array(named_struct('name', __row_name, 'sign', 1L)) END) AS (name, sign)"""
# All rows of a snapshot have one position, and with ordering.mode=kafka partitions share them.
_ONCE: Final = """CASE WHEN __op = 'r' OR __seq_hi = 0
    THEN concat_ws('/', __topic, __partition, __offset)
    ELSE concat_ws('/', __seq_hi, __seq_lo) END AS once"""
_REGULAR: Final = "coalesce(__snapshot, '') <> 'incremental'"
_COLUMNS: Final = "keyless.columns"
Kinds = Mapping[str, str]


class KeylessMirror(TableMirror):
    """The keyless mirror of a table; its ``history`` is written first, ``most`` limits counts."""

    def __init__(self, mirrored: MirroredTable, history: TargetTable, most: int) -> None:
        super().__init__(mirrored)
        self._history = history
        self._most = most

    def write(self, batch: TableBatch) -> BatchMeasures:
        """Count the rows that a batch changes; after a TRUNCATE or snapshot, all rows."""
        frame, observation = observe(
            batch.changes_for(self.target), self._rules, None, batch.partitions
        )
        good = frame.where("__fault IS NULL AND __op <> 't'")
        touched = good.selectExpr(_SIGNS).select("name").distinct().localCheckpoint()
        seen = read_measures(observation)
        batch.check(seen)
        before = self._state.watermark(self._name)
        watermark = new_watermark(before, seen, batch)
        if watermark > before:
            touched = self._all().localCheckpoint()
        self._merge(self._count_rows(touched, watermark))
        if watermark > before:  # after the rows, as a crash would otherwise keep the old ones
            self._state.raise_watermark(self._name, watermark)
        return seen

    def sweep(self, position: ChangePosition) -> None:
        """Remove all rows from before a position."""
        if position > self._state.watermark(self._name):
            if self.target.columns:
                self._merge(self._count_rows(self._all().localCheckpoint(), position))
            self._state.raise_watermark(self._name, position)

    def _all(self) -> DataFrame:
        """Return the hashes of all former and present rows."""
        known = self.target.table.read().selectExpr("__row_name AS name")
        events = self._history.table.read().where("__op <> 't'").selectExpr(_SIGNS).select("name")
        return known.union(events).distinct()

    def _count_rows(self, touched: DataFrame, watermark: ChangePosition) -> DataFrame:
        """Return the rows with their present count, perhaps 0, and the last values."""
        values = [quote_name(name) for name in self.target.columns if name not in KEYLESS_COLUMNS]
        given = [name for name in values if name.strip("`") in self._history.columns]
        image = f"struct({', '.join(given)}) AS image"
        position = "struct(__seq_hi, __seq_lo, __source_ts) AS position"
        events = self._history.table.read().where("__op <> 't'")
        if watermark > BEGINNING:
            events = events.where(f"NOT {before_sql(watermark)}")
        events = events.where(f"__op <> 'r' OR ({self._counted_rows(watermark)})")
        signed = events.selectExpr(_ONCE, position, image, "__op AS op", _SIGNS)
        signed = signed.join(touched, "name", "left_semi").dropDuplicates(["once", "name", "sign"])
        sums = signed.groupBy("name").agg(
            f.sum("sign").alias("total"),
            f.max("position").alias("position"),
            f.max_by("image", f.when(f.col("sign") > 0, f.col("position"))).alias("image"),
            f.max_by("op", f.when(f.col("sign") > 0, f.col("position"))).alias("came"),
        )
        full = touched.join(sums, "name", "left")
        count = f"least(coalesce(total, 0L), {self._most}L)"
        return full.selectExpr(
            "name AS __row_name",
            f"{count} AS __count",
            f"CASE WHEN {count} > 0 THEN came ELSE 'd' END AS __op",
            "position.__seq_hi",
            "position.__seq_lo",
            "position.__source_ts",
            *(f"image.{name}" for name in given),
        )

    def _counted_rows(self, watermark: ChangePosition) -> str:
        """Return the SQL condition of the snapshot rows that count: those of one snapshot.

        That is the last complete one, whose end is the watermark, or while none is complete the
        first one. The rows of others, also of parts of the table, are counted already.

        :raises TableError: there are only rows of an incremental snapshot.
        """
        if watermark > BEGINNING:
            return _of_snapshot(watermark)
        rows = self._history.table.read().where("__op = 'r'")
        first, others = rows.agg(
            f.min(f.when(f.expr(_REGULAR), f.struct("__seq_hi", "__seq_lo"))),
            f.count(f.when(~f.expr(_REGULAR), 1)),
        ).collect()[0]
        if first is None and others:
            raise TableError(
                f"{self._name} has no key, so rows of an incremental snapshot may be counted"
                " already.",
                "Take a regular snapshot of the whole table, and run park replay.",
            )
        return _of_snapshot(ChangePosition(*first)) if first else "true"

    def _merge(self, rows: DataFrame) -> None:
        columns = tuple(name for name in self.target.columns if name in rows.columns)
        how = Merge(("__row_name",), columns, deletes=True, ordered=False)
        self.target.table.merge(rows.localCheckpoint(), how)


def _of_snapshot(position: ChangePosition) -> str:
    """Return the SQL condition of a snapshot's rows; without a binlog position each has its own."""
    here = f"__seq_hi = {position.hi} AND __seq_lo = {position.lo}"
    return f"{_REGULAR} AND (__seq_hi = 0 OR {here})"


def check_columns(
    name: str, target: TargetTable, shapes: Sequence[Kinds], filled: set[str]
) -> None:
    """Refuse a change of columns that changes the hashes of rows; columns that are NULL do not.

    :param shapes: the columns of the messages of one batch, name to type.
    :param filled: added columns that have a value in existing rows.
    :raises TableError: the columns change the hashes.
    """
    known = _named_columns(target) or {
        n: k for n, k in shapes[0].items() if all(n in s for s in shapes)
    }
    present = {column for shape in shapes for column in shape}
    other = known.keys() - present | (filled & (present - known.keys()))
    other |= {n for shape in shapes for n, kind in shape.items() if known.get(n, kind) != kind}
    if other:
        raise TableError(
            f"{name} has no key, so columns cannot be removed or changed:"
            f" {', '.join(sorted(other))}.",
            "Remove its mirror and its history, take a new snapshot, and run park replay.",
        )


def note_columns(target: TargetTable, shapes: Sequence[Kinds]) -> None:
    """Store the columns of the hashes."""
    known = _named_columns(target)
    for shape in shapes:
        known |= shape
    target.set_fact(_COLUMNS, json.dumps(known, sort_keys=True))


def _named_columns(target: TargetTable) -> dict[str, str]:
    found: dict[str, str] = json.loads(target.fact(_COLUMNS) or "{}")
    return found
