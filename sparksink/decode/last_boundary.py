"""Selects the messages of a topic since the last boundary: a TRUNCATE or a snapshot.

Older messages do not affect the present rows, and may have another schema, for example from before
the table was dropped and created again.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.change_position import ChangePosition, before_sql
from sparksink.config.keys import Mirror
from sparksink.config.ordering import Ordering
from sparksink.decode.batch_summary import summarize
from sparksink.decode.changes import changes
from sparksink.decode.message_schemas import (
    EMPTY,
    NO_ROWS,
    MessageSchemas,
    has_columns,
    in_version_order,
)
from sparksink.decode.position_columns import header_position_sql
from sparksink.decode.reading import TableReading

_NUMBER = ("partition", "offset")


def messages_since_last_boundary(
    messages: DataFrame, layouts: MessageSchemas, table: str, rules: Mirror, ordering: Ordering
) -> tuple[DataFrame, ChangePosition | None]:
    """Return the messages of one topic since the last boundary, and its position, if any.

    :raises TableError: the schema of messages is unknown.
    """
    if not rules.sweep and rules.truncate == "ignore":
        return messages, None
    frame, counts = summarize(messages, layouts)
    topic, marks = counts[0].topic if counts else "", {one.mark for one in counts}
    positions = [_header_positions(frame, mark) for mark in (EMPTY, NO_ROWS) if mark in marks]
    reading = TableReading((), {}, ordering, images=False)
    for mark in in_version_order(filter(has_columns, marks)):
        part = frame.where(f.col("mark") == mark)
        positions.append(
            _value_positions(changes(part, layouts.layout(topic, table, mark), reading))
        )
    if not positions:
        return messages, None
    found = reduce(DataFrame.unionByName, positions)
    start = _last_boundary(found, rules)
    if start is None:
        return messages, None
    after = found.where(f"NOT {before_sql(start)}").select(*_NUMBER)
    return messages.join(after, [*_NUMBER], "left_semi"), start


def _header_positions(frame: DataFrame, mark: str) -> DataFrame:
    hi, lo = header_position_sql()
    return frame.where(f.col("mark") == mark).select(
        *_NUMBER,
        f.expr(hi).alias("__seq_hi"),
        f.expr(lo).alias("__seq_lo"),
        f.lit("").alias("__op"),
        f.lit(mark == NO_ROWS).alias("__end"),
    )


def _value_positions(read: DataFrame) -> DataFrame:
    numbers = [f.col(f"__{name}").alias(name) for name in _NUMBER]
    good = read.where("__seq_hi IS NOT NULL AND __seq_lo IS NOT NULL")
    return good.select(*numbers, "__seq_hi", "__seq_lo", "__op", "__end")


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
