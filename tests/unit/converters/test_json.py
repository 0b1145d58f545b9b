"""JSON as Connect's JsonConverter writes it; the texts were taken from Connect 4.3."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from connector.converters.json import JsonConverter
from connector.data.java import decimal_text
from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)
from connector.data.semantic import CONNECT_DATE, GEOMETRY, bits, decimal, enum
from connector.errors import ConfigError, ConversionError
from tests.fixtures.random_values import schemas_with_values

WITH_SCHEMA = JsonConverter()
PLAIN = JsonConverter({"schemas.enable": "false"})
NUMERIC = JsonConverter({"schemas.enable": "false", "decimal.format": "numeric"})


def _plain(schema: Schema | None, value: Any, converter: JsonConverter = PLAIN) -> str:
    data = converter.from_connect("t", schema, value)
    assert data is not None
    return data.decode("utf-8")


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        (BOOLEAN, True, "true"),
        (INT8, -128, "-128"),
        (INT64, -(2**63), "-9223372036854775808"),
        (FLOAT64, 1.5, "1.5"),
        (FLOAT64, 1e7, "1.0E7"),
        (FLOAT64, -1e-4, "-1.0E-4"),
        (FLOAT64, float("nan"), '"NaN"'),
        (FLOAT64, float("-inf"), '"-Infinity"'),
        (FLOAT32, 0.10000000149011612, "0.1"),
        (FLOAT32, 1234567936.0, "1.23456794E9"),
        (FLOAT32, float("inf"), '"Infinity"'),
        (BYTES, b"\x00\xff", '"AP8="'),
        (BYTES, b"", '""'),
        (CONNECT_DATE, -1, "-1"),
        (bits(9), b"\x0f\x01", '"DwE="'),
        (enum("a,b"), "a", '"a"'),
        (array(FLOAT32), [0.5, 1e10], "[0.5,1.0E10]"),
        (map_of(STRING, INT32), {"b": 1, "a": 2}, '{"b":1,"a":2}'),
        (map_of(STRING.as_optional(), INT32), {"b": 1}, '{"b":1}'),
        (map_of(INT32, STRING), {1: "x", -2: "y"}, '[[1,"x"],[-2,"y"]]'),
        (struct("s", ("b", INT32), ("a", STRING)), {"a": "x", "b": 1}, '{"b":1,"a":"x"}'),
        (struct("s"), {}, "{}"),
    ],
)
def test_a_value_is_written_by_its_schema(schema: Schema, value: Any, text: str) -> None:
    assert _plain(schema, value) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('"\\/', '"\\"\\\\/"'),
        ("\b\f\n\r\t", '"\\b\\f\\n\\r\\t"'),
        ("\0\x0b\x1f", '"\\u0000\\u000B\\u001F"'),
        ("\x7f\x80\u2028\ufffe", '"\x7f\x80\u2028\ufffe"'),
        ("é€", '"é€"'),
        ("😀𝄞\U0010ffff", '"\\uD83D\\uDE00\\uD834\\uDD1E\\uDBFF\\uDFFF"'),
        ("\\u00ab \\\\u00ab \x1fa", '"\\\\u00ab \\\\\\\\u00ab \\u001Fa"'),
        ("ð\x9f", '"ð\x9f"'),
    ],
)
def test_a_string_is_escaped_as_jackson_does(text: str, written: str) -> None:
    assert _plain(STRING, text) == written
    field = struct(None, ("s", STRING))
    assert PLAIN.row(field)((text,)) == f'{{"s":{written}}}'.encode()


@pytest.mark.parametrize(
    ("unscaled", "scale", "base64", "number"),
    [
        (0, 2, "AA==", "0.00"),
        (1, 0, "AQ==", "1"),
        (127, 0, "fw==", "127"),
        (128, 0, "AIA=", "128"),
        (-128, 0, "gA==", "-128"),
        (-129, 0, "/38=", "-129"),
        (-12345, 2, "z8c=", "-123.45"),
        (1, 6, "AQ==", "0.000001"),
        (1, 7, "AQ==", "1E-7"),
        (-123, 10, "hQ==", "-1.23E-8"),
        (12, -3, "DA==", "1.2E+4"),
        (10**65 - 1, 30, None, "9" * 35 + "." + "9" * 30),
    ],
)
def test_a_decimal_is_bytes_or_a_number(
    unscaled: int, scale: int, base64: str | None, number: str
) -> None:
    if base64 is not None:
        assert _plain(decimal(scale), unscaled) == f'"{base64}"'
    assert _plain(decimal(scale), unscaled, NUMERIC) == number
    assert decimal_text(unscaled, scale) == number


def test_a_schema_has_all_members_in_the_order_of_connect() -> None:
    schema = struct(
        "shop.Value",
        ("id", INT32),
        ("price", decimal(2, 10).with_changes(optional=True, default=150)),
        ("rate", FLOAT64.with_changes(default=1e10)),
        ("tags", array(STRING.with_changes(doc="a tag"))),
        ("more", map_of(STRING, GEOMETRY.as_optional()).with_changes(optional=True)),
        version=2,
        optional=True,
    )
    assert _plain(schema, None, WITH_SCHEMA) == (
        '{"schema":{"type":"struct","fields":['
        '{"type":"int32","optional":false,"field":"id"},'
        '{"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal",'
        '"version":1,"parameters":{"scale":"2","connect.decimal.precision":"10"},'
        '"default":"AJY=","field":"price"},'
        '{"type":"double","optional":false,"default":1.0E10,"field":"rate"},'
        '{"type":"array","items":{"type":"string","optional":false,"doc":"a tag"},'
        '"optional":false,"field":"tags"},'
        '{"type":"map","keys":{"type":"string","optional":false},"values":{"type":"struct",'
        '"fields":[{"type":"bytes","optional":false,"field":"wkb"},'
        '{"type":"int32","optional":true,"field":"srid"}],"optional":true,'
        '"name":"io.debezium.data.geometry.Geometry","version":1,"doc":"Geometry"},'
        '"optional":true,"field":"more"}],'
        '"optional":true,"name":"shop.Value","version":2},"payload":null}'
    )


def test_a_default_replaces_null_if_configured() -> None:
    schema = struct(
        "s", ("a", INT32.with_changes(optional=True, default=5)), ("b", STRING.as_optional())
    )
    row = {"a": None, "b": None}
    assert _plain(schema, row) == '{"a":5,"b":null}'
    keeping = JsonConverter({"schemas.enable": "false", "replace.null.with.default": "false"})
    assert _plain(schema, row, keeping) == '{"a":null,"b":null}'
    assert _plain(INT32.with_changes(optional=True, default=5), None) == "5"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", '"x"'),
        (1, "1"),
        (1e10, "1.0E10"),
        (b"\xff", '"/w=="'),
        ({"a": [1, None, {"b": b""}]}, '{"a":[1,null,{"b":""}]}'),
    ],
)
def test_a_value_without_schema(value: Any, text: str) -> None:
    assert _plain(None, value) == text
    assert _plain(None, value, WITH_SCHEMA) == f'{{"schema":null,"payload":{text}}}'


def test_a_null_without_schema_is_a_tombstone() -> None:
    assert WITH_SCHEMA.from_connect("t", None, None) is None
    assert PLAIN.from_connect("t", None, None) is None


@given(schemas_with_values())
def test_what_is_written_is_json(case: tuple[Schema, Any]) -> None:
    schema, value = case
    message = json.loads(_plain(schema, value, WITH_SCHEMA))
    assert list(message) == ["schema", "payload"]
    assert message["payload"] == json.loads(_plain(schema, value))


@pytest.mark.parametrize("value", ["\ud800", 2**64])
def test_a_value_that_is_no_json_is_reported(value: Any) -> None:
    schema = struct(None, ("a", STRING))
    writers: tuple[Callable[[], object], ...] = (
        lambda: PLAIN.from_connect("t", schema, {"a": value}),
        lambda: PLAIN.row(schema)((value,)),
        lambda: PLAIN.part(schema, 0, 1)((value,)),
        lambda: PLAIN.from_connect("t", None, value),
    )
    for write in writers:
        with pytest.raises(ConversionError, match="a value cannot be written as JSON") as caught:
            write()
        assert str(value) not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"), [("decimal.format", "TEXT"), ("schemas.enable", "perhaps")]
)
def test_a_bad_setting_is_refused(key: str, value: str) -> None:
    with pytest.raises(ConfigError, match=key):
        JsonConverter({key: value})


@pytest.mark.parametrize("size", ["0", "-1"])
def test_a_cache_may_hold_no_schema(size: str) -> None:
    """Kafka Connect takes any number."""
    converter = JsonConverter({"schemas.cache.size": size})
    written = [converter.from_connect("t", schema, 1) for schema in (INT32, INT64, INT32)]
    assert written[0] == written[2] != written[1]
