"""Tables are named by the topics, or have names of their own; no two topics share one."""

from __future__ import annotations

import pytest

from sparksink.config.file import parse
from sparksink.errors import ConfigError
from sparksink.source.routes import Route, Routes
from tests.unit.sparksink.least_config import changed

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


def test_a_name_of_another_topic_is_refused() -> None:
    routes = Routes(parse(changed(tables=TABLES)))
    routes.route("srv.hr.orders")
    with pytest.raises(ConfigError, match="would both be written to Orders"):
        routes.route("srv.shop.orders")
