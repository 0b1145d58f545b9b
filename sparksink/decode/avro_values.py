"""Reads Avro values, in plans that several threads may optimize at the same time."""

from __future__ import annotations

from typing import Any, Final

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as f

_BODY: Final = "substring({bytes}, 6)"
"""What follows the magic byte and the schema's identifier."""


def avro_value(schema: str, column: str = "value") -> Column:
    """Return the parsed value or key of Avro messages; NULL where the bytes do not fit the schema.

    Spark's ``from_avro`` of Python takes options as an expression that builds a map. All queries on
    one frame share that expression and evaluate it whenever they are optimized, but its builder of
    maps is for one thread: concurrent queries fail with DUPLICATED_MAP_KEY or "requirement failed".
    A literal map has no builder.
    """
    return f.call_function(
        "from_avro",
        f.expr(_BODY.replace("{bytes}", column)),
        f.lit(schema),
        _literal_map(mode="PERMISSIVE"),
    )


def _literal_map(**entries: str) -> Column:
    spark = SparkSession.active()
    jvm: Any = spark._jvm  # noqa: SLF001 - Python has no literal of a map
    java_map = jvm.java.util.HashMap()
    for name, value in entries.items():
        java_map.put(name, value)
    scala_map = jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(java_map)
    text = jvm.org.apache.spark.sql.types.DataTypes.StringType
    kind = jvm.org.apache.spark.sql.types.DataTypes.createMapType(text, text, False)
    literal = jvm.org.apache.spark.sql.catalyst.expressions.Literal.create(scala_map, kind)
    return Column(jvm.org.apache.spark.sql.classic.ExpressionUtils.column(literal))
