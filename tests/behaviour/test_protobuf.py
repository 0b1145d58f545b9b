"""Protobuf with a real registry: messages are read with the schemas that it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from connector.converters.protobuf.confluent import ProtobufConverter
from connector.data.schema import (
    INT32,
    INT64,
    OPTIONAL_STRING,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)
from connector.data.semantic import CONNECT_DATE, CONNECT_TIME, CONNECT_TIMESTAMP, POINT
from connector.errors import ConversionError
from tests.fixtures.protobuf_files import fill, message_class
from tests.fixtures.registry_converters import FIELDS, VALUES, RegistryConverters, event_of
from tools.stack import SchemaRegistry
from tools.stack.http import http

ROW = struct(
    "my-server.shop.Value",
    *FIELDS,
    ("day", CONNECT_DATE.as_optional()),
    ("time", CONNECT_TIME.as_optional()),
    ("at", CONNECT_TIMESTAMP.as_optional()),
    ("point", POINT.as_optional()),
    ("list", array(STRING)),
    ("pairs", map_of(STRING, INT32)),
)
EVENT = event_of(ROW)
FILLED = {
    **VALUES,
    "day": 19_000,
    "time": 1,
    "at": 1_700_000_000_123,
    "point": {"x": 1.0, "y": 2.0, "wkb": b"\x01", "srid": None},
    "list": ["a", ""],
    "pairs": {"a": 1},
}
EMPTY: dict[str, Any] = {
    **dict.fromkeys(FILLED),
    "tiny": 0,
    "big": 0,
    "text": "",
    "list": [],
    "pairs": {},
}


Converters = RegistryConverters[ProtobufConverter]


@pytest.fixture
def converters(schema_registry: SchemaRegistry) -> Iterator[Converters]:
    with closing(RegistryConverters(ProtobufConverter, schema_registry)) as opened:
        yield opened


def _registered(registry: SchemaRegistry, written: bytes | None) -> dict[str, Any]:
    """Return what the registry keeps for a message."""
    assert written is not None
    assert written[0] == 0
    identifier = int.from_bytes(written[1:5], "big")
    found = http.get(f"{registry.url}/schemas/ids/{identifier}", timeout=30).json()
    assert found["schemaType"] == "PROTOBUF"
    return dict(found)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"optional_for_nullables": "true"},
        {"wrapper_for_nullables": "true"},
        {"skip_known_types": "false"},
    ],
    ids=str,
)
@pytest.mark.parametrize(("before", "after"), [(None, FILLED), (FILLED, EMPTY), (EMPTY, None)])
def test_events_are_read_with_the_registered_schema(
    converters: Converters, options: dict[str, str], before: Any, after: Any
) -> None:
    event = {"before": before, "after": after, "op": "u"}
    topic = "-".join(["protobuf", *options])
    written = converters.make(scrub_invalid_names="true", **options).from_connect(
        topic, EVENT, event
    )
    found = _registered(converters.registry, written)
    expected = fill(message_class(found["schema"], "my_server.shop.Envelope")(), EVENT, event)
    assert (written or b"")[5:] == b"\x00" + expected.SerializeToString()
    references = [reference["name"] for reference in found.get("references", [])]
    assert references == (
        [
            "confluent/type/decimal.proto",
            "google/type/date.proto",
            "google/type/timeofday.proto",
            "google/protobuf/timestamp.proto",
        ]
        if options == {"skip_known_types": "false"}
        else []
    )


def test_a_hyphen_in_a_package_is_kept(converters: Converters) -> None:
    written = converters.make().from_connect("hyphen", ROW, FILLED)
    text = _registered(converters.registry, written)["schema"]
    assert "package my-server.shop;" in text


def test_a_registered_schema_is_found(converters: Converters) -> None:
    for skip in ("true", "false"):
        topic = f"found-{skip}"
        first = converters.make(skip_known_types=skip).from_connect(topic, ROW, FILLED)
        identifier = str(int.from_bytes((first or b"")[1:5], "big"))
        for more in ({}, {"use_latest_version": "true"}, {"use_schema_id": identifier}):
            made = converters.make(auto_register_schemas="false", skip_known_types=skip, **more)
            assert made.from_connect(topic, ROW, FILLED) == first


def test_an_unknown_schema_is_not_registered(converters: Converters) -> None:
    made = converters.make(auto_register_schemas="false", skip_known_types="false")
    with pytest.raises(ConversionError, match="is not registered"):
        made.from_connect("unknown", struct("V", ("a", INT32)), {"a": 1})


@pytest.mark.parametrize(("schema", "value"), [(INT32, 1), (OPTIONAL_STRING, "a"), (INT64, 0)])
def test_single_values(converters: Converters, schema: Schema, value: Any) -> None:
    written = converters.make().from_connect(f"single-{schema.type}", schema, value)
    found = _registered(converters.registry, written)
    names = {"int32": "Int32Value", "string": "StringValue", "int64": "Int64Value"}
    made = message_class(found["schema"].replace("package google.protobuf;", "package x;"),
                         f"x.{names[schema.type]}")  # fmt: skip
    message: Any = made.FromString((written or b"")[7:])
    assert message.value == value
