"""Tables are named by the topics, or have names of their own."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pyspark")

from connector.debezium.topics import sanitize
from sparksink.change_position import ChangePosition
from sparksink.config.file import parse
from sparksink.schemas.definitions import Definitions, Message
from sparksink.source.routes import Route, Routes
from tests.fixtures.sink.defined import defined
from tests.unit.sparksink.least_config import changed, source

TABLES = [
    {"match": r"shop\.orders", "target": {"name": "Orders", "history.name": "all_{db}"}},
    {"match": r"hr\..*", "target": {"name": "{table}"}},
]


def test_a_table_has_a_name_of_its_own() -> None:
    routes = Routes(parse(changed(tables=TABLES, target={"path": "/t", "name.case": "lower"})))
    orders = Route("srv.shop.orders", "shop.orders", "orders", "all_shop")
    assert routes.route("srv.shop.orders") == orders
    assert routes.route("srv.hr.Staff").mirror == "staff"
    assert routes.route("srv.hr.Staff").history == "hr__staff__history"
    assert routes.route("srv.shop.items").mirror == "shop__items"


@pytest.mark.parametrize("name", ["shop.orders", "shop.order items", "größe.a$b", "shop.a.b"])
def test_a_table_of_the_source_is_found_by_its_topic(name: str) -> None:
    config = parse(changed())
    routed = config.source.table_name(name)
    assert Routes(config).route(sanitize(f"srv.{name}")).table == routed
    assert config.source.table_name(routed) == routed


def test_messages_that_name_their_table_have_its_own_name() -> None:
    config = parse(source(route="source"))
    assert config.source.table_name("shop.order items") == "shop.order items"


def definitions(*statements: str) -> Definitions:
    messages: list[Message] = [
        (n, json.dumps(one).encode(), None) for n, one in enumerate(defined(*statements))
    ]
    known = Definitions(parse(changed()), lambda offset: messages[offset:])
    known.refresh()
    return known


def test_definitions_have_the_names_of_topics_unless_two_tables_share_one() -> None:
    first, gone = "CREATE TABLE `a b` (id INT)", "DROP TABLE `a b`"
    other = "CREATE TABLE a$b (id INT)"
    known = definitions(first, gone, other)
    assert known.all_versions()["shop.a_b"].created == ChangePosition(1, 30 << 22)
    assert known.source_name("shop.a_b") == "shop.a$b"
    assert known.error("shop.a_b") is None
    known = definitions(first, other, gone)
    assert known.all_versions() == {}
    assert known.versions("shop.a_b") is None
    assert "shop.a b and shop.a$b have the same name" in str(known.error("shop.a_b"))
