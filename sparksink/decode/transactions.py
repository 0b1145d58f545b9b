"""Reads the transaction or snapshot that an event belongs to, from every form of message.

With ``provide.transaction.metadata`` the connector adds the transaction and the event's number in
it: in the envelope's ``transaction``, in CloudEvents as attributes, and in unwrapped rows where
``add.fields`` names them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.decode.avro_values import avro_value
from sparksink.decode.format_names import FORMATS_WITHOUT_COLUMNS
from sparksink.schemas import row_schema

_JSON: Final = (
    "struct<transaction:struct<id:string,total_order:bigint>,op:string,"
    "source:struct<snapshot:string>,"
    "__transaction_id:string,__transaction_total_order:bigint,__op:string,"
    "__source_snapshot:string,"
    "iodebeziumtxid:string,iodebeziumtxtotalorder:string,iodebeziumop:string,"
    "iodebeziumsnapshot:string>"
)
_OF_JSON: Final = (
    "coalesce(v.transaction.id, v.__transaction_id, v.iodebeziumtxid) AS id",
    (
        "coalesce(v.transaction.total_order, v.__transaction_total_order,"
        " try_cast(v.iodebeziumtxtotalorder AS BIGINT)) AS total_order"
    ),
    # A table may have a column op.
    "coalesce(IF(v.source IS NULL, NULL, v.op), v.__op, v.iodebeziumop) AS op",
    "coalesce(v.source.snapshot, v.__source_snapshot, v.iodebeziumsnapshot) AS snapshot",
)
_OF_AVRO: Final = {
    "id": ("transaction.id", "__transaction_id"),
    "total_order": ("transaction.total_order", "__transaction_total_order"),
    "op": ("op", "__op"),
    "snapshot": ("source.snapshot", "__source_snapshot"),
}
"""Column → its fields in Avro envelopes and unwrapped rows."""

_MESSAGE: Final = ("topic", "partition", "offset")


def events(messages: DataFrame, schemas: Mapping[str, str]) -> DataFrame:
    """Return ``topic, partition, offset, id, total_order, op, snapshot`` of the events.

    Missing fields are NULL.

    :param messages: with marks, and without the schemas before JSON.
    :param schemas: the writer's schema of each mark of Avro.
    """
    text = f.col("value").cast("string")
    plain = messages.where(
        ~f.col("mark").isin(*FORMATS_WITHOUT_COLUMNS) & ~f.col("mark").rlike("^(avro|garbage):")
    )
    parsed = plain.select(*_MESSAGE, f.from_json(text, _JSON).alias("v"))
    found = [parsed.selectExpr(*_MESSAGE, *_OF_JSON)]
    for mark, schema in schemas.items():
        value = avro_value(schema).alias("v")
        here = messages.where(f.col("mark") == mark).select(*_MESSAGE, value)
        found.append(here.selectExpr(*_MESSAGE, *_of_avro(schema)))
    return reduce(DataFrame.unionByName, found)


def _of_avro(schema: str) -> list[str]:
    """Return SQL of the columns; NULL for fields that this schema lacks."""
    fields = row_schema.from_avro(json.loads(schema)).fields
    paths = {f"{one.name}.{inner.name}" for one in fields for inner in one.fields}
    paths |= {one.name for one in fields if one.name != "op" or "source.snapshot" in paths}
    values = {
        column: next((f"v.{path}" for path in candidates if path in paths), "NULL")
        for column, candidates in _OF_AVRO.items()
    }
    kinds = {"total_order": "BIGINT"}
    return [
        f"CAST({value} AS {kinds.get(column, 'STRING')}) AS {column}"
        for column, value in values.items()
    ]
