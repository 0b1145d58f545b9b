"""A mirror follows its source's ALTER TABLE; what cannot be followed parks that table alone."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.defined import publish
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tests.sink.test_types import decimal
from tests.sink.test_types import number as value_of

pytestmark = pytest.mark.slow  # minutes of Spark

ID, NAME = field("id", "int32"), field("name", "string")


@pytest.fixture(params=["delta", "iceberg"])
def target(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"format": request.param}


def test_columns_are_added_with_the_value_that_rows_have_and_types_widened(
    sink: MakeSink, spark: Any, target: dict[str, Any]
) -> None:
    made = sink(target=target)
    topic = Topic(columns=[ID, NAME])
    before = [topic.change("c", pos, None, {"id": pos, "name": "n"}) for pos in (100, 110, 120)]
    made.batches.apply(frame(spark, before), "app", 0)
    old = topic.change("u", 130, {"id": 100, "name": "n"}, {"id": 100, "name": "old"})
    topic.columns = [
        field("id", "int64"),
        NAME,
        field("stock", "int32", optional=False, default=7),
        field("kind", "string", optional=False),
        field("note", "string"),
    ]
    full = {"id": 110, "name": "n", "stock": 1, "kind": "k", "note": "x"}
    # Two schemas in one batch, then the older one again: the connector was restarted.
    made.batches.apply(frame(spark, [old, topic.change("u", 200, None, full)]), "app", 1)
    replayed = {**old, "offset": 77}
    made.batches.apply(frame(spark, [replayed]), "app", 2)
    assert rows(made, "shop__orders", "id", "name", "stock", "kind", "note") == [
        (100, "old", 7, "", None),
        (110, "n", 1, "k", "x"),
        (120, "n", 7, "", None),
    ]
    assert made.lake.table("shop__orders").columns()["id"] == "bigint"


def test_a_decimal_gets_more_digits_while_the_job_runs(
    sink: MakeSink, spark: Any, target: dict[str, Any]
) -> None:
    made = sink(target=target)
    for number, (precision, unscaled) in enumerate(((5, 12345), (9, 123456789))):
        topic = Topic(columns=[ID, decimal("price", precision, 2)])
        row = {"id": number, "price": value_of(unscaled)}
        made.batches.apply(frame(spark, [topic.change("c", 100 + number, None, row)]), "a", number)
    assert [(key, str(price)) for key, price in rows(made, "shop__orders", "id", "price")] == [
        (0, "123.45"), (1, "1234567.89"),
    ]  # fmt: skip


def test_a_dropped_column_stays_and_comes_back(
    sink: MakeSink, spark: Any, target: dict[str, Any]
) -> None:
    made = sink(target=target)
    topic = Topic(columns=[ID, NAME])
    made.batches.apply(frame(spark, [topic.change("c", 100, None, {"id": 1, "name": "a"})]), "a", 0)
    topic.columns = [ID]
    made.batches.apply(frame(spark, [topic.change("c", 110, None, {"id": 2})]), "a", 1)
    topic.columns = [ID, NAME]
    made.batches.apply(frame(spark, [topic.change("c", 120, None, {"id": 3, "name": "c"})]), "a", 2)
    assert rows(made, "shop__orders", "id", "name") == [(1, "a"), (2, None), (3, "c")]


def test_a_rename_is_read_from_the_schema_change_topic(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any]
) -> None:
    made = sink(source={"ddl.topic": "srv"}, target=target)
    topic = Topic(columns=[ID, NAME])
    first = topic.change("c", 100, None, {"id": 1, "name": "a"})
    made.batches.apply(frame(spark, [first, topic.change("c", 110, None, {"id": 2, "name": "b"})]),
                       "a", 0)  # fmt: skip
    columns = [{"name": n, "typeName": k} for n, k in (("id", "INT"), ("title", "TEXT"))]
    value = {
        "ddl": "ALTER TABLE `orders` CHANGE COLUMN `name` `title` TEXT",
        "tableChanges": [{"id": '"shop"."orders"', "table": {"columns": columns}}],
    }
    line = {"topic": "srv", "partition": 0, "offset": 0, "value": json.dumps(value)}
    (tmp_path / "in" / "ddl.json").write_text(json.dumps(line))
    topic.columns = [ID, field("title", "string")]
    made.batches.apply(
        frame(spark, [topic.change("u", 200, None, {"id": 1, "title": "A"})]), "a", 1
    )
    old = Topic(columns=[ID, NAME]).change("u", 150, None, {"id": 2, "name": "B"})
    made.batches.apply(frame(spark, [old]), "a", 2)
    assert rows(made, "shop__orders", "id", "title") == [(1, "A"), (2, "B")]
    assert "name" not in made.lake.table("shop__orders").columns()


@pytest.mark.parametrize("ddl", [False, True])
def test_a_name_may_change_its_case(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any], *, ddl: bool
) -> None:
    created = "CREATE TABLE orders (id INT PRIMARY KEY, name TEXT)"
    publish(tmp_path, created)
    source = {"source": {"ddl.topic": "srv"}} if ddl else {}
    made = sink(**source, target=target, history={"enabled": True, "before": "struct"})
    topic = Topic(columns=[ID, NAME])
    old = [topic.change("c", 12 + n, None, {"id": n, "name": f"old {n}"}) for n in (1, 2)]
    topic.columns = [ID, field("Name", "string")]
    new = [topic.change("c", 22 + n, None, {"id": n, "Name": f"new {n}"}) for n in (3, 4)]
    made.batches.apply(frame(spark, old[:1]), "a", 0)
    publish(tmp_path, created, "ALTER TABLE orders RENAME COLUMN name TO Name")
    made.batches.apply(frame(spark, new[:1]), "a", 1)
    made.batches.apply(frame(spark, [old[1], new[1]]), "a", 2)
    expected = [(1, "old 1"), (2, "old 2"), (3, "new 3"), (4, "new 4")]
    assert made.state.parked_tables() == {}
    for table in ("shop__orders", "shop__orders__history"):
        assert rows(made, table, "id", "Name") == expected
        assert ("Name" if ddl else "name") in made.lake.table(table).columns()


def test_statements_of_the_schema_change_topic_are_stored_once(
    sink: MakeSink,
    spark: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    target: dict[str, Any],
) -> None:
    from sparksink.commands.subcommands import status  # noqa: PLC0415

    source = {"file": "bin.000007", "pos": 5, "ts_ms": 1_700_000_000_000}
    orders = '"shop"."orders"'
    columns = [{"name": "id", "typeName": "INT"}]
    statements = [
        {"ddl": "CREATE DATABASE shop", "source": source, "tableChanges": []},
        {"ddl": "CREATE TABLE orders", "source": source,
         "tableChanges": [{"type": "CREATE", "id": orders, "table": {"columns": columns}}]},
        {"ddl": "DROP TABLE orders", "source": source,
         "tableChanges": [{"type": "DROP", "id": orders, "table": None}]},
    ]  # fmt: skip
    topic = Topic(columns=[ID])
    for number in range(3):  # each time a job of its own, which learns of one statement more
        lines = [json.dumps({"topic": "srv", "partition": 0, "offset": offset,
                             "value": json.dumps({"payload": one})})
                 for offset, one in enumerate(statements[: number + 1])]  # fmt: skip
        made = sink(source={"ddl.topic": "srv"}, target=target)
        (tmp_path / "in" / "ddl.json").write_text("\n".join(lines))
        change = topic.change("c", 100 + number, None, {"id": number})
        made.batches.apply(frame(spark, [change]), "a", number)
        made.batches.apply(frame(spark, [change]), "a", number)
    kept = rows(made, "_cdc/ddl", "offset", "source_table", "kind", "ddl", "file", "pos")
    assert kept == [
        (0, None, None, "CREATE DATABASE shop", "bin.000007", 5),
        (1, "shop.orders", "CREATE", "CREATE TABLE orders", "bin.000007", 5),
        (2, "shop.orders", "DROP", "DROP TABLE orders", "bin.000007", 5),
    ]
    status(made, argparse.Namespace())
    assert capsys.readouterr().out.endswith("dropped at the source\n")
    assert len(rows(made, "shop__orders", "id")) == 3


def test_a_conflict_parks_one_table_until_it_is_taken_up(
    sink: MakeSink, spark: Any, target: dict[str, Any]
) -> None:
    from sparksink.commands import replay  # noqa: PLC0415

    made = sink(target=target)
    orders, others = Topic(columns=[ID, NAME]), Topic("srv.shop.others", [ID, NAME])
    both = [t.change("c", 100, None, {"id": 1, "name": "a"}) for t in (orders, others)]
    made.batches.apply(frame(spark, both), "app", 0)
    orders.columns = [ID, field("name", "int32")]
    changed = [
        orders.change("u", 200, None, {"id": 1, "name": 5}),
        others.change("u", 200, None, {"id": 1, "name": "b"}),
    ]
    for _ in range(2):
        made.batches.apply(frame(spark, changed), "app", 1)
    later = orders.change("c", 300, None, {"id": 2, "name": 6})
    made.batches.apply(frame(spark, [later]), "app", 2)
    assert (
        "column name is string and now arrives as int" in made.state.parked_tables()["shop.orders"]
    )
    assert rows(made, "shop__orders", "id", "name") == [(1, "a")]
    assert rows(made, "shop__others", "id", "name") == [(1, "b")]
    assert [offset for (offset,) in rows(made, "_cdc/parked", "offset")] == [2, 3]
    # An operator makes the column what it now is, and takes the table up again.
    table = made.lake.table("shop__orders")
    table.run("ALTER TABLE {table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    table.run("ALTER TABLE {table} DROP COLUMN name")
    again = sink(target=target)
    assert again.state.parked_tables().keys() == {"shop.orders"}
    assert replay.replay_parked(again, "shop.orders") == 2
    assert rows(again, "shop__orders", "id", "name") == [(1, 5), (2, 6)]
    assert rows(again, "_cdc/parked", "offset") == []
    assert sink(target=target).state.parked_tables() == {}


def test_a_crash_while_a_column_is_added_loses_no_value(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any]
) -> None:
    from tests.fixtures.sink.crashing import applied_after_crashes  # noqa: PLC0415
    from tests.sink.test_convergence import real_lake  # noqa: PLC0415

    topic = Topic(columns=[ID])
    sink(target=target).batches.apply(
        frame(spark, [topic.change("c", 100, None, {"id": 1})]), "app", 0
    )
    topic.columns = [ID, field("stock", "int32", optional=False, default=7)]
    batch = frame(spark, [topic.change("c", 200, None, {"id": 2, "stock": 1})])
    made = applied_after_crashes(
        sink, lambda: real_lake(spark, tmp_path, target=target), batch, target
    )
    assert rows(made, "shop__orders", "id", "stock") == [(1, 7), (2, 1)]


def test_what_iceberg_cannot_widen_parks_the_table(sink: MakeSink, spark: Any) -> None:
    made = sink(target={"format": "iceberg"})
    topic = Topic(columns=[ID, field("small", "int16")])
    first = topic.change("c", 100, None, {"id": 1, "small": 5})
    made.batches.apply(frame(spark, [first]), "app", 0)
    topic.columns = [ID, field("small", "int64")]
    second = topic.change("c", 110, None, {"id": 2, "small": 2**40})
    made.batches.apply(frame(spark, [second]), "app", 1)
    assert rows(made, "shop__orders", "id", "small") == [(1, 5), (2, 2**40)]
    topic.columns = [ID, field("small", "double")]
    third = topic.change("c", 120, None, {"id": 3, "small": 0.5})
    made.batches.apply(frame(spark, [third]), "app", 2)
    assert (
        "column small is bigint and now arrives as double"
        in made.state.parked_tables()["shop.orders"]
    )
