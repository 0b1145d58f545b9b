"""The plugin table."""

from __future__ import annotations

import pytest

from connector.errors import ConfigError, NotFoundError
from connector.plugin_table import ROWS, PluginRow, PluginTable

MYSQL = "io.debezium.connector.mysql.MySqlConnector"


@pytest.mark.parametrize("name", [MYSQL, "MySqlConnector", "MySql"])
def test_names_of_a_connector(name: str) -> None:
    assert PluginTable().info(name, "source").class_name == MYSQL


@pytest.mark.parametrize(
    "name", ["org.apache.kafka.connect.json.JsonConverter", "JsonConverter", "Json"]
)
def test_names_of_a_converter(name: str) -> None:
    assert PluginTable().component(name, "converter").__name__ == "JsonConverter"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.kind}-{row.class_name}")
def test_every_row_can_be_loaded(row: PluginRow) -> None:
    loaded = row.load()
    described = loaded() if row.kind == "source" else loaded
    assert described.config_def is not None


def test_a_connector_is_made_once() -> None:
    table = PluginTable([PluginRow("source", "a.B", "1", "builtins:object")])
    assert table.connector("B") is table.connector("a.B")


def test_sources_come_first() -> None:
    kinds = [plugin.kind for plugin in PluginTable().all()]
    order = ["source", "transformation", "predicate", "converter", "header_converter"]
    assert kinds == sorted(kinds, key=order.index)


def test_unknown_names() -> None:
    with pytest.raises(NotFoundError, match="which name matches Nope, available connectors are: a"):
        PluginTable([PluginRow("source", "a.B", "1", "x:y")]).connector("Nope")
    with pytest.raises(NotFoundError, match="available transformations are: none"):
        PluginTable([]).component("Nope", "transformation")


def test_a_short_name_of_two_classes() -> None:
    table = PluginTable(
        [
            PluginRow("predicate", "a.B", "1", "x:y"),
            PluginRow("predicate", "c.BPredicate", "1", "x:y"),
        ]
    )
    with pytest.raises(
        ConfigError,
        match=r"More than one predicate matches alias B\. Please use full package and class name "
        r"instead\. Classes found: a\.B, c\.BPredicate",
    ):
        table.info("B", "predicate")


def test_one_class_of_two_kinds_is_not_ambiguous() -> None:
    rows = [
        PluginRow("converter", "a.B", "1", "x:y"),
        PluginRow("header_converter", "a.B", "1", "x:y"),
    ]
    assert PluginTable(rows).info("B").class_name == "a.B"


def test_blanks_around_a_name_do_not_count() -> None:
    """A line of a .properties file keeps those at its end; Connect trims them."""
    assert PluginTable().info(" RegexRouter ").class_name.endswith(".RegexRouter")
    assert PluginTable().component("Json ", "converter").__name__ == "JsonConverter"
