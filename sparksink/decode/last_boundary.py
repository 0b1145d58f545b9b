"""Selects the messages of a topic since the last boundary: a TRUNCATE or a snapshot.

Older messages do not affect the present rows, and may have another schema, for example from before
the table was dropped and created again.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.change_position import ChangePosition, before_sql
from sparksink.config.ordering import Ordering
from sparksink.config.table import Mirror
from sparksink.decode.message_positions import MESSAGE_NUMBER, message_positions
from sparksink.decode.message_schemas import MessageSchemas


@dataclass(frozen=True, slots=True)
class LastBoundary:
    """The ``messages`` of one topic since the last boundary, and its ``position``, if any.

    ``covered`` are the partitions whose first message shows that no message since the boundary is
    missing: it is from before, or begins the snapshot.
    """

    messages: DataFrame
    position: ChangePosition | None = None
    covered: AbstractSet[int] = frozenset()


def find_last_boundary(
    messages: DataFrame, layouts: MessageSchemas, table: str, rules: Mirror, ordering: Ordering
) -> LastBoundary:
    """Find the last boundary in the messages of one topic.

    :raises TableError: the schema of messages is unknown.
    """
    if not rules.sweep and rules.truncate == "ignore":
        return LastBoundary(messages)
    found = message_positions(messages, layouts, table, ordering)
    start = None if found is None else _last_boundary(found, rules)
    if found is None or start is None:
        return LastBoundary(messages)
    after = found.where(f"NOT {before_sql(start)}").select(*MESSAGE_NUMBER)
    since = messages.join(after, [*MESSAGE_NUMBER], "left_semi")
    return LastBoundary(since, start, _covered_partitions(found, start))


def _last_boundary(positions: DataFrame, rules: Mirror) -> ChangePosition | None:
    conditions = [f.lit(False)]
    if rules.sweep:
        conditions.append(f.col("__end"))
    if rules.truncate != "ignore":
        conditions.append(f.col("__op") == "t")
    ends = positions.where(reduce(lambda one, other: one | other, conditions))
    last = ends.agg(f.max(f.struct("__seq_hi", "__seq_lo")).alias("position")).collect()[0][
        "position"
    ]
    return None if last is None else ChangePosition(*last)


def _covered_partitions(positions: DataFrame, start: ChangePosition) -> AbstractSet[int]:
    message = f.struct("__seq_hi", "__seq_lo", "__op", "__begin")
    first = f.min_by(message, "offset").alias("first")
    here = f"first.__seq_hi = {start.hi} AND first.__seq_lo = {start.lo}"
    begins = f"{here} AND (first.__begin OR first.__op = 't')"
    before = before_sql(start, "first.__seq_hi", "first.__seq_lo")
    rows = positions.where("__seq_hi IS NOT NULL AND __seq_lo IS NOT NULL")
    found = rows.groupBy("partition").agg(first).where(f"{before} OR {begins}")
    return {row["partition"] for row in found.select("partition").collect()}
