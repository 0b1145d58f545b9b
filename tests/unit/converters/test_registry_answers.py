"""Answers of a registry that hold something else than was requested."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from connector.converters.apicurio_json import ExtJsonConverter
from connector.converters.avro.apicurio import ApicurioAvroConverter
from connector.converters.avro.confluent import AvroConverter
from connector.converters.json_schema.confluent import JsonSchemaConverter
from connector.converters.protobuf.confluent import ProtobufConverter
from connector.data.schema import INT32, struct
from connector.errors import RegistryUnavailableError, SchemaRefusedError
from tests.fixtures.scripted_registry import ScriptedRegistry, scripted_registry

ROW = struct("server.shop.Value", ("id", INT32))
LATEST = {"auto.register.schemas": "false", "use.latest.version": "true"}
APICURIO = "apicurio.registry."
PAGE = b"<html>404 page not found</html>"
MOVED = {"message": "Moved"}


@pytest.fixture
def registry() -> Iterator[ScriptedRegistry]:
    with scripted_registry() as served:
        yield served


@pytest.mark.parametrize(
    ("status", "content"),
    [*((status, PAGE) for status in (200, 301, 302, 307, 308, 404, 405)), (301, MOVED)],
)
def test_answers_of_another_server(registry: ScriptedRegistry, status: int, content: Any) -> None:
    avro = AvroConverter({"schema.registry.url": registry.url})
    registry.answers.append((status, content))
    with pytest.raises(RegistryUnavailableError, match=f"status {status}, which is no answer of"):
        avro.from_connect("t", ROW, {"id": 1})
    assert avro.from_connect("t", ROW, {"id": 1}) == bytes.fromhex("00 00000007 02")


@pytest.mark.parametrize("number", [-1, 1 << 31, 1 << 32, 1.5, True, "7", None])
def test_an_id_that_is_none(registry: ScriptedRegistry, number: Any) -> None:
    registry.answers.append((200, {"id": number}))
    avro = AvroConverter({"schema.registry.url": registry.url})
    with pytest.raises(SchemaRefusedError, match="answers without an id for subject t-value"):
        avro.from_connect("t", ROW, {"id": 1})


@pytest.mark.parametrize("answer", [{"id": 1}, {"id": 1, "schema": 5}, [1], "x"])
def test_an_answer_without_schema(registry: ScriptedRegistry, answer: Any) -> None:
    registry.answers.append((200, answer))
    avro = AvroConverter({"schema.registry.url": registry.url, **LATEST})
    with pytest.raises(SchemaRefusedError, match="answers without a schema"):
        avro.from_connect("t", ROW, {"id": 1})


@pytest.mark.parametrize("kind", [AvroConverter, JsonSchemaConverter, ProtobufConverter])
@pytest.mark.parametrize(
    "schema",
    [
        'syntax = "proto3"; message Value { int32 id = 1; }',
        '{"type":"object","properties":{"id":{"type":"string"}}}',
        '{"type":"record","name":"a","fields":[]}',
        '{"type":"record"}',
        "{}",
        "[1]",
        "null",
        "true",
    ],
)
def test_a_latest_version_of_another_kind(
    registry: ScriptedRegistry, kind: Any, schema: str
) -> None:
    registry.answers.append((200, {"id": 7, "version": 1, "schema": schema}))
    converter = kind({"schema.registry.url": registry.url, **LATEST})
    with pytest.raises(SchemaRefusedError, match="does not have the fields of the table"):
        converter.from_connect("t", ROW, {"id": 1})


@pytest.mark.parametrize("kind", [ApicurioAvroConverter, ExtJsonConverter])
@pytest.mark.parametrize("number", [-1, 1 << 63, True, "7", None])
def test_an_artifact_without_ids(registry: ScriptedRegistry, kind: Any, number: Any) -> None:
    converter = kind({f"{APICURIO}url": registry.url, f"{APICURIO}auto-register": "true"})
    for answer in ([1], {"globalId": 7, "contentId": number}, {"globalId": number}):
        registry.answers.append((200, answer))
        with pytest.raises(SchemaRefusedError, match=r"answers without a (globalId|contentId)"):
            converter.from_connect("t", ROW, {"id": 1})


def test_an_id_of_apicurio_that_is_too_large_for_four_bytes(registry: ScriptedRegistry) -> None:
    config = {f"{APICURIO}auto-register": "true", f"{APICURIO}headers.enabled": "false"}
    short = {**config, f"{APICURIO}as-confluent": "true", f"{APICURIO}url": registry.url}
    registry.answers.append((200, {"globalId": 1 << 31, "contentId": 9}))
    with pytest.raises(SchemaRefusedError, match="2147483648 of a schema does not fit into 4"):
        ApicurioAvroConverter(short).from_connect("t", ROW, {"id": 1})


@pytest.mark.parametrize("schema", [{"type": "record"}, [{"a": 1}], {}, 5])
def test_a_latest_artifact_of_another_kind(registry: ScriptedRegistry, schema: Any) -> None:
    converter = ApicurioAvroConverter(
        {f"{APICURIO}url": registry.url, f"{APICURIO}find-latest": "true"}
    )
    registry.answers.append((200, {"version": "3", "globalId": 7, "contentId": 9}))
    registry.answers.append((200, json.loads(json.dumps(schema))))
    with pytest.raises(SchemaRefusedError, match="Version 3 of artifact t-value does not have"):
        converter.from_connect("t", ROW, {"id": 1})
