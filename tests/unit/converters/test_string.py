"""Values as Java's toString writes them; the texts were taken from Connect 4.3."""

from __future__ import annotations

from typing import Any

import pytest

from connector.converters.string import StringConverter
from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)
from connector.data.semantic import CONNECT_DATE, CONNECT_TIMESTAMP, TIMESTAMP, decimal
from connector.errors import ConfigError
from connector.names import BITS, POINT

_ROW = struct("r", ("id", INT64), ("name", STRING.as_optional()), ("ok", BOOLEAN))


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        (STRING, 'a"b\n', 'a"b\n'),
        (INT32, -5, "-5"),
        (BOOLEAN, True, "true"),
        (FLOAT64, 1e10, "1.0E10"),
        (FLOAT32, 0.10000000149011612, "0.1"),
        (FLOAT64, float("inf"), "Infinity"),
        (decimal(3), -1500, "-1.500"),
        (TIMESTAMP, 1000, "1000"),
        (CONNECT_DATE, 0, "Thu Jan 01 00:00:00 UTC 1970"),
        (CONNECT_TIMESTAMP, 951782400123, "Tue Feb 29 00:00:00 UTC 2000"),
        (array(INT32.as_optional()), [1, None], "[1, null]"),
        (map_of(STRING, FLOAT64), {"a": 1.0, "b": -0.0}, "{a=1.0, b=-0.0}"),
        (_ROW, {"id": 1, "name": "x", "ok": False}, "Struct{id=1,name=x,ok=false}"),
        (_ROW, {"id": 1, "name": None, "ok": True}, "Struct{id=1,ok=true}"),
        (None, {"a": [1, "x"], "b": None}, "{a=[1, x], b=null}"),
        (None, 1e10, "1.0E10"),
        (BYTES, b"abc", "java.nio.HeapByteBuffer[pos=0 lim=3 cap=3]"),
        (
            struct("r", ("b", BYTES)),
            {"b": b""},
            "Struct{b=java.nio.HeapByteBuffer[pos=0 lim=0 cap=0]}",
        ),
    ],
)
def test_a_value_is_written_as_text(schema: Schema | None, value: Any, text: str) -> None:
    assert StringConverter().from_connect("t", schema, value) == text.encode()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (Schema("bytes", name=BITS), b"a"),
        (struct(POINT, ("wkb", BYTES)), {"wkb": b"a"}),
    ],
)
def test_the_bytes_of_bits_and_geometries_are_an_array(schema: Schema, value: Any) -> None:
    text = StringConverter().from_connect("t", schema, value)
    assert text is not None
    assert b"[B@" in text


def test_null_is_no_text() -> None:
    assert StringConverter().from_connect("t", STRING.as_optional(), None) is None


@pytest.mark.parametrize(
    ("charset", "text", "written"),
    [
        ("ISO-8859-1", "é", "e9"),
        ("ISO-8859-1", "a€\U0001f600b", "613f3f62"),
        ("US-ASCII", "é", "3f"),
        ("windows-1252", "a€\U0001f600", "61803f"),
        ("UTF-16", "a\U0001f600", "feff0061d83dde00"),
        ("UTF-16", "", ""),
        ("UTF-16LE", "a€", "6100ac20"),
        ("UTF-32", "a€", "00000061000020ac"),
    ],
)
def test_the_encoding_can_be_chosen(charset: str, text: str, written: str) -> None:
    converter = StringConverter({"converter.encoding": charset})
    assert converter.from_connect("t", STRING, text) == bytes.fromhex(written)


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown character set"):
        StringConverter({"converter.encoding": "UTF-88"})


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (-12_219_292_800_000, "Fri Oct 15 00:00:00 UTC 1582"),
        (-12_219_292_800_001, "Thu Oct 04 23:59:59 UTC 1582"),
        (-46_388_678_400_000, "Fri Dec 31 00:00:00 UTC 499"),
        (-62_167_392_000_000, "Thu Jan 01 00:00:00 UTC 1"),
        (253_402_300_800_000, "Sat Jan 01 00:00:00 UTC 10000"),
    ],
)
def test_dates_follow_the_calendar_of_java(milliseconds: int, text: str) -> None:
    assert StringConverter().from_connect("t", CONNECT_TIMESTAMP, milliseconds) == text.encode()
