"""`python -m bench.sink`: how fast the Spark sink is, beside the plain `from_json` of Spark.

Messages of one table lie in Parquet as bytes, as Kafka would hand them over. Each batch reads
them, finds the last change of each key and merges it into a Delta table; the limit is the same
bytes read by one `from_json` and thrown away. All on this machine, in one process.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from sparksink.config_file import parse
from sparksink.session import session
from sparksink.sink import Sink, build

_TOPIC: Final = "srv.shop.orders"
_COLUMNS: Final = {
    "id": ("INT", "int32", "CAST(id % {keys} AS INT)"),
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    options = parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        config = {
            "name": "bench",
            "source": {"kind": "file", "path": folder, "topics": ".*"},
            "checkpoint": f"{folder}/checkpoint",
            "target": {"path": f"{folder}/lake"},
            "columns": {"types": {name: kind for name, (kind, _, _) in _COLUMNS.items()}},
        }
        local = {"spark.master": f"local[{options.cores}]", "spark.driver.memory": options.memory,
                 "spark.ui.enabled": "false", "spark.local.dir": folder}  # fmt: skip
        spark = session(parse(config), local)
        spark.sparkContext.setLogLevel("OFF")
        print(f"{options.messages:,} messages, {options.keys:,} keys, {options.cores} cores,"
              f" load {os.getloadavg()[0]:.1f} before the start\n")  # fmt: skip
        print("| messages | from_json alone, /s | sink, /s | of the limit |\n|---|---|---|---|")
        for name, schema in (("JSON without schemas", ""), ("JSON with schemas", _schema())):
            _measure(spark, build(parse(config), spark), name, schema, options, Path(folder))
        spark.stop()
    return 0


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    root = argparse.ArgumentParser(prog="python -m bench.sink", description=__doc__)
    root.formatter_class = argparse.RawDescriptionHelpFormatter
    root.add_argument("--messages", type=int, default=200_000)
    root.add_argument("--keys", type=int, default=40_000)
    root.add_argument("--rounds", type=int, default=4, help="batches; the fastest counts")
    root.add_argument("--cores", type=int, default=2)
    root.add_argument("--memory", default="3g")
    root.add_argument("--folder", default=None, help="where the data lies (default: as tempfile)")
    return root


def _measure(
    spark: SparkSession, sink: Sink, name: str, schema: str, options: Any, folder: Path
) -> None:
    rates, limits = [], []
    for number in range(options.rounds):
        path = str(folder / f"{len(schema)}-{number}")
        _messages(spark, schema, number, options).write.parquet(path)
        messages = spark.read.parquet(path)
        limits.append(options.messages / _seconds(partial(_limit, messages, schema)))
        apply = partial(sink.batches.apply, messages, str(len(schema)), number)
        rates.append(options.messages / _seconds(apply))
    limit, rate = max(limits), max(rates)
    print(f"| {name} | {limit:,.0f} | {rate:,.0f} | {rate / limit:.0%} |", flush=True)


def _messages(spark: SparkSession, schema: str, number: int, options: Any) -> DataFrame:
    first = number * options.messages
    row = ", ".join(
        f"'{n}', {sql.format(keys=options.keys)}" for n, (_, _, sql) in _COLUMNS.items()
    )
    payload = (
        f"to_json(named_struct('before', named_struct({row}), 'after', named_struct({row}),"
        f" 'source', {_SOURCE}, 'op', 'u', 'ts_ms', id), map('ignoreNullFields', 'false'))"
    )
    value = f"concat('{{\"schema\":{schema},\"payload\":', {payload}, '}}')" if schema else payload
    return (
        spark.range(first, first + options.messages, numPartitions=options.cores)
        .select(
            f.lit(_TOPIC).alias("topic"),
            f.lit(0).alias("partition"),
            f.col("id").alias("offset"),
            f.current_timestamp().alias("timestamp"),
            f.expr(f"CAST(concat('{{\"id\":', id % {options.keys}, '}}') AS BINARY)").alias("key"),
            f.expr(f"CAST({value} AS BINARY)").alias("value"),
            f.lit(None).cast("string").alias("position"),
        )
    )  # fmt: skip


def _limit(messages: DataFrame, schema: str) -> None:
    """Read all values by one `from_json` and throw them away."""
    row = ",".join(f"{n}:{_SPARK[kind]}" for n, (_, kind, _) in _COLUMNS.items())
    source = "struct<file:string,pos:bigint,row:int,snapshot:string,ts_ms:bigint>"
    envelope = f"struct<before:struct<{row}>,after:struct<{row}>,source:{source},op:string>"
    wire = f"struct<payload:{envelope}>" if schema else envelope
    parsed = messages.select(f.from_json(f.col("value").cast("string"), wire).alias("e"))
    parsed.write.format("noop").mode("overwrite").save()


_SPARK: Final = {"int32": "int", "int64": "bigint", "double": "double", "string": "string"}


def _schema() -> str:
    """Return the schema of a message, as long as the connector's."""

    def image(name: str) -> dict[str, Any]:
        fields = [
            {"type": kind, "optional": True, "field": n} for n, (_, kind, _) in _COLUMNS.items()
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


def _seconds(work: Callable[[], Any]) -> float:
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


if __name__ == "__main__":
    sys.exit(main())
