"""Messages of tables with twelve columns, made by Spark itself, as Kafka would hand them over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

TOPIC: Final = "srv.shop.orders"
COLUMNS: Final = {
    "id": ("INT", "int32", "CAST({key} AS INT)"),
    "customer": ("INT", "int32", "CAST(id % 999 AS INT)"),
    "state": ("VARCHAR(20)", "string", "concat('state ', id % 7)"),
    "street": ("VARCHAR(80)", "string", "repeat('street ', 6)"),
    "city": ("VARCHAR(80)", "string", "concat('city ', id)"),
    "note": ("TEXT", "string", "repeat('some words of a note, ', 6)"),
    "pieces": ("BIGINT", "int64", "id * 7"),
    "weight": ("DOUBLE", "double", "id / 3"),
    "made": ("BIGINT", "int64", "id * 1000"),
    "paid": ("INT", "int32", "CAST(id % 2 AS INT)"),
    "email": ("VARCHAR(80)", "string", "concat('someone', id, '@example.org')"),
    "phone": ("VARCHAR(80)", "string", "concat('+49 30 ', id)"),
}
_SOURCE: Final = (
    "named_struct('version', '3.6.1.Final', 'connector', 'mysql', 'name', 'srv', 'ts_ms', id,"
    " 'snapshot', 'false', 'db', 'shop', 'sequence', CAST(NULL AS STRING), 'ts_us', id * 1000,"
    " 'ts_ns', id * 1000000, 'table', 'orders', 'server_id', 1, 'gtid', CAST(NULL AS STRING),"
    " 'file', 'bin.000001', 'pos', id * 100, 'row', 0, 'thread', 7,"
    " 'query', CAST(NULL AS STRING))"
)


def configuration(folder: Path | str) -> dict[str, Any]:
    """Return the configuration of a sink for these messages, which writes into a folder."""
    return {
        "name": "bench",
        "source": {"kind": "file", "path": str(folder), "topics": ".*"},
        "checkpoint": f"{folder}/checkpoint",
        "target": {"path": f"{folder}/lake"},
        "columns": {"types": {name: kind for name, (kind, _, _) in COLUMNS.items()}},
    }


def settings(folder: Path | str, cores: int, memory: str) -> Mapping[str, str]:
    """Return the settings of a session that keeps its own files in that folder."""
    return {
        "spark.master": f"local[{cores}]",
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.local.dir": str(folder),
    }


def row(key: str) -> dict[str, str]:
    """Return SQL of each column of a row, of a number ``id`` and of its key, which is SQL."""
    return {name: sql.format(key=key) for name, (_, _, sql) in COLUMNS.items()}


def messages(
    spark: SparkSession, numbers: range, key: str, schema: str = "", topic: str = f"'{TOPIC}'"
) -> DataFrame:
    """Return a message for each number; ``key`` and ``topic`` are SQL of the number ``id``."""
    image = ", ".join(f"'{name}', {sql}" for name, sql in row(key).items())
    payload = (
        f"to_json(named_struct('before', named_struct({image}), 'after', named_struct({image}),"
        f" 'source', {_SOURCE}, 'op', 'u', 'ts_ms', id), map('ignoreNullFields', 'false'))"
    )
    value = f"concat('{{\"schema\":{schema},\"payload\":', {payload}, '}}')" if schema else payload
    return spark.range(numbers.start, numbers.stop).select(
        f.expr(topic).alias("topic"),
        f.lit(0).alias("partition"),
        f.col("id").alias("offset"),
        f.current_timestamp().alias("timestamp"),
        f.expr(f"CAST(concat('{{\"id\":', {key}, '}}') AS BINARY)").alias("key"),
        f.expr(f"CAST({value} AS BINARY)").alias("value"),
        f.lit(None).cast("string").alias("position"),
    )


def schema_block() -> str:
    """Return the schema of a message, as long as the connector's."""

    def image(name: str) -> dict[str, Any]:
        fields = [
            {"type": kind, "optional": True, "field": n} for n, (_, kind, _) in COLUMNS.items()
        ]
        return {"type": "struct", "fields": fields, "optional": True,
                "name": "srv.shop.orders.Value", "field": name}  # fmt: skip

    words = "version connector name ts_ms snapshot db sequence ts_us ts_ns table server_id gtid"
    block = [{"type": "string", "optional": True, "field": word,
              "parameters": {"allowed": "true,first,first_in_data_collection,last,false"}}
             for word in [*words.split(), "file", "pos", "row", "thread", "query"]]  # fmt: skip
    source = {"type": "struct", "fields": block, "optional": False, "field": "source",
              "name": "io.debezium.connector.mysql.Source"}  # fmt: skip
    op = {"type": "string", "optional": False, "field": "op"}
    envelope = {"type": "struct", "fields": [image("before"), image("after"), source, op],
                "optional": False, "name": "srv.shop.orders.Envelope", "version": 2}  # fmt: skip
    return json.dumps(envelope, separators=(",", ":"))
