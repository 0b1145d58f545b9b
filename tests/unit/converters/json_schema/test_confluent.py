"""Confluent's JsonSchemaConverter: bytes, subjects, requests, and parts of rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from connector.converters.json_schema.confluent import JsonSchemaConverter
from connector.data.fragments import Fragments
from connector.data.schema import INT32, INT64, OPTIONAL_STRING, STRING, Schema, map_of, struct
from connector.data.semantic import decimal
from connector.errors import ConfigError, ConversionError
from tests.fixtures.scripted_registry import ScriptedRegistry, scripted_registry

PACKAGE = "io.confluent.kafka.serializers.subject."
ROW = struct("server.shop.Value", ("id", INT32), ("name", OPTIONAL_STRING))
START = bytes.fromhex("00 00000007")
WRITTEN = START + b'{"id":1,"name":"a"}'
VALUE = {"id": 1, "name": "a"}


@pytest.fixture
def registry() -> Iterator[ScriptedRegistry]:
    with scripted_registry() as served:
        yield served


def converter(registry: ScriptedRegistry, **options: str) -> JsonSchemaConverter:
    config = {key.replace("_", "."): text for key, text in options.items()}
    url = {"schema.registry.url": registry.url, "converter.type": "value"}
    return JsonSchemaConverter({**url, **config})


def test_a_value_behind_the_id_of_its_schema(registry: ScriptedRegistry) -> None:
    made = converter(registry)
    for _ in range(2):
        assert made.from_connect("t", ROW, VALUE) == WRITTEN
    [(method, path, _, body)] = registry.requests
    assert (method, path) == ("POST", "/subjects/t-value/versions?normalize=false")
    sent = json.loads(body)
    assert sent["schemaType"] == "JSON"
    assert json.loads(sent["schema"])["title"] == "server.shop.Value"


def test_parts_of_rows_equal_whole_values(registry: ScriptedRegistry) -> None:
    made = converter(registry)
    assert isinstance(made, Fragments)
    before, behind = made.frame(ROW, "t")
    assert before + made.row(ROW)((1, "a")) + behind == WRITTEN
    parts = made.part(ROW, 0, 1)((1, "a")) + made.part(ROW, 1, 2)((1, "a"))
    assert before + parts + made.close(ROW) + behind == WRITTEN
    assert made.label(ROW, 1) + made.null(OPTIONAL_STRING) == b',"name":null'
    assert made.present(OPTIONAL_STRING) == b""


@pytest.mark.parametrize(
    ("schema", "value", "written"),
    [
        (None, None, None),
        (ROW, None, None),
        (ROW.as_optional(), None, START + b"null"),
        (INT64.with_changes(default=5), None, START + b"5"),
        (map_of(STRING, INT32), {"a": 1}, START + b'{"a":1}'),
        (map_of(OPTIONAL_STRING, INT32), {"a": 1}, START + b'[{"key":"a","value":1}]'),
        (decimal(2), 156, START + b'"AJw="'),
    ],
)
def test_values(
    registry: ScriptedRegistry, schema: Schema | None, value: Any, written: bytes | None
) -> None:
    assert converter(registry).from_connect("t", schema, value) == written


def test_settings_of_values(registry: ScriptedRegistry) -> None:
    made = converter(registry, decimal_format="numeric")
    assert made.from_connect("t", decimal(2), 156) == START + b"1.56"
    made = converter(registry, ignore_default_for_nullables="true")
    schema = struct("s", ("a", STRING.with_changes(optional=True, default="x")))
    assert made.from_connect("t", schema, {"a": None}) == START + b'{"a":null}'
    assert converter(registry).from_connect("t", schema, {"a": None}) == START + b'{"a":"x"}'


def test_a_value_without_schema_is_refused(registry: ScriptedRegistry) -> None:
    with pytest.raises(ConversionError, match="without schema"):
        converter(registry).from_connect("t", None, {"a": 1})
    assert not registry.requests


@pytest.mark.parametrize(
    ("strategy", "subject"),
    [
        ("RecordNameStrategy", "server.shop.Value"),
        ("TopicRecordNameStrategy", "t-server.shop.Value"),
    ],
)
def test_subjects_named_by_titles(registry: ScriptedRegistry, strategy: str, subject: str) -> None:
    made = converter(registry, value_subject_name_strategy=PACKAGE + strategy)
    made.from_connect("t", ROW, VALUE)
    assert registry.requests[0][1] == f"/subjects/{subject}/versions?normalize=false"
    for schema in (STRING, ROW.as_optional()):
        with pytest.raises(ConversionError, match="must only be a record"):
            made.from_connect("t", schema, None if schema.optional else "x")


def test_the_latest_version_needs_the_same_fields(registry: ScriptedRegistry) -> None:
    made = converter(registry, auto_register_schemas="false", use_latest_version="true")
    name = {"oneOf": [{"type": "null"}, {"type": "string"}]}
    schema = {"properties": {"name": name, "id": {"type": "integer"}}, "type": "object"}
    answer = {"id": 7, "version": 3, "schemaType": "JSON"}
    registry.answers.append((200, {**answer, "schema": json.dumps(schema)}))
    assert made.from_connect("t", ROW, VALUE) == WRITTEN
    schema["properties"] = {"id": {"type": "integer"}}
    registry.answers.append((200, {**answer, "schema": json.dumps(schema)}))
    with pytest.raises(ConversionError, match="does not have the fields"):
        made.from_connect("u", ROW, VALUE)


@pytest.mark.parametrize("option", ["json_indent_output", "generalized_sum_type_support"])
def test_settings_that_are_refused(registry: ScriptedRegistry, option: str) -> None:
    with pytest.raises(ConfigError, match="not supported"):
        converter(registry, **{option: "true"})


def test_the_number_of_kept_schemas_is_bounded(registry: ScriptedRegistry) -> None:
    made = converter(registry, schemas_cache_config="2")
    for number in (*range(5), *range(5)):
        made.from_connect("t", struct(f"s{number}", ("id", INT32)), {"id": 1})
    assert len(made._known) == 2
    assert len(registry.requests) == 5
