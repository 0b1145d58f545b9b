"""Writes histories: every change once, by appending only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as f

from sparksink.apply.batch import TableBatch
from sparksink.apply.dead_letters import REPLAY_PREFIX, REPLAYS
from sparksink.change_position import ChangePosition
from sparksink.config.table import History as Rules
from sparksink.decode.reading import MESSAGE
from sparksink.evolve.target_table import TargetTable
from sparksink.sql import quote_name
from sparksink.state.history_positions import Partition
from sparksink.state.sink_state import SinkState

_STREAMED = "__streamed AND __op <> 'r'"
"""Events of the binlog: rows of a snapshot have no order."""
_MICROS = "unix_micros(__timestamp)"
_MESSAGE: Final = tuple(f"__{name}" for name in MESSAGE)


class ReplayFilter:
    """Recognizes messages that a history has, by partition, offset and time.

    After the loss of a checkpoint, and when stored messages are replayed, messages arrive again
    under another batch name. By the time they differ from those of a topic that was created again,
    whose offsets restart.

    A stream reads each partition in order, so it is compared with the last message of the history.
    Stored messages may be older than messages that the history has, so each one is compared.
    """

    def __init__(self, target: TargetTable, state: SinkState) -> None:
        self._target = target
        self._state = state
        self._ends: list[Row] | None = None

    def drop_earlier(self, rows: DataFrame, app: str) -> DataFrame:
        """Return rows without those of such messages; the history is rarely read."""
        if app.startswith(REPLAYS):
            return self._drop_stored(rows)
        if self._state.streams() == {app}:
            return rows
        if self._ends is None:
            known = self._target.table.read().groupBy("__topic", "__partition")
            self._ends = known.agg(f.max("__offset"), f.max(f.expr(_MICROS))).collect()
        for topic, partition, offset, micros in self._ends:
            is_partition = (f.col("__topic") == topic) & (f.col("__partition") == partition)
            earlier = (f.col("__offset") <= offset) & (f.expr(_MICROS) <= micros)
            rows = rows.where(~(is_partition & earlier))
        return rows

    def _drop_stored(self, rows: DataFrame) -> DataFrame:
        """Return rows without those of messages of which the history has a row."""
        known = self._target.table.read().select(*map(f.col, _MESSAGE)).alias("known")
        same = (f.col(f"new.{name}").eqNullSafe(f.col(f"known.{name}")) for name in _MESSAGE)
        return rows.alias("new").join(known, reduce(Column.__and__, same), "left_anti")


class HistoryWriter:
    """Appends to the history of one table; ``name`` is ``db.table`` of the source."""

    def __init__(
        self, name: str, target: TargetTable, rules: Rules, state: SinkState, earlier: ReplayFilter
    ) -> None:
        self.target = target
        self._name = name
        self._rules = rules
        self._state = state
        self._earlier = earlier

    def write(self, batch: TableBatch) -> None:
        """Append the changes of a batch that the table does not have."""
        every = batch.changes_for(self.target).where("__fault IS NULL")
        rows = self._earlier.drop_earlier(every, batch.app.removesuffix(f":{self._name}"))
        if self._rules.snapshot == "skip":
            rows = rows.where("__op <> 'r'")
        # Replayed dead letters are behind by definition.
        replays = self._rules.dedupe == "replay" and not batch.app.startswith(REPLAY_PREFIX)
        if replays:
            rows = drop_redelivered(rows, self._state.heads.positions(self._name))
        elif self._rules.dedupe == "event_id":
            rows = self._unknown(rows)
        rows = rows.withColumn("__batch", f.lit(batch.number).cast("bigint"))
        columns = [f.col(quote_name(name)) for name in self.target.columns]
        self.target.table.append(rows.select(*columns), f"{batch.app}:history", batch.number)
        if replays:
            self._state.heads.advance(self._name, highest_positions(every))

    def _unknown(self, rows: DataFrame) -> DataFrame:
        """Drop events that the history has, and duplicates in the batch.

        A redelivered event has the same time, so only rows of these times are compared.
        """
        first = Window.partitionBy("__event_id").orderBy("__topic", "__partition", "__offset")
        once = rows.withColumn("__n", f.row_number().over(first)).where("__n = 1").drop("__n")
        times = rows.agg(f.min("__source_ts"), f.max("__source_ts")).collect()[0]
        known = self.target.table.read()
        if times[0] is not None:
            within = f.col("__source_ts").between(f.lit(times[0]), f.lit(times[1]))
            known = known.where(within | f.col("__source_ts").isNull())
        return once.join(known.select("__event_id"), "__event_id", "left_anti")


def drop_redelivered(rows: DataFrame, heads: Mapping[Partition, ChangePosition]) -> DataFrame:
    """Drop events at or before the position of an earlier event of their partition.

    A connector writes a partition in binlog order: events that go back are redelivered.
    """
    position = f.struct("__seq_hi", "__seq_lo")
    order = Window.partitionBy("__topic", "__partition")
    order = order.orderBy("__offset", "__seq_hi", "__seq_lo")
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    streamed = f.expr(_STREAMED)
    highest = f.max(f.when(streamed, position)).over(before)
    if heads:
        highest = f.greatest(highest, _known_position(heads))
    found = rows.withColumn("__behind", f.coalesce(streamed & (position <= highest), f.lit(False)))
    return found.where("NOT __behind").drop("__behind")


def _known_position(heads: Mapping[Partition, ChangePosition]) -> Column:
    """Return the known position of a row's partition, or NULL."""

    def add(found: Column | None, partition: Partition) -> Column:
        here = (f.col("__topic") == partition[0]) & (f.col("__partition") == partition[1])
        hi, lo = (f.lit(half).cast("bigint") for half in heads[partition])
        position = f.struct(hi.alias("__seq_hi"), lo.alias("__seq_lo"))
        return f.when(here, position) if found is None else found.when(here, position)

    found = reduce(add, heads, None)
    assert found is not None
    return found


def highest_positions(rows: DataFrame) -> dict[Partition, ChangePosition]:
    """Return the highest binlog position of each partition."""
    position = f.max(f.struct("__seq_hi", "__seq_lo")).alias("position")
    found = rows.where(_STREAMED).groupBy("__topic", "__partition").agg(position).collect()
    return {(row["__topic"], row["__partition"]): ChangePosition(*row["position"]) for row in found}
