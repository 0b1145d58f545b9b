"""The table with every change: each message once, nothing is ever overwritten."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame, Row, Window
from pyspark.sql import functions as f

from sparksink.apply.batch import TableBatch
from sparksink.apply.dead_letters import REPLAY_PREFIX
from sparksink.change_position import ChangePosition
from sparksink.config.keys import History as Rules
from sparksink.evolve.target_table import TargetTable
from sparksink.sql import quote_name
from sparksink.state.history_positions import Partition
from sparksink.state.sink_state import SinkState

_STREAMED = "__streamed AND __op <> 'r'"
"""Events of the log: a snapshot's rows have no order among them, nor one with the log's."""
_MICROS = "unix_micros(__timestamp)"


class ReplayFilter:
    """The messages that a history had before this job began, told by partition, offset and time.

    Where a checkpoint was lost, or a parked table is taken up, messages come again under another
    name. The times tell a topic that was made anew, whose offsets begin again, from that.
    """

    def __init__(self, target: TargetTable, state: SinkState) -> None:
        self._target = target
        self._state = state
        self._ends: list[Row] | None = None

    def drop_earlier(self, rows: DataFrame, app: str) -> DataFrame:
        """Return rows without those of such messages; looked up once, and seldom needed."""
        if app.startswith(REPLAY_PREFIX) or self._state.streams() == {app}:
            return rows
        if self._ends is None:
            known = self._target.table.read().groupBy("__topic", "__partition")
            self._ends = known.agg(f.max("__offset"), f.max(f.expr(_MICROS))).collect()
        for topic, partition, offset, micros in self._ends:
            here = (f.col("__topic") == topic) & (f.col("__partition") == partition)
            earlier = (f.col("__offset") <= offset) & (f.expr(_MICROS) <= micros)
            rows = rows.where(~(here & earlier))
        return rows


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
        """Append the changes of a batch that this table does not have yet."""
        every = batch.changes_for(self.target).where("__fault IS NULL")
        rows = self._earlier.drop_earlier(every, batch.app.removesuffix(f":{self._name}"))
        if self._rules.snapshot == "skip":
            rows = rows.where("__op <> 'r'")
        # What was a dead letter lies behind by its nature.
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
        """Drop events that the history has, and all but the first of those that come twice.

        An event keeps its time wherever it is told, so only rows of these times are looked at.
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
    """Drop events of the log that lie at or before one that came before them in their partition.

    A connector writes a partition in the order of the log: what goes back, it tells again.
    """
    place = f.struct("__seq_hi", "__seq_lo")
    order = Window.partitionBy("__topic", "__partition")
    order = order.orderBy("__offset", "__seq_hi", "__seq_lo")
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    streamed = f.expr(_STREAMED)
    highest = f.max(f.when(streamed, place)).over(before)
    if heads:
        highest = f.greatest(highest, _known_position(heads))
    found = rows.withColumn("__behind", f.coalesce(streamed & (place <= highest), f.lit(False)))
    return found.where("NOT __behind").drop("__behind")


def _known_position(heads: Mapping[Partition, ChangePosition]) -> Column:
    """Return the place of the partition that a row is of; NULL where there is none."""

    def add(found: Column | None, partition: Partition) -> Column:
        here = (f.col("__topic") == partition[0]) & (f.col("__partition") == partition[1])
        hi, lo = (f.lit(half).cast("bigint") for half in heads[partition])
        place = f.struct(hi.alias("__seq_hi"), lo.alias("__seq_lo"))
        return f.when(here, place) if found is None else found.when(here, place)

    found = reduce(add, heads, None)
    assert found is not None
    return found


def highest_positions(rows: DataFrame) -> dict[Partition, ChangePosition]:
    """Return the greatest place of the log in each partition."""
    place = f.max(f.struct("__seq_hi", "__seq_lo")).alias("place")
    found = rows.where(_STREAMED).groupBy("__topic", "__partition").agg(place).collect()
    return {(row["__topic"], row["__partition"]): ChangePosition(*row["place"]) for row in found}
