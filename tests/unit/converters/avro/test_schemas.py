"""Avro schemas as the Java converters write them."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
import pytest

from connector.converters.avro.encoder import Encoder
from connector.converters.avro.registered import same_fields
from connector.converters.avro.schemas import AvroDialect, AvroSchemaWriter, scrub_name
from connector.data.schema import (
    BYTES,
    FLOAT32,
    INT8,
    INT32,
    INT64,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)
from connector.data.semantic import CONNECT_DATE, TIMESTAMP, decimal
from connector.errors import ConversionError

NAME = "org.apache.kafka.connect.data."


def written(schema: Schema, dialect: AvroDialect | None = None) -> Any:
    return json.loads(AvroSchemaWriter(dialect or AvroDialect()).text(schema))


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (INT32, '"int"'),
        (STRING.as_optional(), '["null","string"]'),
        (INT8, '{"type":"int","connect.type":"int8"}'),
        (FLOAT32.with_changes(default=0.1), '{"type":"float","connect.default":0.1}'),
        (BYTES.with_changes(default=b"\xff"), '{"type":"bytes","connect.default":"ÿ"}'),
        (
            TIMESTAMP.with_changes(default=0).as_optional(),
            (
                '[{"type":"long","connect.version":1,"connect.default":0,'
                '"connect.name":"io.debezium.time.Timestamp"},"null"]'
            ),
        ),
        (
            CONNECT_DATE,
            (
                f'{{"type":"int","connect.version":1,"connect.name":"{NAME}Date",'
                '"logicalType":"date"}'
            ),
        ),
        (
            decimal(2, 5),
            (
                '{"type":"bytes","scale":2,"precision":5,"connect.version":1,"connect.parameters":'
                '{"scale":"2","connect.decimal.precision":"5"},'
                f'"connect.name":"{NAME}Decimal","logicalType":"decimal"}}'
            ),
        ),
        (array(INT64), '{"type":"array","items":"long"}'),
        (map_of(STRING, INT64), '{"type":"map","values":"long"}'),
    ],
)
def test_texts(schema: Schema, text: str) -> None:
    assert AvroSchemaWriter(AvroDialect()).text(schema) == text


def test_a_record_is_described_once() -> None:
    row = struct("s.t.Value", ("id", INT32), version=1)
    envelope = struct("s.t.Envelope", ("before", row.as_optional()), ("after", row))
    assert written(envelope) == {
        "type": "record",
        "name": "Envelope",
        "namespace": "s.t",
        "fields": [
            {
                "name": "before",
                "type": [
                    "null",
                    {
                        "type": "record",
                        "name": "Value",
                        "fields": [{"name": "id", "type": "int"}],
                        "connect.version": 1,
                        "connect.name": "s.t.Value",
                    },
                ],
                "default": None,
            },
            {"name": "after", "type": "Value"},
        ],
        "connect.name": "s.t.Envelope",
    }


def test_a_name_for_two_schemas_is_refused() -> None:
    one, other = struct("s.V", ("id", INT32)), struct("s.V", ("id", INT64))
    with pytest.raises(ConversionError, match=r"s\.V stands for two different schemas"):
        written(struct("s.E", ("before", one), ("after", other)))


def test_structs_without_names_are_numbered() -> None:
    schema = struct(None, ("a", struct(None, ("b", INT32))))
    avro = written(schema)
    assert avro["name"] == "ConnectDefault"
    assert avro["fields"][0]["type"]["name"] == "ConnectDefault2"


@pytest.mark.parametrize("name", ["1a", "a-b", "a b", "", "ö-"])
def test_illegal_names(name: str) -> None:
    for schema in (struct("s.V", (name, INT32)), struct(f"s.{name}", ("id", INT32))):
        with pytest.raises(ConversionError, match="illegal in Avro") as caught:
            written(schema)
        assert "scrub.invalid.names" in caught.value.remedy


def test_names_are_scrubbed_on_request() -> None:
    schema = struct("1s.a-b.V!", ("x y", INT32))
    avro = written(schema, AvroDialect(scrub=True))
    assert (avro["namespace"], avro["name"]) == ("x1s.a_b", "V_21")
    assert avro["fields"][0]["name"] == "x_y"
    assert avro["connect.name"] == "1s.a-b.V!"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", "a"),
        ("ö", "_C3_B6"),
        ("1", "x1"),
        ("a~b", "a_7Eb"),
        ("*", "_"),
        ("$d", "_24d"),
        ("", ""),
    ],
)
def test_scrubbed_names(name: str, expected: str) -> None:
    assert scrub_name(name) == expected


def test_an_empty_part_of_a_scrubbed_namespace_stays_empty() -> None:
    avro = written(struct("a..b", ("id", INT32)), AvroDialect(scrub=True))
    assert (avro["namespace"], avro["name"]) == ("a.", "b")


def test_the_default_of_a_map_with_other_keys_is_a_list_of_pairs() -> None:
    pairs = map_of(INT32, STRING)
    [full] = written(struct("s.V", ("m", pairs.with_changes(default={1: "a"}))))["fields"]
    assert full["type"]["connect.default"] == [[1, "a"]]
    assert "default" not in full  # Avro would need records
    [empty] = written(struct("s.V", ("m", pairs.with_changes(default={}))))["fields"]
    assert empty["default"] == []


def test_without_metadata() -> None:
    schema = struct("s.V", ("t", TIMESTAMP), ("d", decimal(1, 3)))
    avro = written(schema, AvroDialect(metadata=False))
    assert avro == {
        "type": "record",
        "name": "V",
        "namespace": "s",
        "fields": [
            {"name": "t", "type": "long"},
            {
                "name": "d",
                "type": {"type": "bytes", "scale": 1, "precision": 3, "logicalType": "decimal"},
            },
        ],
    }


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"type": "record", "name": "s.V", "fields": [{"name": "a", "type": "int"}]}, True),
        (
            {
                "type": "record",
                "name": "V",
                "namespace": "s",
                "doc": "d",
                "fields": [{"name": "a", "type": {"type": "int", "logicalType": "date"}}],
            },
            True,
        ),
        ({"type": "record", "name": "V", "fields": [{"name": "a", "type": "int"}]}, False),
        ({"type": "record", "name": "s.V", "fields": [{"name": "a", "type": "long"}]}, False),
        ({"type": "record", "name": "s.V", "fields": []}, False),
        ("int", False),
    ],
)
def test_which_schemas_have_the_same_fields(other: Any, same: bool) -> None:
    schema = written(struct("s.V", ("a", INT32)))
    assert same_fields(schema, other) is same


def test_escapes_are_in_upper_case_as_java_writes_them() -> None:
    default = BYTES.with_changes(default=b"\x1d\x5cu001d")
    text = AvroSchemaWriter(AvroDialect()).text(struct("s.V", ("a", default)))
    assert r'"default":"\u001D\\u001d"' in text


def test_structs_of_one_name_may_have_different_parameters() -> None:
    def place(column: str) -> Schema:
        schema = struct("s.Geometry", ("wkb", BYTES), optional=True)
        return schema.with_changes(parameters={"__debezium.source.column.name": column})

    schema = struct("s.V", ("a", place("a")), ("b", place("b")))
    first, second = written(schema)["fields"]
    assert first["type"][1]["connect.parameters"] == {"__debezium.source.column.name": "a"}
    assert second == {"name": "b", "type": ["null", "Geometry"], "default": None}
    value = {"a": {"wkb": b"1"}, "b": {"wkb": b"2"}}
    encoded = Encoder(AvroDialect()).row(schema)([value["a"], value["b"]])
    parsed = fastavro.parse_schema(written(schema))
    assert fastavro.schemaless_reader(io.BytesIO(encoded), parsed) == value


def test_types_that_stand_in_other_schemas() -> None:
    row = struct("s.Row", ("id", INT32), optional=True)
    schema = written(struct("s.Envelope", ("before", row), ("after", row)))
    inner = {"type": "record", "name": "s.Row", "fields": [{"name": "id", "type": "int"}]}
    fields = [{"name": name, "type": ["null", "Row"]} for name in ("before", "after")]
    registered = {"type": "record", "name": "Envelope", "namespace": "s", "fields": fields}
    assert same_fields(registered, schema, [inner])
    assert not same_fields(registered, schema)
    other = {**inner, "fields": [{"name": "id", "type": "long"}]}
    assert not same_fields(registered, schema, [other])
    recursive = {**inner, "fields": [{"name": "id", "type": ["null", "s.Row"]}]}
    assert not same_fields(registered, schema, [recursive])
