"""Connect schemas as JSON Schema: texts as Confluent's JsonSchemaData writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from connector.converters.json_schema.payload import JsonPayload
from connector.converters.json_schema.schemas import JsonSchemaWriter
from connector.data.java_hashes import capacity_of_copy, hash_map_order
from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    OPTIONAL_STRING,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)
from connector.data.semantic import decimal, enum

INTEGER = '{"type":"integer","connect.type":"int32"}'


def text(schema: Schema, *, numeric: bool = False, additional: bool = True) -> str:
    payload = JsonPayload(numeric_decimals=numeric, defaults=True, kept=9)
    return JsonSchemaWriter(payload.default, numeric, additional).text(schema)


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        (BOOLEAN, '{"type":"boolean"}'),
        (
            BOOLEAN.with_changes(name="b", doc="d"),
            '{"title":"b","description":"d","type":"boolean"}',
        ),
        (INT8, '{"type":"integer","connect.type":"int8"}'),
        (INT64, '{"type":"integer","connect.type":"int64"}'),
        (FLOAT32, '{"type":"number","connect.type":"float32"}'),
        (STRING, '{"type":"string"}'),
        (BYTES, '{"type":"string","connect.type":"bytes"}'),
        (OPTIONAL_STRING, '{"oneOf":[{"type":"null"},{"type":"string"}]}'),
        (array(INT32), f'{{"type":"array","items":{INTEGER}}}'),
        (
            map_of(STRING, INT32),
            f'{{"type":"object","connect.type":"map","additionalProperties":{INTEGER}}}',
        ),
        (
            map_of(OPTIONAL_STRING, INT32),
            (
                '{"type":"array","connect.type":"map","items":{"type":"object","properties":{'
                '"value":{"type":"integer","connect.index":1,"connect.type":"int32"},'
                '"key":{"connect.index":0,"oneOf":[{"type":"null"},{"type":"string"}]}}}}'
            ),
        ),
        (struct("empty"), '{"type":"object","title":"empty"}'),
    ],
)
def test_types(schema: Schema, written: str) -> None:
    assert json.loads(text(schema)) == json.loads(written)
    assert next(iter(json.loads(text(schema)))) == next(iter(json.loads(written)))


def test_decimals() -> None:
    about = {
        "title": "org.apache.kafka.connect.data.Decimal",
        "connect.type": "bytes",
        "connect.version": 1,
        "connect.parameters": {"scale": "2"},
    }
    assert json.loads(text(decimal(2))) == {"type": "string", **about}
    assert json.loads(text(decimal(2), numeric=True)) == {"type": "number", **about}


@pytest.mark.parametrize(
    ("schema", "default"),
    [
        (INT32.with_changes(default=7), "7"),
        (STRING.with_changes(default='a"</b'), '"a\\"</b"'),
        (BOOLEAN.with_changes(default=False), "false"),
        (FLOAT64.with_changes(default=1.0), "1"),
        (FLOAT64.with_changes(default=1.5e10), "1.5E+10"),
        (FLOAT32.with_changes(default=0.25), "0.25"),
        (BYTES.with_changes(default=b"foo"), '"Zm9v"'),
        (decimal(2).with_changes(default=150), '"AJY="'),
    ],
)
def test_defaults(schema: Schema, default: str) -> None:
    assert f'"default":{default}' in text(schema)
    inner = json.loads(text(schema.as_optional()))["oneOf"][1]
    assert inner["default"] == json.loads(default)


def test_a_default_that_is_a_numeric_decimal() -> None:
    assert '"default":1.5,' in text(decimal(2).with_changes(default=150), numeric=True)


def test_a_row() -> None:
    row = struct(
        "server.shop.orders.Value",
        ("id", INT32),
        ("state", enum("new,done").as_optional()),
        version=2,
    )
    event = struct("Envelope", ("before", row.as_optional()), ("op", STRING))
    found: dict[str, Any] = json.loads(text(event))
    assert list(found) == ["type", "title", "properties"]
    assert list(found["properties"]) == ["op", "before"]
    before = found["properties"]["before"]
    assert list(before) == ["connect.index", "oneOf"]
    assert before["connect.index"] == 0
    assert before["oneOf"][1] == {
        "type": "object",
        "title": "server.shop.orders.Value",
        "connect.version": 2,
        "properties": {
            "id": {"type": "integer", "connect.type": "int32", "connect.index": 0},
            "state": {
                "connect.index": 1,
                "oneOf": [
                    {"type": "null"},
                    {
                        "type": "string",
                        "title": "io.debezium.data.Enum",
                        "connect.version": 1,
                        "connect.parameters": {"allowed": "new,done"},
                    },
                ],
            },
        },
    }


def test_additional_properties() -> None:
    written = json.loads(text(struct("s", ("id", INT32)), additional=False))
    assert written["additionalProperties"] is False


def test_the_order_of_a_hash_map() -> None:
    # hashes: "Aa" and "BB" are equal, "a" is 97, "b" 98, "q" 113: one bucket of 16 with "a"
    assert hash_map_order(["b", "q", "a"]) == ["q", "a", "b"]
    assert hash_map_order(["BB", "Aa"]) == ["BB", "Aa"]
    # as Java has written the block of SQL Server's connector
    names = "version connector name ts_ms snapshot db schema table change_lsn commit_lsn".split()
    assert (
        hash_map_order([*names, "event_serial_no"])[1:]
        == (
            "event_serial_no connector name commit_lsn change_lsn version ts_ms snapshot db table"
        ).split()
    )
    many = [chr(code) for code in range(ord("m"), ord("a") - 1, -1)]
    assert hash_map_order(many) == sorted(many)
    assert [capacity_of_copy(size) for size in (0, 1, 2, 3, 4, 12, 13)] == [1, 2, 4, 8, 8, 32, 32]
