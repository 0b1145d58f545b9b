"""Which transaction an event belongs to, and its number in it, in every form of a message.

The connector tells both with ``provide.transaction.metadata``: in the envelope's ``transaction``,
in CloudEvents as attributes, and in unwrapped rows where ``add.fields`` asks for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import reduce
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.avro.functions import from_avro

from sparksink.decode.layouts import NO_LAYOUT
from sparksink.schemas import shapes

_JSON: Final = (
    "struct<transaction:struct<id:string,total_order:bigint>,"
    "__transaction_id:string,__transaction_total_order:bigint,"
    "iodebeziumtxid:string,iodebeziumtxtotalorder:string>"
)
_NUMBER: Final = (
    "coalesce(v.transaction.total_order, v.__transaction_total_order,"
    " try_cast(v.iodebeziumtxtotalorder AS BIGINT)) AS total_order"
)
_ID: Final = "coalesce(v.transaction.id, v.__transaction_id, v.iodebeziumtxid) AS id"
_OF_ENVELOPE: Final = ("v.transaction.id AS id", "v.transaction.total_order AS total_order")
_OF_ROW: Final = ("v.__transaction_id AS id", "v.__transaction_total_order AS total_order")


def events(messages: DataFrame, schemas: Mapping[str, str]) -> DataFrame:
    """Return ``id, total_order`` of the events that name their transaction, each once.

    :param messages: marked, and without the schemas before JSON.
    :param schemas: the writer's schema of each mark of Avro.
    """
    text = f.col("value").cast("string")
    plain = messages.where(~f.col("mark").isin(*NO_LAYOUT) & ~f.col("mark").startswith("avro"))
    found = [plain.select(f.from_json(text, _JSON).alias("v")).selectExpr(_ID, _NUMBER)]
    for mark, schema in schemas.items():
        if columns := _of_avro(schema):
            body = f.expr("substring(value, 6)")
            value = from_avro(body, schema, {"mode": "PERMISSIVE"}).alias("v")
            here = messages.where(f.col("mark") == mark)
            found.append(here.select(value).selectExpr(*columns))
    return reduce(DataFrame.unionByName, found).where("id IS NOT NULL").distinct()


def _of_avro(schema: str) -> tuple[str, str] | None:
    """Return where a schema keeps both; None where it has no place for them."""
    members = {one.name: one for one in shapes.from_avro(json.loads(schema)).fields}
    block = members.get("transaction")
    if block is not None and {"id", "total_order"} <= {one.name for one in block.fields}:
        return _OF_ENVELOPE
    return _OF_ROW if {"__transaction_id", "__transaction_total_order"} <= members.keys() else None
