"""Columns in the schemas of messages that the definitions of their tables lack."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

pytest.importorskip("pyspark")

from sparksink.config.columns import Columns
from sparksink.config.file import parse
from sparksink.config.ordering import Ordering
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.undefined_columns import hidden_columns, undefined_columns
from sparksink.schemas.definitions import Definitions, Message
from tests.fixtures.sink.defined import defined
from tests.fixtures.sink.recorded import Topic, field
from tests.unit.sparksink.least_config import LEAST

STATEMENTS = defined("CREATE TABLE t (id INT, a INT, b INT)", "ALTER TABLE t DROP COLUMN b")


def read(*names: str, mode: str = "binlog", **rules: Any) -> MessageSchemas:
    """Return schemas that know a message with these columns."""
    messages: list[Message] = [
        (n, json.dumps(one).encode(), None) for n, one in enumerate(STATEMENTS)
    ]
    known = Definitions(parse(LEAST), lambda offset: messages[offset:])
    known.refresh()
    found = MessageSchemas(
        lambda _: known.versions("shop.t"),
        str,
        ordering=Ordering(mode=mode),
        rules=lambda _: Columns(**rules),
    )
    topic = Topic(columns=[field(name, "int32") for name in names])
    message = topic.change("c", 1, None, dict.fromkeys(["id", *names], 1))
    found.add_schema(topic.name, "schema", base64.b64decode(message["value64"]))
    return found


TOPIC = Topic().name


def test_a_column_without_a_definition_is_undefined() -> None:
    assert undefined_columns(read("id", "a", "c"), TOPIC, "json:0") == ["c"]
    assert undefined_columns(read("id", "A"), TOPIC, "json:0") == []


def test_a_former_column_is_defined_at_the_positions_that_had_it() -> None:
    schemas = read("id", "a", "b")
    assert [layout.mark for _, layout, _ in schemas.list_versions()] == ["json:0"]
    assert undefined_columns(schemas, TOPIC, "json:0@0") == []
    assert undefined_columns(schemas, TOPIC, "json:0@1") == ["b"]


@pytest.mark.parametrize("names", [("id", "a"), ("id", "a", "c")])
def test_messages_without_former_columns_need_no_position(names: tuple[str, ...]) -> None:
    assert read(*names).list_versions() == []


def test_former_columns_are_defined_if_positions_do_not_count() -> None:
    schemas = read("id", "a", "b", mode="kafka")
    assert schemas.list_versions() == []
    assert undefined_columns(schemas, TOPIC, "json:0") == []


def test_columns_that_the_settings_name_are_known() -> None:
    assert undefined_columns(read("id", "c", exclude=["c"]), TOPIC, "json:0") == []
    assert undefined_columns(read("id", "c", types={"id": "INT"}), TOPIC, "json:0") == []


def test_undefined_columns_may_be_hidden_ones_only_if_the_settings_hide_some() -> None:
    assert hidden_columns(read("id", "c"), TOPIC, "json:0") == []
    assert hidden_columns(read("id", "c", mask={"a": None}), TOPIC, "json:0") == ["c"]
    assert hidden_columns(read("id", "c", mask={"a": None}, include=["id"]), TOPIC, "json:0") == []
