"""Assigns schema versions to messages by position, where versions are read differently."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from sparksink.change_position import ChangePosition, before_sql
from sparksink.decode.changes import event_fields, parse_value, unreadable_sql
from sparksink.decode.format_names import GARBAGE, VERSION_SEPARATOR
from sparksink.decode.message_schema import MessageSchema
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.position_columns import position_sql
from sparksink.decode.reading import TableReading

_UNKNOWN: Final = "__hi IS NULL OR __lo IS NULL"
"""The SQL condition that a message has no position."""


def with_versions(marked: DataFrame, layouts: MessageSchemas) -> DataFrame:
    """Add the version's number to marks.

    A message without a position gets the last version, or is unreadable if positions are required:
    its columns must not appear in tables before those of the messages ahead of it.
    """
    versioned = layouts.list_versions()
    if not versioned:
        return marked
    ordering = layouts.ordering.model_copy(update={"mode": "binlog"})
    reading = TableReading((), {}, ordering, images=False)
    frame = marked.withColumns(dict.fromkeys(("__hi", "__lo"), f.lit(None).cast("bigint")))
    frame = frame.withColumn("__fault", f.lit("").cast("string"))
    # One expression parses all messages of a form, regardless of their topics.
    for form in {(layout.form, layout.avro): layout for _, layout, _ in versioned}.values():
        same = ((topic, one) for topic, one, _ in versioned
                if (one.form, one.avro) == (form.form, form.avro))  # fmt: skip
        here = _any_of(_has_format(*one) for one in same)
        fields = event_fields(form, reading, op="'r'", row="0")
        why = f"CASE WHEN {unreadable_sql(form)} THEN 'not readable' ELSE 'no binlog position' END"
        found = zip(
            ("__hi", "__lo", "__fault"), (*position_sql(fields, ordering), why), strict=True
        )
        frame = frame.withColumn("__v", f.when(here, parse_value(form, reading)))
        known = {name: f.when(here, f.expr(sql)).otherwise(f.col(name)) for name, sql in found}
        frame = frame.withColumns(known).drop("__v")
    mark: Column = f.col("mark")
    required = layouts.ordering.mode == "binlog"
    garbage = f.concat(f.lit(f"{GARBAGE}:"), "__fault")
    for topic, layout, starts in versioned:
        numbered = f.concat("mark", f.lit(VERSION_SEPARATOR), f.expr(_version_sql(starts)))
        if required:
            numbered = f.when(f.expr(_UNKNOWN), garbage).otherwise(numbered)
        mark = f.when(_has_format(topic, layout), numbered).otherwise(mark)
    return frame.withColumn("mark", mark).drop("__hi", "__lo", "__fault")


def _has_format(topic: str, layout: MessageSchema) -> Column:
    return (f.col("topic") == topic) & (f.col("mark") == layout.mark)


def _any_of(conditions: Iterable[Column]) -> Column:
    return reduce(lambda one, other: one | other, conditions)


def _version_sql(starts: Sequence[ChangePosition]) -> str:
    """Return SQL of the number of the version at a position."""
    before = " ".join(
        f"WHEN {before_sql(start, '__hi', '__lo')} THEN {number}"
        for number, start in enumerate(starts[1:])
    )
    last = len(starts) - 1
    return f"CASE WHEN {_UNKNOWN} THEN {last} {before} ELSE {last} END"
