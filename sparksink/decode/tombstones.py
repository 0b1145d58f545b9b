"""Messages without a row: tombstones, which are deletes, and unreadable messages."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from sparksink.decode.avro_values import avro_value
from sparksink.decode.position_columns import tombstone_position_sql
from sparksink.decode.reading import MESSAGE, META, TableReading
from sparksink.schemas.spark_types import ColumnConversion, struct_type
from sparksink.sql import quote_name


def unreadable_changes(messages: DataFrame, reason: str) -> DataFrame:
    """Return unreadable messages as changes with a fault, without a table's columns."""
    kinds = zip(META, ("bigint", "bigint", "string", "timestamp"), strict=True)
    return messages.select(
        *(f.col(name).alias(f"__{name}") for name in MESSAGE),
        *(f.lit(None).cast(kind).alias(name) for name, kind in kinds),
        f.lit(False).alias("__end"),
        f.lit(False).alias("__streamed"),
        f.lit(reason).alias("__fault"),
    )


def tombstones(
    messages: DataFrame, reading: TableReading, avro_keys: Mapping[bytes, str]
) -> DataFrame:
    """Read tombstones as deletes: the message key identifies the row, a header has the position.

    Without that header they are dropped if binlog positions order the changes: with Debezium's
    envelope a tombstone only repeats the delete before it.

    :param avro_keys: the first bytes of keys in Avro, and their schemas.
    """
    hi, lo = tombstone_position_sql(reading.ordering)
    if reading.ordering.mode == "binlog":
        messages = messages.where("position IS NOT NULL")
    keyed = messages.withColumn("k", _key(reading, avro_keys))
    values = [
        f.expr(_key_value(name, m, reading)).alias(name) for name, m in reading.columns.items()
    ]
    missing = " OR ".join(f"k.{quote_name(name)} IS NULL" for name in reading.keys)
    fault = f"CASE WHEN {missing} THEN 'no key' WHEN ({lo}) IS NULL THEN 'no binlog position' END"
    return keyed.select(
        *(f.col(name).alias(f"__{name}") for name in MESSAGE),
        f.lit("d").alias("__op"),
        f.expr(hi).alias("__seq_hi"),
        f.expr(lo).alias("__seq_lo"),
        f.lit(None).cast("timestamp").alias("__source_ts"),
        f.lit(False).alias("__end"),
        f.lit(True).alias("__streamed"),
        f.expr(fault).alias("__fault"),
        *values,
    )


def _key(reading: TableReading, avro_keys: Mapping[bytes, str]) -> Column:
    """Return the parsed key."""
    key = _json_key(reading)
    for prefix, schema in avro_keys.items():
        here = f.startswith("key", f.lit(prefix))
        key = f.when(here, _avro_key(reading, schema)).otherwise(key)
    return key


def _avro_key(reading: TableReading, schema: str) -> Column:
    """Return the parsed Avro key; columns that it does not have are NULL."""
    names = {field["name"] for field in json.loads(schema)["fields"]}
    parsed, members = avro_value(schema, "key"), []
    for key in reading.keys:
        column = reading.columns[key]
        member = column.member if column.member in names else key
        known = parsed.getField(member) if member in names else f.lit(None)
        members.append(known.cast(column.wire).alias(key))
    return f.struct(*members)


def _json_key(reading: TableReading) -> Column:
    """Return the parsed JSON key, with its schema or without."""
    wire, named = (
        struct_type((name, one.columns[name].wire) for name in one.keys)
        for one in (reading.as_written, reading)
    )
    text = f.col("key").cast("string")
    schema = struct_type([("payload", wire)])
    key = f.coalesce(f.from_json(text, schema)["payload"], f.from_json(text, wire))
    return key if wire == named else key.cast(named)


def _key_value(name: str, mapped: ColumnConversion, reading: TableReading) -> str:
    if name in reading.keys:
        return mapped.convert(f"k.{quote_name(name)}")
    return f"CAST(NULL AS {mapped.target})"
