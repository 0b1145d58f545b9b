"""The mirror of a table without a key: a row for each kind of row, with how many there are.

Rows without a key cannot be told apart, so they are counted. What came and what went adds up
whatever the order is, but a sum is not idempotent: it is taken anew, of all that the history has of
the rows that a batch has touched. In the history each message is once; an event that the connector
has told twice is known by its place.
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
from sparksink.change_position import BEGINNING, ChangePosition, before_sql
from sparksink.config.keys import Mirror as Rules
from sparksink.errors import TableError
from sparksink.evolve.target_table import TargetTable
from sparksink.sql import quote_name
from sparksink.state.sink_state import SinkState
from sparksink.tables import Merge

ROW_NAME_COLUMNS: Final = {"__row_name": "string", "__before_name": "string"}
"""What names the row of a change, and the row that an update has replaced."""

KEYLESS_COLUMNS: Final = {
    "__seq_hi": "bigint", "__seq_lo": "bigint", "__op": "string", "__source_ts": "timestamp",
    "__row_name": "string", "__count": "bigint",
}  # fmt: skip
"""The sink's columns: the last change of such a row, what names it, and how many there are."""

_SIGNS: Final = """inline(CASE
    WHEN __op = 'd' THEN array(named_struct('name', __row_name, 'sign', -1L))
    WHEN __op = 'u' THEN array(named_struct('name', __row_name, 'sign', 1L),
                               named_struct('name', __before_name, 'sign', -1L))
    ELSE array(named_struct('name', __row_name, 'sign', 1L)) END) AS (name, sign)"""
# All rows of a snapshot have one place, and by Kafka's order each partition has its own ones.
_ONCE: Final = """CASE WHEN __op = 'r' OR __seq_hi = 0
    THEN concat_ws('/', __topic, __partition, __offset)
    ELSE concat_ws('/', __seq_hi, __seq_lo) END AS once"""
_COLUMNS: Final = "bag.columns"
Kinds = Mapping[str, str]


class KeylessMirror:
    """The mirror of one table; ``history`` has been written before. ``most`` limits the counts."""

    def __init__(
        self,
        name: str,
        target: TargetTable,
        history: TargetTable,
        rules: Rules,
        state: SinkState,
        most: int,
    ) -> None:
        self.target = target
        self._name = name
        self._history = history
        self._rules = rules
        self._state = state
        self._most = most

    def write(self, batch: TableBatch) -> BatchMeasures:
        """Count the rows that a batch has touched; after a TRUNCATE or snapshot, all."""
        frame, observation = observe(batch.changes_for(self.target), self._rules, None)
        good = frame.where("__fault IS NULL AND __op <> 't'")
        touched = good.selectExpr(_SIGNS).select("name").distinct().localCheckpoint()
        seen = read_measures(observation)
        batch.check(seen)
        before = self._state.watermark(self._name)
        watermark = new_watermark(before, seen, batch)
        if watermark > before:
            touched = self._all().localCheckpoint()
        self._merge(self._counted(touched, watermark))
        if watermark > before:  # strictly after the rows, as else a crash would keep the old ones
            self._state.raise_watermark(self._name, watermark)
        return seen

    def sweep(self, place: ChangePosition) -> None:
        """Forget all rows from before a place, for good."""
        if place > self._state.watermark(self._name):
            if self.target.columns:
                self._merge(self._counted(self._all().localCheckpoint(), place))
            self._state.raise_watermark(self._name, place)

    def _all(self) -> DataFrame:
        """Return what names the rows that were or are."""
        known = self.target.table.read().selectExpr("__row_name AS name")
        events = self._history.table.read().where("__op <> 't'").selectExpr(_SIGNS).select("name")
        return known.union(events).distinct()

    def _counted(self, touched: DataFrame, watermark: ChangePosition) -> DataFrame:
        """Return the rows with their present number, 0 too; values are those of the last one."""
        values = [quote_name(name) for name in self.target.columns if name not in KEYLESS_COLUMNS]
        given = [name for name in values if name.strip("`") in self._history.columns]
        image = f"struct({', '.join(given)}) AS image"
        place = "struct(__seq_hi, __seq_lo, __source_ts) AS place"
        events = self._history.table.read().where("__op <> 't'")
        if watermark > BEGINNING:
            events = events.where(f"NOT {before_sql(watermark)}")
        signed = events.selectExpr(_ONCE, place, image, "__op AS op", _SIGNS)
        signed = signed.join(touched, "name", "left_semi").dropDuplicates(["once", "name", "sign"])
        sums = signed.groupBy("name").agg(
            f.sum("sign").alias("total"),
            f.max("place").alias("place"),
            f.max_by("image", f.when(f.col("sign") > 0, f.col("place"))).alias("image"),
            f.max_by("op", f.when(f.col("sign") > 0, f.col("place"))).alias("came"),
        )
        full = touched.join(sums, "name", "left")
        count = f"least(coalesce(total, 0L), {self._most}L)"
        return full.selectExpr(
            "name AS __row_name",
            f"{count} AS __count",
            f"CASE WHEN {count} > 0 THEN came ELSE 'd' END AS __op",
            "place.__seq_hi",
            "place.__seq_lo",
            "place.__source_ts",
            *(f"image.{name}" for name in given),
        )

    def _merge(self, rows: DataFrame) -> None:
        columns = tuple(name for name in self.target.columns if name in rows.columns)
        how = Merge(("__row_name",), columns, deletes=True, ordered=False)
        self.target.table.merge(rows.localCheckpoint(), how)


def check_columns(
    name: str, target: TargetTable, shapes: Sequence[Kinds], filled: set[str]
) -> None:
    """Refuse a change of columns after which rows would have other names; NULLs have no part.

    :param shapes: the columns of the messages of one batch, name to type.
    :param filled: columns which rows have values in that were there before.
    :raises TableError: it is one.
    """
    known = _named_columns(target) or {
        n: k for n, k in shapes[0].items() if all(n in s for s in shapes)
    }
    there = {column for shape in shapes for column in shape}
    other = known.keys() - there | (filled & (there - known.keys()))
    other |= {n for shape in shapes for n, kind in shape.items() if known.get(n, kind) != kind}
    if other:
        raise TableError(
            f"{name} has no key, and its rows cannot be followed where columns go or change:"
            f" {', '.join(sorted(other))}.",
            "Remove its mirror and its history, take a new snapshot, and run park replay.",
        )


def note_columns(target: TargetTable, shapes: Sequence[Kinds]) -> None:
    """Remember the columns that rows are named by."""
    known = _named_columns(target)
    for shape in shapes:
        known |= shape
    target.set_fact(_COLUMNS, json.dumps(known, sort_keys=True))


def _named_columns(target: TargetTable) -> dict[str, str]:
    found: dict[str, str] = json.loads(target.fact(_COLUMNS) or "{}")
    return found
