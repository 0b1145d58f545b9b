"""Into how many tasks work is split: messages for the executors to come, tables for those there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame
from tests.sink.conftest import settings

AUTO = {"parallelism": {"batch.partitions": "auto", "shuffle.partitions": "auto", "tables": 2}}
NO_LIMIT = str(2**31 - 1)
"""Spark's default of the most executors."""


@pytest.mark.parametrize(
    ("submitted", "tasks"),
    [
        ({}, 2),
        ({"executor.instances": "8", "executor.cores": "4"}, 32),
        ({"executor.instances": "2", "dynamicAllocation.maxExecutors": "20"}, 20),
        ({"dynamicAllocation.maxExecutors": NO_LIMIT, "executor.cores": "4"}, 2),
        ({"executor.instances": "1"}, 2),
    ],
)
def test_messages_are_read_into_tasks_for_the_most_executors_to_come(
    sink: MakeSink,
    spark: Any,
    monkeypatch: pytest.MonkeyPatch,
    submitted: Mapping[str, str],
    tasks: int,
) -> None:
    """A stream keeps the number of its start, when perhaps no executor is there yet."""
    from pyspark import SparkConf  # noqa: PLC0415

    conf = SparkConf(loadDefaults=False)
    for key, value in submitted.items():
        conf.set(f"spark.{key}", value)
    monkeypatch.setattr(spark.sparkContext, "_conf", conf)
    assert sink(**AUTO).messages._partitions == tasks
    fixed = sink(parallelism={"batch.partitions": 5})
    assert fixed.messages._partitions == 5


def test_each_batch_is_split_for_the_executors_that_are_there(
    sink: MakeSink, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sparksink.apply.batches import batch_partitions  # noqa: PLC0415 - needs Spark
    from sparksink.config.file import parse  # noqa: PLC0415

    made, topic = sink(**AUTO), Topic(columns=[field("id", "int32")])
    for cores in (6, 3, 1):
        monkeypatch.setattr(type(spark.sparkContext), "defaultParallelism", cores)
        message = topic.change("c", 100 + cores, None, {"id": cores})
        made.batches.apply(frame(spark, [message]), "app", 10 - cores)
        expected = max(2, cores)
        assert spark.conf.get("spark.sql.shuffle.partitions") == str(expected)
        assert batch_partitions(parse(settings(tmp_path, **AUTO)), spark) == expected
