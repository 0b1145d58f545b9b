"""Tables with characters in their names that topics do not have, and their definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from connector.data.avro_names import field_names
from connector.debezium.topics import sanitize
from tests.fixtures.sink.defined import defined
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows
from tests.sink.test_streaming import record

ID = field("id", "int32")
GIVEN: dict[str, Any] = {
    "source": {"ddl.topic": "srv"},
    "target": {"format": "iceberg"},
    "columns": {"mask": {"ssn": None}},
}


def follow(path: Path, *statements: str) -> None:
    """Let the schema-change topic hold statements, at 10, 20, and so on."""
    lines = [
        {"topic": "srv", "partition": 0, "offset": number, "value": json.dumps(one)}
        for number, one in enumerate(defined(*statements))
    ]
    record(path, "ddl.json", *lines)


def columns(*names: str) -> list[Row]:
    return [ID, *(field(name, "string") for name in names)]


@pytest.mark.parametrize(
    "name", ["order items", "a.b", *(pytest.param(n, marks=pytest.mark.slow) for n in ("ü$", "%"))]
)
def test_a_table_whose_name_topics_do_not_have_follows_its_statements(
    sink: MakeSink, spark: Any, tmp_path: Path, name: str
) -> None:
    created = f"CREATE TABLE `{name}` (id INT PRIMARY KEY, ssn VARCHAR(9), n VARCHAR(9))"
    renamed = f"ALTER TABLE `{name}` RENAME COLUMN ssn TO tax, RENAME COLUMN n TO m"
    computed = f"ALTER TABLE `{name}` ADD at DATETIME DEFAULT NOW()"
    topic, made = Topic(sanitize(f"srv.shop.{name}"), columns("ssn", "n")), sink(**GIVEN)
    routed = sanitize(f"shop.{name}").split(".")[-2:]
    mirror = "__".join(routed)
    follow(tmp_path, created)
    first = topic.change("c", 15, None, {"id": 1, "ssn": "secret", "n": "x"})
    made.batches.apply(frame(spark, [first]), "app", 0)
    follow(tmp_path, created, renamed, computed)
    topic.columns = columns("tax", "m")
    second = topic.change("c", 25, None, {"id": 2, "tax": "secret", "m": "y"})
    made.batches.apply(frame(spark, [second]), "app", 1)
    assert rows(made, mirror, "id", "tax", "m") == [(1, None, "x"), (2, None, "y")]
    assert [*made.state.gaps()] == [".".join(routed)]
    follow(tmp_path, created, renamed, computed, f"DROP TABLE `{name}`", created)
    topic.columns = columns("ssn", "n")
    again = topic.change("c", 55, None, {"id": 3, "ssn": "secret", "n": "z"})
    made.batches.apply(frame(spark, [again]), "app", 2)
    assert rows(made, mirror, "id", "ssn", "n") == [(3, None, "z")]


def test_a_rename_that_keeps_the_topic_keeps_the_rows(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    created = "CREATE TABLE `order items` (id INT PRIMARY KEY, ssn VARCHAR(9))"
    renamed = "RENAME TABLE `order items` TO order_items"
    made, topic = sink(**GIVEN), Topic("srv.shop.order_items", columns("ssn"))
    follow(tmp_path, created)
    first = topic.change("c", 15, None, {"id": 1, "ssn": "secret"})
    made.batches.apply(frame(spark, [first]), "app", 0)
    follow(tmp_path, created, renamed, "ALTER TABLE order_items RENAME COLUMN ssn TO tax")
    topic.columns = columns("tax")
    second = topic.change("c", 35, None, {"id": 2, "tax": "secret"})
    made.batches.apply(frame(spark, [second]), "app", 1)
    assert (made.state.parked_tables(), made.state.gaps()) == ({}, {})
    assert rows(made, "shop__order_items", "id", "tax") == [(1, None), (2, None)]


def test_tables_that_share_a_topic_are_parked(sink: MakeSink, spark: Any, tmp_path: Path) -> None:
    first = "CREATE TABLE order_items (id INT PRIMARY KEY, ssn VARCHAR(9))"
    other = "CREATE TABLE `order items` (id INT PRIMARY KEY, n VARCHAR(9))"
    made, topic = sink(**GIVEN), Topic("srv.shop.order_items", columns("ssn"))
    follow(tmp_path, first)
    row = topic.change("c", 15, None, {"id": 1, "ssn": "secret"})
    made.batches.apply(frame(spark, [row]), "app", 0)
    follow(tmp_path, first, other, "DROP TABLE `order items`", other)
    later = topic.change("c", 45, None, {"id": 2, "ssn": "secret"})
    made.batches.apply(frame(spark, [later]), "app", 1)
    reason = "messages of shop.order items and shop.order_items have the same name"
    assert reason in made.state.parked_tables()["shop.order_items"]
    assert rows(made, "shop__order_items", "id") == [(1,)]


@pytest.mark.parametrize("hidden", [{"mask": {"ssn": None}}, {"exclude": ["ssn"]}])
def test_a_table_with_hidden_columns_waits_for_its_definition(
    sink: MakeSink, spark: Any, tmp_path: Path, hidden: dict[str, Any]
) -> None:
    made = sink(limits={"definition_seconds": 0.0}, **{**GIVEN, "columns": hidden})
    topic, open_topic = Topic("srv.shop.orders", columns("tax")), Topic("srv.shop.items", [ID])
    follow(tmp_path, "CREATE TABLE items (id INT PRIMARY KEY)")
    messages = [
        topic.change("c", 15, None, {"id": 1, "tax": "secret"}),
        open_topic.change("c", 16, None, {"id": 1}),
    ]
    made.batches.apply(frame(spark, messages), "app", 0)
    assert made.state.parked_tables().keys() == {"shop.orders"}
    assert "no definition in source.ddl.topic" in made.state.parked_tables()["shop.orders"]
    assert rows(made, "shop__items", "id") == [(1,)]


@pytest.mark.parametrize("mode", ["avro", "avro_unicode"])
def test_columns_with_adjusted_names_follow_their_statements(
    sink: MakeSink, spark: Any, tmp_path: Path, mode: str
) -> None:
    name = field_names(mode)
    modes = {"modes": {"field.name.adjustment": mode}}
    given = {
        **GIVEN, "source": {**GIVEN["source"], **modes}, "columns": {"mask": {name("tax id"): None}}
    }  # fmt: skip
    created = "CREATE TABLE orders (`order id` INT PRIMARY KEY, `tax id` VARCHAR(9), `n$` INT)"
    renamed = "ALTER TABLE orders RENAME COLUMN `tax id` TO `t %`, CHANGE `n$` `m$` INT"
    key, topic = name("order id"), Topic(keys=[name("order id")])

    def insert(pos: int, number: int, text: str, count: str) -> Row:
        kinds = {key: "int32", name(text): "string", name(count): "int32"}
        topic.columns = [field(*one) for one in kinds.items()]
        return topic.change(
            "c", pos, None, {key: number, name(text): "secret", name(count): number}
        )

    follow(tmp_path, created)
    made = sink(**given)
    made.batches.apply(frame(spark, [insert(15, 1, "tax id", "n$")]), "app", 0)
    follow(tmp_path, created, renamed)
    made.batches.apply(frame(spark, [insert(25, 2, "t %", "m$")]), "app", 1)
    assert made.state.parked_tables() == {}
    found = rows(made, "shop__orders", key, name("t %"), name("m$"))
    assert found == [(1, None, 1), (2, None, 2)]
    unset = sink(**{**given, "source": GIVEN["source"]})
    unset.batches.apply(frame(spark, [insert(26, 3, "t %", "m$")]), "app", 2)
    reason = f"Set source.modes.field.name.adjustment to {mode}"
    assert reason in unset.state.parked_tables()["shop.orders"]
