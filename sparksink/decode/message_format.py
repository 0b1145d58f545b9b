"""Assigns formats to messages, and removes known schemas from their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from sparksink.decode.format_names import EMPTY, GARBAGE, NEW_SCHEMA, NO_ROWS, PLAIN

KEY_KIND: Final = """CASE
    WHEN startswith(key, X'00') THEN hex(substring(key, 1, 5))
    WHEN startswith(key, X'7B22736368656D61223A')
        THEN substring_index(CAST(key AS STRING), ',"payload":', 1)
    ELSE array_join(json_object_keys(CAST(key AS STRING)), '\n') END"""
"""SQL of what identifies a key's columns: schema id, schema, or the names; NULL without a key."""


_BROKEN: Final = "get_json_object(CAST(value AS STRING), '$.schema') IS NULL"


def with_format(
    messages: DataFrame, prefixes: Mapping[str, list[tuple[str, bytes]]], accepted: str = ""
) -> DataFrame:
    """Add the format of each message as ``mark``, and remove known schemas.

    :param accepted: SQL condition of usable messages; empty if all are.
    """
    value = f.col("value")
    mark = f.when(value.isNull(), EMPTY)
    if accepted:
        mark = mark.when(f.expr(f"NOT ({accepted})"), GARBAGE)
    mark = mark.when(f.col("position").endswith("/empty"), NO_ROWS)
    body: Column | None = None
    for topic, known in prefixes.items():
        for name, prefix in known:
            here = (f.col("topic") == topic) & f.startswith(value, f.lit(prefix))
            payload = f.expr(
                f"substring(value, {len(prefix) + 1}, length(value) - {len(prefix)} - 1)"
            )
            mark = mark.when(here, name)
            body = payload if body is None else body
            body = f.when(here, payload) if body is payload else body.when(here, payload)
    identifier = f.expr("concat('avro:', conv(hex(substring(value, 2, 4)), 16, 10))")
    mark = (
        mark.when(f.startswith(value, f.lit(b"\0")) & (f.length(value) > 5), identifier)
        .when(f.startswith(value, f.lit(b'{"schema":')) & f.expr(_BROKEN), GARBAGE)
        .when(f.startswith(value, f.lit(b'{"schema":')), NEW_SCHEMA)
        .when(f.startswith(value, f.lit(b"{")), PLAIN)
        .otherwise(GARBAGE)
    )
    kept = value if body is None else body.otherwise(value)
    return messages.withColumn("mark", mark).withColumn("value", kept)
