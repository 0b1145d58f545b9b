"""Histories as Parquet files: each message once, and readable without anything else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tests.sink.test_convergence import real_lake

pytestmark = pytest.mark.slow  # the readers are installed for the long run only

COLUMNS = [field("id", "int32"), field("a b", "string"), field("at", "int64")]
NAME = "shop__orders__history"
GIVEN: dict[str, Any] = {
    "target": {"format": "parquet", "table.properties": {"compression": "zstd"}},
    "mirror": {"enabled": False},
    "history": {"enabled": True, "dedupe": "replay", "before": "json", "partition.by": ["at"]},
}


def row(key: int, text: str, **more: Any) -> dict[str, Any]:
    return {"id": key, "a b": text, "at": 2**40 + key, **more}


def test_each_message_is_once_whenever_it_crashes(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    from pyarrow import dataset  # noqa: PLC0415 - of what only tests of readers need

    topic = Topic(columns=COLUMNS)
    first = [topic.change("c", 100 + n, None, row(n, "a")) for n in range(3)]
    topic.columns = [*COLUMNS, field("w", "string")]
    again = [{**first[2], "offset": 7}, topic.change("d", 200, row(1, "a", w="b"), None)]
    again[1]["offset"] = 8
    for number, batch in enumerate((first, again)):
        for at in (0, 1, 2):  # the notes, the rows, the commit
            lake = CrashingLake(real_lake(spark, tmp_path, **GIVEN), at, after=True)
            try:
                sink(lake, **GIVEN).batches.apply(frame(spark, batch), "app", number)
            except Crash:
                continue
        sink(**GIVEN).batches.apply(frame(spark, batch), "app", number)
    made = sink(**GIVEN)
    found = [(0, "a", None, 1), (1, "a", "b", 8), (1, "a", None, 2), (2, "a", None, 3)]
    assert rows(made, NAME, "id", "`a b`", "w", "__offset") == found
    folder = tmp_path / "lake" / NAME
    plain = spark.read.option("mergeSchema", "true").parquet(str(folder))
    assert sorted(row["__offset"] for row in plain.collect()) == [1, 2, 3, 8]
    assert [one["__before"] is None for one in plain.where("__op = 'd'").collect()] == [False]
    read = dataset.dataset(folder, partitioning="hive").to_table()
    assert sorted(read["__offset"].to_pylist()) == [1, 2, 3, 8]
    assert {int(at) for at in read["at"].to_pylist()} == {2**40 + n for n in range(3)}
    made.lake.compact(NAME, 0)
    assert len(rows(made, NAME, "id")) == 4


def test_what_a_crash_left_of_a_batch_is_replaced(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    made = sink(**GIVEN)
    topic = Topic(columns=COLUMNS)
    batch = frame(spark, [topic.change("c", 100, None, row(1, "a"))])
    made.batches.apply(batch, "app", 0)
    for done in (tmp_path / "lake" / NAME).glob("*/_SUCCESS"):
        done.unlink()  # as if it had been killed just before
    again = sink(**{**GIVEN, "state": {"schema": "other"}})
    again.batches.apply(batch, "app", 0)
    assert rows(again, NAME, "id", "__op") == [(1, "c")]
    # A change of a type would require rewriting files: the table is parked.
    topic.columns = [field("id", "int64"), *COLUMNS[1:]]
    other = topic.change("c", 110, None, {**row(1, "a"), "id": 2**40})
    again.batches.apply(frame(spark, [other]), "app", 1)
    assert "column id is int" in again.state.parked_tables()["shop.orders"]
