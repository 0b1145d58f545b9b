"""Tables are partitioned and clustered as configured when they are created."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

COLUMNS = [
    field("id", "int32"),
    field("b c", "string"),
    field("made", "int64", "io.debezium.time.Timestamp"),
]
DAY = 86_400_000


def row(key: int, text: str, day: int = 0) -> dict[str, Any]:
    return {"id": key, "b c": text, "made": day * DAY}


def batches(topic: Topic) -> list[list[dict[str, Any]]]:
    """Return rows that are made, then changed, moved to another partition and deleted."""
    first = [topic.change("c", 100 + n, None, row(n, "ab"[n % 2], n)) for n in range(1, 5)]
    later = [
        topic.change("u", 200, row(1, "b", 1), row(1, "a", 9)),
        topic.change("d", 210, row(2, "a", 2), None),
        topic.change("u", 120, row(3, "b", 3), row(3, "c", 3)),
    ]
    return [first, later]


EXPECTED = [(1, "a"), (3, "c"), (4, "a")]


@pytest.mark.slow
def test_delta_tables_by_columns(
    sink: MakeSink, spark: Any, caplog: pytest.LogCaptureFixture
) -> None:
    detail = "partitionColumns", "clusteringColumns"
    history = {"enabled": True, "partition.by": ["__op"]}
    target = {"partition.by": ["b c"]}
    topic = Topic(columns=COLUMNS)
    for number, batch in enumerate(batches(topic)):
        made = sink(target=target, history=history)
        made.batches.apply(frame(spark, batch), "app", number)
    assert rows(made, "shop__orders", "id", "`b c`") == EXPECTED
    assert len(rows(made, "shop__orders__history", "id")) == 7

    def layout(name: str) -> tuple[list[str], list[str]]:
        shown = spark.sql(f"DESCRIBE DETAIL {made.lake.table(name).identifier}").collect()[0]
        return shown[detail[0]], shown[detail[1]]

    assert layout("shop__orders") == (["b c"], [])
    assert layout("shop__orders__history") == (["__op"], [])
    # A table of its own settings, and one that stays as it was made.
    clustered = [{"match": r"shop\.t", "target": {"partition.by": [], "cluster.by": ["id", "v"]}}]
    other = Topic("srv.shop.t", [field("id", "int32"), field("v", "string")])
    made = sink(target={"partition.by": ["made"]}, tables=clustered)
    with caplog.at_level(logging.WARNING):
        for number, text in enumerate("xy"):
            change = other.change("u", 100 + number, None, {"id": 1, "v": text})
            again = topic.change("u", 300 + number, None, row(1, "a", 9))
            made.batches.apply(frame(spark, [change, again]), "app", 2 + number)
    assert rows(made, "shop__t", "id", "v") == [(1, "y")]
    assert layout("shop__t") == ([], ["id", "v"])
    assert layout("shop__orders") == (["b c"], [])
    kept = [line for line in caplog.messages if "keeps" in line]
    assert kept == ["shop__orders keeps its partitioning: PARTITIONED BY (`b c`)"]
    none = [{"match": ".*", "target": {"partition.by": ["none"]}}]
    lost = Topic("srv.shop.lost", COLUMNS)
    made = sink(tables=none)
    made.batches.apply(frame(spark, [lost.change("c", 500, None, row(1, "a"))]), "app", 9)
    assert "has no column none, which partition.by" in made.state.parked_tables()["shop.lost"]


@pytest.mark.slow
def test_iceberg_tables_by_transforms(sink: MakeSink, spark: Any) -> None:
    target = {
        "format": "iceberg",
        "partition.by": ["days(made)", "bucket(4, id)", "truncate(1, b c)"],
        "cluster.by": ["b c", "id"],
    }
    history = {"enabled": True, "partition.by": ["hours(__source_ts)"]}
    for number, batch in enumerate(batches(Topic(columns=COLUMNS))):
        made = sink(target=target, history=history)
        made.batches.apply(frame(spark, batch), "app", number)
    assert rows(made, "shop__orders", "id", "`b c`") == EXPECTED
    for name, parts in (("shop__orders", 3), ("shop__orders__history", 1)):
        shown = spark.sql(f"DESCRIBE TABLE {made.lake.table(name).identifier}").collect()
        assert sum(line.col_name.startswith("Part ") for line in shown) == parts
    made.lake.compact("shop__orders", 0)
    assert rows(made, "shop__orders", "id", "`b c`") == EXPECTED
    assert made.lake.table("shop__orders").has_sort_order()
    assert not made.lake.table("shop__orders__history").has_sort_order()


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        {"partition.by": ["b c"]},
        {"cluster.by": ["id"]},
        {"format": "iceberg", "partition.by": ["days(made)"], "cluster.by": ["id"]},
    ],
)
def test_a_rebuilt_table_has_the_configured_partitioning(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any]
) -> None:
    from argparse import Namespace  # noqa: PLC0415

    from sparksink.commands.subcommands import rebuild  # noqa: PLC0415
    from tests.sink.test_rebuild import record  # noqa: PLC0415

    given = [change for batch in batches(Topic(columns=COLUMNS)) for change in batch]
    made = sink(target=target)
    record(tmp_path, given)
    made.batches.apply(frame(spark, given), "app", 0)
    rebuild(made, Namespace(table=r"shop\..*", force=False))
    assert rows(made, "shop__orders", "id", "`b c`") == EXPECTED
    table = made.lake.table("shop__orders").identifier
    shown = spark.sql(
        f"DESCRIBE TABLE {table}" if "format" in target else f"DESCRIBE DETAIL {table}"
    ).collect()
    if "format" in target:
        assert any(line.data_type == "days(made)" for line in shown)
        assert made.lake.table("shop__orders").has_sort_order()
    else:
        assert shown[0].partitionColumns == target.get("partition.by", [])
        assert shown[0].clusteringColumns == target.get("cluster.by", [])
