"""Confluent's ProtobufConverter: bytes, positions, subjects, requests and references."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from connector.converters.protobuf.confluent import ProtobufConverter
from connector.converters.protobuf.known_files import FILES
from connector.data.schema import BYTES, INT32, INT64, STRING, Schema, array, map_of, struct
from connector.data.semantic import CONNECT_TIMESTAMP, decimal
from connector.errors import ConfigError, ConversionError
from tests.fixtures.scripted_registry import ScriptedRegistry, scripted_registry

PACKAGE = "io.confluent.kafka.serializers.subject."
ROW = struct("server.shop.Value", ("id", INT32), ("price", decimal(2)), ("at", CONNECT_TIMESTAMP))
ID = bytes.fromhex("00 00000007")
VALUE = {"id": 1, "price": 156, "at": 2000}
WRITTEN = ID + bytes.fromhex("00 0801 1208 0a02009c 1003 1802 1a02 0802")
LINES = 'syntax = "proto3"; package server.shop; message Other {{}} message Value {{ {} }}'
FIELDS = "int32 id = 1; confluent.type.Decimal price = 2; google.protobuf.Timestamp at = 3;"


@pytest.fixture
def registry() -> Iterator[ScriptedRegistry]:
    with scripted_registry() as served:
        yield served


def converter(registry: ScriptedRegistry, **options: str) -> ProtobufConverter:
    config = {key.replace("_", "."): text for key, text in options.items()}
    url = {"schema.registry.url": registry.url, "converter.type": "value"}
    return ProtobufConverter({**url, **config})


def _sent(registry: ScriptedRegistry) -> list[tuple[str, str]]:
    return [(method, path) for method, path, *_ in registry.requests]


def test_a_message_behind_the_id_of_its_schema(registry: ScriptedRegistry) -> None:
    made = converter(registry)
    for _ in range(2):
        assert made.from_connect("t", ROW, VALUE) == WRITTEN
    [(method, path, _, body)] = registry.requests
    assert (method, path) == ("POST", "/subjects/t-value/versions?normalize=false")
    sent = json.loads(body)
    assert sent.keys() == {"schemaType", "schema"}
    assert sent["schemaType"] == "PROTOBUF"
    assert "\nmessage Value {\n" in sent["schema"]


@pytest.mark.parametrize(
    ("schema", "value", "written"),
    [
        (INT32, 1, "0208 0801"),
        (INT32, 0, "0208"),
        (INT64, -1, "0204 08ffffffffffffffffff01"),
        (STRING, "a", "020e 0a0161"),
        (BYTES.as_optional(), b"\x00", "0210 0a0100"),
        (Schema("boolean"), True, "020c 0801"),
        (Schema("float64"), 1.0, "00 09000000000000f03f"),
        (struct("V", ("id", INT32)), {"id": None}, "00"),
    ],
)
def test_positions_in_the_file(
    registry: ScriptedRegistry, schema: Schema, value: Any, written: str
) -> None:
    assert converter(registry).from_connect("t", schema, value) == ID + bytes.fromhex(written)


@pytest.mark.parametrize("schema", [None, ROW, INT32.with_changes(default=5), array(INT32)])
def test_a_null_is_a_null(registry: ScriptedRegistry, schema: Schema | None) -> None:
    assert converter(registry).from_connect("t", schema, None) is None
    assert not registry.requests


@pytest.mark.parametrize(
    ("schema", "value", "reason"),
    [
        (None, {"a": 1}, "without schema"),
        (map_of(STRING, INT32), {}, "single value of type map"),
        (decimal(2), 1, "single value of type .*Decimal"),
        (INT32, "x", "TypeError"),
    ],
)
def test_values_that_are_refused(
    registry: ScriptedRegistry, schema: Schema | None, value: Any, reason: str
) -> None:
    with pytest.raises(ConversionError, match=reason):
        converter(registry).from_connect("t", schema, value)


@pytest.mark.parametrize(
    ("strategy", "schema", "subject"),
    [
        ("RecordNameStrategy", ROW, "server.shop.Value"),
        ("TopicRecordNameStrategy", ROW.as_optional(), "t-server.shop.Value"),
        ("RecordNameStrategy", STRING, "google.protobuf.StringValue"),
    ],
)
def test_subjects_named_by_messages(
    registry: ScriptedRegistry, strategy: str, schema: Schema, subject: str
) -> None:
    made = converter(registry, value_subject_name_strategy=PACKAGE + strategy)
    made.from_connect("t", schema, "x" if schema is STRING else VALUE)
    assert registry.requests[0][1] == f"/subjects/{subject}/versions?normalize=false"


def test_files_that_are_registered_first(registry: ScriptedRegistry) -> None:
    made = converter(registry, skip_known_types="false", normalize_schemas="true")
    for version in (3, 5):
        registry.answers += [(200, {"id": 1}), (200, {"id": 1, "version": version})]
    assert made.from_connect("t", ROW, VALUE) == WRITTEN
    first, second = "confluent%2Ftype%2Fdecimal.proto", "google%2Fprotobuf%2Ftimestamp.proto"
    assert [path for _, path in _sent(registry)] == [
        f"/subjects/{first}/versions?normalize=true",
        f"/subjects/{first}?normalize=true",
        f"/subjects/{second}/versions?normalize=true",
        f"/subjects/{second}?normalize=true",
        "/subjects/t-value/versions?normalize=true",
    ]
    names = ["confluent/type/decimal.proto", "google/protobuf/timestamp.proto"]
    bodies = [json.loads(request[3]) for request in registry.requests]
    assert [bodies[0]["schema"], bodies[2]["schema"]] == [FILES[name] for name in names]
    assert bodies[4]["references"] == [
        {"name": name, "subject": name, "version": version}
        for name, version in zip(names, (3, 5), strict=True)
    ]


def test_files_that_are_only_found(registry: ScriptedRegistry) -> None:
    strategy = PACKAGE + "QualifiedReferenceSubjectNameStrategy"
    made = converter(
        registry, skip_known_types="false", reference_lookup_only="true",
        reference_subject_name_strategy=strategy,
    )  # fmt: skip
    registry.answers += [(200, {"id": 1, "version": 2}), (200, {"id": 2, "version": 2})]
    made.from_connect("t", ROW, VALUE)
    assert [path for _, path in _sent(registry)] == [
        "/subjects/confluent.type.decimal?normalize=false",
        "/subjects/google.protobuf.timestamp?normalize=false",
        "/subjects/t-value/versions?normalize=false",
    ]


def test_a_registered_schema_is_found_with_its_files(registry: ScriptedRegistry) -> None:
    made = converter(registry, skip_known_types="false", auto_register_schemas="false")
    registry.answers += [(200, {"id": 1, "version": 2}), (200, {"id": 1})]
    with pytest.raises(ConversionError, match="without a version"):
        made.from_connect("t", ROW, VALUE)
    assert [path for _, path in _sent(registry)] == [
        "/subjects/confluent%2Ftype%2Fdecimal.proto?normalize=false",
        "/subjects/google%2Fprotobuf%2Ftimestamp.proto?normalize=false",
    ]


@pytest.mark.parametrize(
    ("option", "path"),
    [
        ({"use_latest_version": "true"}, "/subjects/t-value/versions/latest"),
        ({"use_schema_id": "7"}, "/schemas/ids/7?subject=t-value"),
    ],
    ids=["latest", "id"],
)
def test_a_schema_of_others_may_have_more_messages(
    registry: ScriptedRegistry, option: dict[str, str], path: str
) -> None:
    made = converter(registry, auto_register_schemas="false", **option)
    answer = {"id": 7, "version": 3, "schemaType": "PROTOBUF", "schema": LINES.format(FIELDS)}
    registry.answers.append((200, answer))
    expected = ID + b"\x02\x02" + WRITTEN[6:]
    assert made.from_connect("t", ROW, VALUE) == expected
    assert _sent(registry) == [("GET", path)]
    registry.answers.append((200, {**answer, "schema": LINES.format("int32 id = 1;")}))
    with pytest.raises(ConversionError, match="does not have the fields"):
        made.from_connect("u", ROW, VALUE)


@pytest.mark.parametrize(
    "options",
    [
        {"generalized_sum_type_support": "true"},
        {"reference_subject_name_strategy": "my.Strategy"},
        {"latest_compatibility_strict": "false"},
    ],
    ids=str,
)
def test_settings_that_are_refused(registry: ScriptedRegistry, options: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="not supported"):
        converter(registry, **options)


def test_the_number_of_kept_schemas_is_bounded(registry: ScriptedRegistry) -> None:
    made = converter(registry, schemas_cache_config="2")
    for number in (*range(5), *range(5)):
        made.from_connect("t", struct(f"s{number}", ("id", INT32)), {"id": 1})
    assert len(made._ready) == 2
    assert len(registry.requests) == 5
