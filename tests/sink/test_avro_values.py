"""Avro is read in queries that are optimized at the same time, as tables are applied together."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sparksink.decode.avro_values import avro_value
from tests.unit.sparksink.test_row_schema import AVRO

pytestmark = pytest.mark.slow  # one query in a hundred failed


def test_concurrent_queries_on_one_frame(spark: Any) -> None:
    frame = spark.range(2).selectExpr("id", "CAST(CAST(id AS STRING) AS BINARY) AS value")
    read = frame.withColumn("v", avro_value(json.dumps(AVRO)))

    def optimize(number: int) -> None:
        found = read.join(read.withColumnRenamed("v", "other").where(f"id = {number}"), "id")
        found._jdf.queryExecution().optimizedPlan()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(optimize, range(600)))
