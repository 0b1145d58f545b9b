"""The positions of the messages of one topic, without their rows."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.config.ordering import Ordering
from sparksink.decode.batch_summary import summarize
from sparksink.decode.changes import changes
from sparksink.decode.format_names import EMPTY, NO_ROWS, has_columns, in_version_order
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.position_columns import header_position_sql
from sparksink.decode.reading import TableReading

MESSAGE_NUMBER = ("partition", "offset")


def message_positions(
    messages: DataFrame, layouts: MessageSchemas, table: str, ordering: Ordering
) -> DataFrame | None:
    """Return the positions of messages; None if no message can have one.

    Columns: ``partition, offset, __seq_hi, __seq_lo, __op``; ``__begin`` and ``__end``: the first
    and the last row of a snapshot of the table.

    :raises TableError: the schema of messages is unknown.
    """
    frame, counts = summarize(messages, layouts)
    topic, marks = counts[0].topic if counts else "", {one.mark for one in counts}
    positions = [_header_positions(frame, mark) for mark in (EMPTY, NO_ROWS) if mark in marks]
    reading = TableReading((), {}, ordering, images=False, events=True)
    for mark in in_version_order(filter(has_columns, marks)):
        part = frame.where(f.col("mark") == mark)
        positions.append(
            _value_positions(changes(part, layouts.layout(topic, table, mark), reading))
        )
    return reduce(DataFrame.unionByName, positions) if positions else None


def _header_positions(frame: DataFrame, mark: str) -> DataFrame:
    hi, lo = header_position_sql()
    return frame.where(f.col("mark") == mark).select(
        *MESSAGE_NUMBER,
        f.expr(hi).alias("__seq_hi"),
        f.expr(lo).alias("__seq_lo"),
        f.lit("").alias("__op"),
        f.lit(mark == NO_ROWS).alias("__begin"),
        f.lit(mark == NO_ROWS).alias("__end"),
    )


def _value_positions(read: DataFrame) -> DataFrame:
    numbers = [f.col(f"__{name}").alias(name) for name in MESSAGE_NUMBER]
    begin = f.expr("coalesce(__snapshot IN ('first', 'first_in_data_collection'), false)")
    good = read.where("__seq_hi IS NOT NULL AND __seq_lo IS NOT NULL")
    columns = ("__seq_hi", "__seq_lo", "__op", begin.alias("__begin"), "__end")
    return good.select(*numbers, *columns)
