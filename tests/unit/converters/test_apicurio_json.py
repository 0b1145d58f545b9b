"""Apicurio's ExtJsonConverter: bytes, requests, and parts of rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connector.converters.apicurio_json import ExtJsonConverter
from connector.converters.json import JsonConverter
from connector.data.fragments import Fragments
from connector.data.schema import FLOAT64, INT32, OPTIONAL_STRING, Schema, struct
from connector.data.semantic import decimal
from connector.errors import ConfigError, ConversionError
from tests.fixtures.scripted_registry import ScriptedRegistry, scripted_registry

PREFIX = "apicurio.registry."
PRICE = FLOAT64.with_changes(optional=True, default=1.50)
ROW = struct("server.shop.Value", ("id", INT32), ("name", OPTIONAL_STRING), ("price", PRICE))
VALUE = {"id": 1, "name": "a", "price": None}
START = b'{"schemaId":7,"payload":'
WRITTEN = START + b'{"id":1,"name":"a","price":1.5}}'
ANSWER = (200, {"id": "t-value", "version": "3", "globalId": 7, "contentId": 9})


@pytest.fixture
def registry() -> Iterator[ScriptedRegistry]:
    with scripted_registry() as served:
        served.answers.append(ANSWER)
        yield served


def converter(registry: ScriptedRegistry, **options: str) -> ExtJsonConverter:
    config = {name.replace("_", "."): text for name, text in options.items()}
    own = {f"{PREFIX}url": registry.url, f"{PREFIX}auto-register": "true"}
    return ExtJsonConverter({"converter.type": "value", **own, **config})


def test_a_value_with_the_id_of_its_schema(registry: ScriptedRegistry) -> None:
    made = converter(registry)
    for _ in range(2):
        assert made.from_connect("t", ROW, VALUE) == WRITTEN
    [(method, path, headers, body)] = registry.requests
    assert method == "POST"
    assert path.startswith("/apis/registry/v2/groups/default/artifacts?ifExists=RETURN_OR_UPDATE")
    assert headers["X-Registry-ArtifactId"] == "t-value"
    assert headers["X-Registry-ArtifactType"] == "KCONNECT"
    message = JsonConverter().from_connect("t", ROW, VALUE)
    assert json.loads(body) == json.loads(message or b"")["schema"]


def test_parts_of_rows_equal_whole_values(registry: ScriptedRegistry) -> None:
    made = converter(registry)
    assert isinstance(made, Fragments)
    before, behind = made.frame(ROW, "t")
    row = (1, "a", None)
    assert before + made.row(ROW)(row) + behind == WRITTEN
    parts = made.part(ROW, 0, 1)(row) + made.part(ROW, 1, 3)(row)
    assert before + parts + made.close(ROW) + behind == WRITTEN


@pytest.mark.parametrize(
    ("schema", "value", "written"),
    [
        (None, None, None),
        (ROW.as_optional(), None, START + b"null}"),
        (decimal(2), 156, START + b"1.56}"),
    ],
)
def test_values(
    registry: ScriptedRegistry, schema: Schema | None, value: Any, written: bytes | None
) -> None:
    made = converter(registry, decimal_format="NUMERIC", schemas_cache_size="0")
    assert made.from_connect("t", schema, value) == written


def test_values_that_are_refused(registry: ScriptedRegistry) -> None:
    made = converter(registry)
    with pytest.raises(ConversionError, match="without schema"):
        made.from_connect("t", None, {"a": 1})
    with pytest.raises(ConversionError, match="null value for field that is required"):
        made.from_connect("t", ROW, None)


def test_the_latest_version_needs_the_same_schema(registry: ScriptedRegistry) -> None:
    options = {f"{PREFIX}auto-register": "false", f"{PREFIX}find-latest": "true"}
    message = JsonConverter().from_connect("t", ROW, VALUE)
    schema = json.loads(message or b"")["schema"]
    registry.answers.append((200, schema))
    assert converter(registry, **options).from_connect("t", ROW, VALUE) == WRITTEN
    registry.answers += [ANSWER, (200, {**schema, "fields": []})]
    with pytest.raises(ConversionError, match="does not have the fields"):
        converter(registry, **options).from_connect("t", ROW, VALUE)


def test_a_strategy_for_avro_is_refused(registry: ScriptedRegistry) -> None:
    name = "io.apicurio.registry.serde.avro.strategy.RecordIdStrategy"
    with pytest.raises(ConfigError, match="not supported"):
        converter(registry, **{f"{PREFIX}artifact-resolver-strategy": name})


def test_the_documented_example(registry: ScriptedRegistry) -> None:
    page = (Path(__file__).parents[3] / "docs" / "apicurio-json.md").read_text("utf-8")
    _, written, schema = re.findall(r"```json\n(.*?)\n```", page, re.DOTALL)
    row = struct("server.shop.orders.Value", ("id", INT32), ("note", OPTIONAL_STRING))
    value = {"id": 7, "note": None}
    made = converter(registry).from_connect("server.shop.orders", row, value)
    assert (made or b"").decode() == written
    _, _, headers, body = registry.requests[0]
    assert headers["X-Registry-ArtifactId"] == "server.shop.orders-value"
    assert json.dumps(json.loads(body)) == json.dumps(json.loads(schema))
