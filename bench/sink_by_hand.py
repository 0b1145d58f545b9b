"""What the Spark sink is measured beside: Spark's own parsing, and a job as users write one."""

from __future__ import annotations

from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from bench.sink_messages import COLUMNS

_SPARK: Final = {"int32": "int", "int64": "bigint", "double": "double", "string": "string"}


def parse_alone(given: DataFrame, schema: str) -> None:
    """Read all values by one `from_json` and throw them away."""
    _parsed(given, schema).write.format("noop").mode("overwrite").save()


def make_table(spark: SparkSession, path: str) -> None:
    """Make the empty Delta table of a `merge_by_hand`."""
    columns = ", ".join(f"`{name}` {_SPARK[kind]}" for name, (_, kind, _) in COLUMNS.items())
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta")


def merge_by_hand(spark: SparkSession, given: DataFrame, schema: str, path: str) -> None:
    """Merge the last change of each key, as the usual `foreachBatch` does.

    It knows one table, its columns and that no change comes late; it remembers no deletes.
    """
    changes = _parsed(given, schema).select("e.*")
    ranked = changes.selectExpr(
        "*", "row_number() OVER (PARTITION BY coalesce(after.id, before.id)"
        " ORDER BY source.file DESC, source.pos DESC, source.row DESC) AS place"
    )  # fmt: skip
    last = ranked.where("place = 1").selectExpr("op", "coalesce(after, before) AS image")
    last.select("op", "image.*").createOrReplaceTempView("changes_by_hand")
    columns = [f"`{name}`" for name in COLUMNS]
    values = ", ".join(f"s.{column}" for column in columns)
    spark.sql(
        f"MERGE INTO delta.`{path}` t USING changes_by_hand s ON t.id = s.id"
        " WHEN MATCHED AND s.op = 'd' THEN DELETE"
        f" WHEN MATCHED THEN UPDATE SET {', '.join(f't.{c} = s.{c}' for c in columns)}"
        f" WHEN NOT MATCHED AND s.op <> 'd' THEN INSERT ({', '.join(columns)}) VALUES ({values})"
    )


def _parsed(given: DataFrame, schema: str) -> DataFrame:
    row = ",".join(f"{n}:{_SPARK[kind]}" for n, (_, kind, _) in COLUMNS.items())
    source = "struct<file:string,pos:bigint,row:int,snapshot:string,ts_ms:bigint>"
    envelope = f"struct<before:struct<{row}>,after:struct<{row}>,source:{source},op:string>"
    wire = f"struct<payload:{envelope}>" if schema else envelope
    parsed = given.select(f.from_json(f.col("value").cast("string"), wire).alias("e"))
    return parsed.select("e.payload.*" if schema else "e.*").select(f.struct("*").alias("e"))
