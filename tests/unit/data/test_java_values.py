"""Java's numbers, literals, hashes and zones."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.java_hashes import hash_code, murmur
from connector.data.java_numbers import (
    decimal_integer,
    from_float,
    parse_decimal,
    parse_float,
    parse_integer,
    wrap,
)
from connector.data.literals import parse_literal
from connector.data.schema import BOOLEAN, BYTES, FLOAT64, INT32, INT64, STRING, Schema, array
from connector.data.semantic import decimal
from connector.data.zones import Zone


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("5", "int8", 5),
        ("-129", "int16", -129),
        ("70000", "int32", 70_000),
        ("5000000000", "int64", 5_000_000_000),
        ("99999999999999999999", "bytes", 99_999_999_999_999_999_999),
        ("1.5", "float32", 1.5),
        ("1e60", "int8", None),
        ("true", "boolean", True),
        (" false ", "boolean", False),
        ("text", "string", "text"),
        ("a:b", "string", "a:b"),
        ("12:30", "int8", 12),
        ("2024-02-29", "int32", 19_782),
        ("12:30:45.123Z", "int32", 45_045_123),
        ("2024-02-29T00:00:00.001Z", "int64", 1_709_164_800_001),
        ("", "string", ""),
    ],
)
def test_literals(text: str, kind: str, value: Any) -> None:
    schema, found = parse_literal(text)
    assert schema is not None
    if value is not None:
        assert (schema.type, found) == (kind, value)


def test_a_literal_without_value() -> None:
    assert parse_literal("null") == (None, None)


def test_numbers() -> None:
    assert (wrap(300, 8), wrap(-129, 8), wrap(1 << 31, 32)) == (44, 127, -(1 << 31))
    assert [from_float(number, 8) for number in (1e30, -1e30, float("nan"), 300.9)] == [
        -1,
        0,
        0,
        44,
    ]
    assert from_float(1e30, 64) == (1 << 63) - 1
    assert (parse_decimal("-1.50"), parse_decimal("2e3")) == ((-150, 2), (2, -3))
    assert (decimal_integer(-199, 2), decimal_integer(2, -3)) == (-1, 2000)
    assert (parse_integer("+7", 8), parse_float(" 1.5f ")) == (7, 1.5)
    assert (parse_float("-0x1.8p1d"), parse_float("0x1p9999")) == (-3.0, float("inf"))
    for text in ("128", "1.0", "", "x", " 1"):
        with pytest.raises(ValueError):  # noqa: PT011 - the text itself
            parse_integer(text, 8)
    for text in ("1_0", "x", "", "Infinity"):
        with pytest.raises(ValueError):  # noqa: PT011 - the text itself
            parse_decimal(text)


@pytest.mark.parametrize(
    ("schema", "value", "code"),
    [
        (INT32, -5, -5),
        (INT64, 5_000_000_000, 705_032_705),
        (BOOLEAN, True, 1231),
        (STRING, "hello", 99_162_322),
        (FLOAT64, 1.5, 1_073_217_536),
        (BYTES, b"\x01\xff", -31 + 1 + 961),
        (decimal(2), 150, 31 * 150 + 2),
        (decimal(0), -(10**20), None),
    ],
)
def test_hash_codes(schema: Schema, value: Any, code: int | None) -> None:
    assert code is None or hash_code(schema, value) == code
    assert -(1 << 31) <= murmur(schema, value) < 1 << 31


def test_a_list_has_no_hash_here() -> None:
    with pytest.raises(ValueError, match="array"):
        hash_code(array(INT32), [1])


def test_zones() -> None:
    berlin = Zone("Europe/Berlin")
    summer, winter = 1_720_000_000, 1_700_000_000
    assert (berlin.offset_at(summer), berlin.offset_at(winter)) == (7200, 3600)
    assert berlin.offset_of_clock(10**12) in (3600, 7200)
    assert berlin.convert("2024-07-01T10:00:00.120Z") == "2024-07-01T12:00:00.12+02:00"
    assert Zone("-03:30").convert("2024-07-01T01:00:00+02:00") == "2024-06-30T19:30:00-03:30"
    assert Zone("UTC").convert("2024-07-01T01:00:00Z") == "2024-07-01T01:00:00Z"
    with pytest.raises(ValueError, match="Mars"):
        Zone("Mars/Olympus")
