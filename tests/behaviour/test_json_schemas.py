"""JSON Schema with a real registry: values are valid by the schemas that it keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from jsonschema import Draft7Validator, ValidationError

from connector.converters.apicurio_json import ExtJsonConverter
from connector.converters.json import JsonConverter
from connector.converters.json_schema.confluent import JsonSchemaConverter
from connector.data.schema import (
    INT32,
    OPTIONAL_STRING,
    STRING,
    array,
    map_of,
    struct,
)
from connector.data.semantic import CONNECT_TIMESTAMP, POINT, enum
from connector.errors import ConversionError
from tests.fixtures.registry_converters import FIELDS, VALUES, RegistryConverters, event_of
from tools.stack import SchemaRegistry
from tools.stack.http import http

ROW = struct(
    "server.shop.Value",
    *FIELDS,
    ("state", enum("new,done")),
    ("at", CONNECT_TIMESTAMP.as_optional()),
    ("point", POINT.as_optional()),
    ("list", array(OPTIONAL_STRING)),
    ("object", map_of(STRING, INT32)),
    ("pairs", map_of(INT32, STRING)),
)
EVENT = event_of(ROW)
FILLED = {
    **VALUES,
    "state": "done",
    "at": 1_700_000_000_000,
    "point": {"x": 1.0, "y": 2.0, "wkb": b"\x01", "srid": None},
    "list": ["a", None],
    "object": {"a": 1},
    "pairs": {1: "a"},
}
EMPTY = {
    **dict.fromkeys(FILLED),
    **{name: FILLED[name] for name in ("tiny", "big", "text", "state", "list", "object", "pairs")},
}


Converters = RegistryConverters[JsonSchemaConverter]


@pytest.fixture
def converters(schema_registry: SchemaRegistry) -> Iterator[Converters]:
    with closing(RegistryConverters(JsonSchemaConverter, schema_registry)) as opened:
        yield opened


def _decoded(registry: SchemaRegistry, written: bytes | None) -> tuple[dict[str, Any], Any]:
    """Return schema and value of a message."""
    assert written is not None
    assert written[0] == 0
    identifier = int.from_bytes(written[1:5], "big")
    answer = http.get(f"{registry.url}/schemas/ids/{identifier}", timeout=30).json()
    assert answer["schemaType"] == "JSON"
    return json.loads(answer["schema"]), json.loads(written[5:])


@pytest.mark.parametrize("options", [{}, {"decimal_format": "NUMERIC"}], ids=str)
@pytest.mark.parametrize(("before", "after"), [(None, FILLED), (FILLED, EMPTY), (EMPTY, None)])
def test_events_are_valid(
    converters: Converters, options: dict[str, str], before: Any, after: Any
) -> None:
    event = {"before": before, "after": after, "op": "u"}
    topic = "json-" + options.get("decimal_format", "base64")
    written = converters.make(**options).from_connect(topic, EVENT, event)
    schema, value = _decoded(converters.registry, written)
    Draft7Validator.check_schema(schema)
    Draft7Validator(schema).validate(value)
    assert value["op"] == "u"
    with pytest.raises(ValidationError):
        Draft7Validator(schema).validate({**value, "op": 1})


def test_a_registered_schema_is_found(converters: Converters) -> None:
    first = converters.make().from_connect("found", ROW, FILLED)
    for latest in ("false", "true"):
        made = converters.make(auto_register_schemas="false", use_latest_version=latest)
        assert made.from_connect("found", ROW, FILLED) == first


def test_apicurio_knows_no_schemas_of_single_values(converters: Converters) -> None:
    with pytest.raises(ConversionError, match="artifact type"):
        converters.make().from_connect("single", INT32, 1)


def test_apicurio_keeps_connect_schemas(schema_registry: SchemaRegistry) -> None:
    below = "apicurio.registry."
    settings = {f"{below}url": schema_registry.apicurio_url, f"{below}auto-register": "true"}
    found = []
    for options in ({}, {f"{below}auto-register": "false"}, {f"{below}find-latest": "true"}):
        made = ExtJsonConverter({**settings, **options})
        written = made.from_connect("ext", EVENT, {"before": None, "after": FILLED, "op": "c"})
        found.append(json.loads(written or b""))
        made._registry._client._http.close()
    assert found == [found[0]] * 3
    path = f"/ids/globalIds/{found[0]['schemaId']}"
    registered = http.get(schema_registry.apicurio_url + path, timeout=30).json()
    whole = JsonConverter().from_connect("ext", EVENT, {"before": None, "after": FILLED, "op": "c"})
    assert {"schema": registered, "payload": found[0]["payload"]} == json.loads(whole or b"")
