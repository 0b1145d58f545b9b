"""What Iceberg does in its own way: who has written what, other catalogs, old snapshots."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.fixtures.databases import FreshDatabase
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tools.stack import ROOT

COLUMNS = [field("id", "int32"), field("v", "string", "io.debezium.data.Json")]
ICEBERG = {"format": "iceberg"}


def test_a_batch_is_appended_once_even_when_its_snapshot_is_gone(
    sink: MakeSink, spark: Any
) -> None:
    for _ in range(2):  # two processes
        table = sink(target=ICEBERG).lake.table("t")
        table.create({"id": "int"}, {})
        for batch in (1, 2, 1):
            table.append(spark.range(batch).selectExpr("int(id) AS id"), "writer", batch)
    made = sink(target=ICEBERG)
    assert len(rows(made, "t", "id")) == 3
    before = made.lake.version("t")
    made.lake.compact("t", 0)
    assert made.lake.version("t") != before
    snapshots = spark.sql(f"SELECT * FROM {table.identifier}.snapshots").collect()
    assert len(snapshots) == 1
    again = sink(target=ICEBERG)
    again.lake.table("t").append(spark.range(9).selectExpr("int(id) AS id"), "writer", 2)
    assert len(rows(again, "t", "id")) == 3
    again.lake.table("t").append(spark.range(9).selectExpr("int(id) AS id"), "other", 2)
    assert len(rows(again, "t", "id")) == 12


@pytest.mark.slow
def test_many_writers_add_to_one_table_at_a_time(sink: MakeSink, spark: Any) -> None:
    lake = sink(target=ICEBERG).lake
    lake.table("_cdc/t").create({"id": "int"}, {"fact": "it's"})

    def write(number: int) -> None:
        part = spark.range(number, number + 1).selectExpr("int(id) AS id")
        lake.table("_cdc/t").append(part, f"writer {number % 8}", number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(12)))
    assert sorted(row.id for row in lake.table("_cdc/t").read().collect()) == list(range(12))
    assert lake.table("_cdc/t").facts() == {"fact": "it's"}


@pytest.mark.slow
def test_another_catalog_and_a_namespace_by_configuration(sink: MakeSink, spark: Any) -> None:
    """Iceberg's own catalog in memory stands for all that are named by their class."""
    catalog = {
        "name": "elsewhere",
        "namespace": "shop.now",
        "catalog-impl": "org.apache.iceberg.inmemory.InMemoryCatalog",
    }
    made = sink(target={**ICEBERG, "catalog": catalog}, types={"json": "variant"})
    topic = Topic(columns=COLUMNS)
    first = topic.change("c", 100, None, {"id": 1, "v": '{"a": 7}'})
    made.batches.apply(frame(spark, [first]), "app", 0)
    second = topic.change("u", 110, None, {"id": 1, "v": '{"a": 8}'})
    made.batches.apply(frame(spark, [second]), "app", 1)
    found = spark.sql("SELECT CAST(v:a AS INT) AS a FROM elsewhere.shop.now.shop__orders")
    assert [row.a for row in found.collect()] == [8]


@pytest.mark.slow
def test_a_catalog_that_is_a_database(
    mariadb_database: FreshDatabase, sink: MakeSink, spark: Any
) -> None:
    server = mariadb_database.server
    catalog = {
        "name": "noted",
        "type": "jdbc",
        "uri": f"jdbc:mariadb://{server.host}:{server.port}/{mariadb_database.name}",
        "jdbc.user": ROOT.user,
        "jdbc.password": ROOT.password,
        "jdbc.schema-version": "V1",
    }
    target = {**ICEBERG, "catalog": catalog}
    topic = Topic(columns=COLUMNS)
    given = [topic.change("c", 100 + n, None, {"id": n, "v": "one"}) for n in range(3)]
    later = [
        topic.change("u", 200, None, {"id": 0, "v": "two"}),
        topic.change("d", 210, {"id": 1, "v": "one"}, None),
    ]
    for number, batch in enumerate((given, later)):  # two processes
        sink(target=target, history={"enabled": True}).batches.apply(
            frame(spark, batch), "app", number
        )
    made = sink(target=target, history={"enabled": True})
    made.batches.apply(frame(spark, given), "app", 0)  # again, and late
    assert rows(made, "shop__orders", "id", "v") == [(0, "two"), (2, "one")]
    assert len(rows(made, "shop__orders__history", "id")) == 5
    made.lake.compact("shop__orders", 0)
    assert rows(made, "shop__orders", "id", "v") == [(0, "two"), (2, "one")]
    noted = mariadb_database.query("SELECT table_name FROM iceberg_tables")
    assert {"shop__orders", "shop__orders__history", "commits"} <= {name for (name,) in noted}
