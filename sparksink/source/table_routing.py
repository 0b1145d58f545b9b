"""Routes messages of topics with several tables: the routed table replaces the topic."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from sparksink.source.headers import header_text
from sparksink.source.routed_tables import LOGICAL_KEY

_NAMES: Final = "db:string,table:string"
_MEMBERS: Final = (
    f"source:struct<{_NAMES}>,__source_db:string,__source_table:string,"
    "iodebeziumdb:string,iodebeziumtable:string"
)
_VALUE: Final = f"struct<payload:struct<{_MEMBERS}>,{_MEMBERS}>"
_KEY: Final = f"struct<payload:struct<{LOGICAL_KEY}:string>,{LOGICAL_KEY}:string>"
_NAME_FIELDS: Final = (
    ("source.db", "source.table"),
    ("__source_db", "__source_table"),
    ("iodebeziumdb", "iodebeziumtable"),
)
"""Fields with database and table in envelopes, unwrapped rows and CloudEvents."""


def route_by_source(messages: DataFrame) -> DataFrame:
    """Route by the source block of JSON messages, or by their keys.

    Tombstones whose key names no table are dropped: they only repeat the delete before them.
    """
    text = f.col("value").cast("string")
    read = messages.withColumn("v", f.from_json(text, _VALUE))
    return _with_routed_topic(read, f.coalesce(_source_table(), _key_table())).drop("v")


def route_by_header(messages: DataFrame, name: str) -> DataFrame:
    """Route by a header with ``db.table``, or with the topic before routing."""
    found = f.expr(header_text(name))
    return _with_routed_topic(messages, _last_two_parts(found))


def _with_routed_topic(messages: DataFrame, name: Column) -> DataFrame:
    named = messages.withColumn("table", name)
    routed = f.concat("topic", f.lit("/"), f.coalesce("table", f.lit("")))
    kept = named.where("value IS NOT NULL OR `table` IS NOT NULL")
    return kept.withColumn("topic", routed).drop("table")


def _source_table() -> Column:
    found = [
        f"concat(v{within}.{database}, '.', v{within}.{name})"
        for within in ("", ".payload")
        for database, name in _NAME_FIELDS
    ]
    return f.expr(f"coalesce({', '.join(found)})")


def _key_table() -> Column:
    key = f.from_json(f.col("key").cast("string"), _KEY)
    return _last_two_parts(f.coalesce(key[LOGICAL_KEY], key["payload"][LOGICAL_KEY]))


def _last_two_parts(name: Column) -> Column:
    words = f.regexp_extract(name, r"([^.]+\.[^.]+)$", 1)
    return f.when(words != "", words)
