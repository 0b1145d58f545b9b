"""Apicurio's converter: where ids are written, how artifacts are named, and requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from connector.converters.avro.apicurio import ApicurioAvroConverter
from connector.data.schema import INT32, STRING, struct
from connector.errors import ConfigError, ConversionError, RegistryUnavailableError
from tests.fixtures.scripted_registry import ScriptedRegistry, scripted_registry

REGISTRY = "apicurio.registry."
ROW = struct("server.shop.Value", ("id", INT32))
ENVELOPE = struct("server.shop.Envelope", ("before", ROW.as_optional()), ("after", ROW))
ANSWER = (200, {"id": "t-value", "version": "3", "globalId": 7, "contentId": 9})
VALUE = bytes.fromhex("02")


@pytest.fixture
def registry() -> Iterator[ScriptedRegistry]:
    with scripted_registry() as served:
        yield served


def converter(registry: ScriptedRegistry, **options: str) -> ApicurioAvroConverter:
    below = {REGISTRY + key.replace("__", ".").replace("_", "-"): v for key, v in options.items()}
    url = {f"{REGISTRY}url": registry.url, "converter.type": "value"}
    return ApicurioAvroConverter({**url, f"{REGISTRY}auto-register": "true", **below})


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ({}, "00 0000000000000007 02"),
        ({"use_id": "contentId"}, "00 0000000000000009 02"),
        ({"as_confluent": "true"}, "00 00000007 02"),
        ({"id_handler": "io.apicurio.registry.serde.Legacy4ByteIdHandler"}, "00 00000007 02"),
    ],
)
def test_ids_before_the_value(
    registry: ScriptedRegistry, options: dict[str, str], written: str
) -> None:
    registry.answers.append(ANSWER)
    avro = converter(registry, headers__enabled="false", **options)
    assert avro.from_connect("t", ROW, {"id": 1}) == bytes.fromhex(written)
    assert avro.schema_headers("t", ROW) == []


def test_ids_in_headers(registry: ScriptedRegistry) -> None:
    registry.answers.append(ANSWER)
    avro = converter(registry, headers__value__globalId__name="schema")
    for _ in range(2):
        assert avro.from_connect("t", ROW, {"id": 1}) == VALUE
        assert avro.frame(ROW, "t") == (b"", b"")
        assert avro.schema_headers("t", ROW) == [
            ("schema", (7).to_bytes(8, "big")),
            ("apicurio.value.encoding", b"BINARY"),
        ]
    assert avro.from_connect("t", None, None) is None
    assert len(registry.requests) == 1


def test_a_schema_is_registered_as_a_whole(registry: ScriptedRegistry) -> None:
    registry.answers.append(ANSWER)
    converter(registry).from_connect("t", ENVELOPE, {"before": None, "after": {"id": 1}})
    [(method, path, headers, body)] = registry.requests
    assert method == "POST"
    assert path == (
        "/apis/registry/v2/groups/default/artifacts?ifExists=RETURN_OR_UPDATE&canonical=false"
    )
    assert headers["X-Registry-ArtifactId"] == "t-value"
    assert json.loads(body)["fields"][1] == {"name": "after", "type": "Value"}


def test_references(registry: ScriptedRegistry) -> None:
    inner = (200, {"id": "server.shop.Value", "version": "1", "globalId": 1, "contentId": 1})
    registry.answers += [inner, ANSWER]
    avro = converter(registry, dereference_schema="false")
    avro.from_connect("t", ENVELOPE, {"before": None, "after": {"id": 1}})
    first, second = registry.requests
    assert first[2]["X-Registry-ArtifactId"] == "server.shop.Value"
    assert json.loads(first[3])["namespace"] == "server.shop"
    content = json.loads(second[3])
    assert json.loads(content["content"])["fields"][0]["type"] == ["null", "Value"]
    assert content["references"][0]["artifactId"] == "server.shop.Value"


@pytest.mark.parametrize(
    ("strategy", "artifact"),
    [
        ("strategy.TopicIdStrategy", "t-value"),
        ("strategy.SimpleTopicIdStrategy", "t"),
        ("avro.strategy.RecordIdStrategy", "Value"),
        ("avro.strategy.TopicRecordIdStrategy", "t-Value"),
        ("avro.strategy.QualifiedRecordIdStrategy", "server.shop.Value"),
    ],
)
def test_names_of_artifacts(registry: ScriptedRegistry, strategy: str, artifact: str) -> None:
    registry.answers.append(ANSWER)
    name = f"io.apicurio.registry.serde.{strategy}"
    converter(registry, artifact_resolver_strategy=name).from_connect("t", ROW, {"id": 1})
    assert registry.requests[0][2]["X-Registry-ArtifactId"] == artifact
    grouped = "/groups/server.shop/" in registry.requests[0][1]
    assert grouped is strategy.endswith((".RecordIdStrategy", "TopicRecordIdStrategy"))


def test_an_id_of_other_characters_is_refused(registry: ScriptedRegistry) -> None:
    strategy = "io.apicurio.registry.serde.avro.strategy.RecordIdStrategy"
    avro = converter(registry, artifact_resolver_strategy=strategy)
    with pytest.raises(ConversionError, match="may have ASCII characters only") as caught:
        avro.from_connect("t", struct("srv.t.Größe", ("id", INT32)), {"id": 1})
    assert "schema.name.adjustment.mode" in caught.value.remedy
    registry.answers.append(ANSWER)
    assert avro.from_connect("t", struct("srv.größe.Value", ("id", INT32)), {"id": 1}) == VALUE
    assert "/groups/srv.gr%C3%B6%C3%9Fe/" in registry.requests[0][1]


def test_schemas_that_must_exist(registry: ScriptedRegistry) -> None:
    registry.answers.append((404, {"message": "No artifact"}))
    avro = converter(registry, auto_register="false")
    with pytest.raises(ConversionError, match="status 404, No artifact") as caught:
        avro.from_connect("t", ROW, {"id": 1})
    assert "auto-register=true" in caught.value.remedy
    registry.answers.append(ANSWER)
    assert avro.from_connect("t", ROW, {"id": 1}) == VALUE
    assert registry.requests[1][1].endswith("/artifacts/t-value/meta?canonical=true")


def test_the_latest_version(registry: ScriptedRegistry) -> None:
    avro = converter(registry, auto_register="false", find_latest="true")
    fields: list[Any] = [{"name": "id", "type": "int"}]
    schema = {"type": "record", "name": "server.shop.Value", "fields": fields}
    registry.answers += [ANSWER, (200, schema)]
    assert avro.from_connect("t", ROW, {"id": 1}) == VALUE
    registry.answers += [ANSWER, (200, {**schema, "fields": []})]
    with pytest.raises(ConversionError, match="Version 3 of artifact u-value"):
        avro.from_connect("u", ROW, {"id": 1})


def test_settings_of_version_1(registry: ScriptedRegistry) -> None:
    registry.answers.append(ANSWER)
    strategy = "io.apicurio.registry.utils.serde.strategy.GetOrCreateIdStrategy"
    avro = converter(registry, auto_register="false", global_id=strategy)
    assert avro.from_connect("t", ROW, {"id": 1}) == VALUE
    assert "ifExists" in registry.requests[0][1]


def test_an_outage(registry: ScriptedRegistry) -> None:
    registry.answers.append((503, b""))
    with pytest.raises(RegistryUnavailableError, match="status 503"):
        converter(registry).from_connect("t", STRING, "x")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("apicurio.registry.avro.encoding", "JSON"),
        ("apicurio.registry.id-handler", "com.example.Handler"),
        ("apicurio.registry.use-id", "name"),
        ("apicurio.registry.auto-register.if-exists", "return"),
        ("apicurio.auth.service.url", "http://keycloak"),
        ("apicurio.registry.url", "not a url"),
        ("apicurio.auth.client.secret", "secret of mine"),
        ("apicurio.registry.schema-resolver", "com.example.Resolver"),
        ("apicurio.registry.headers.handler", "com.example.Handler"),
        ("apicurio.registry.avro-datum-provider", "com.example.Provider"),
        ("apicurio.registry.converter.serializer", "com.example.Serializer"),
    ],
)
def test_settings_that_are_refused(key: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ApicurioAvroConverter({"apicurio.registry.url": "http://r", key: value})
    assert "secret of" not in str(caught.value)


def test_the_serializers_of_examples_are_accepted(registry: ScriptedRegistry) -> None:
    serde = "io.apicurio.registry.serde.avro.AvroKafka"
    classes = {
        "converter__serializer": f"{serde}Serializer",
        "converter__deserializer": f"{serde}Deserializer",
    }
    registry.answers.append(ANSWER)
    assert converter(registry, **classes).from_connect("t", ROW, {"id": 1}) == VALUE
