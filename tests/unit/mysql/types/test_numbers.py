"""Integers, decimals, floating point numbers and bits: schemas, modes, extremes, defaults."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.mysql.types.decimals import decimal_decoder, plain_text
from connector.mysql.types.fields import (
    BIT,
    DOUBLE,
    FLOAT,
    INT24,
    LONG,
    LONGLONG,
    NEWDECIMAL,
    TINY,
    decimal_size,
)
from connector.mysql.types.type_options import TypeOptions
from connector.names import CONNECT_DECIMAL
from tests.fixtures import fields_as_bytes as write
from tests.unit.mysql.types.columns import codec, default, log, text

PRECISE_BIGINT = TypeOptions(unsigned_bigint="precise")
STRING = TypeOptions(decimal="string")
DOUBLES = TypeOptions(decimal="double")


@pytest.mark.parametrize(
    ("type_name", "schema"),
    [
        ("TINYINT", "int16"),
        ("TINYINT UNSIGNED", "int16"),
        ("SMALLINT", "int16"),
        ("SMALLINT UNSIGNED", "int32"),
        ("SMALLINT ZEROFILL", "int32"),
        ("MEDIUMINT UNSIGNED", "int32"),
        ("MIDDLEINT", "int32"),
        ("INT", "int32"),
        ("INTEGER", "int32"),
        ("INT UNSIGNED", "int64"),
        ("INT UNSIGNED ZEROFILL", "int64"),
        ("BIGINT", "int64"),
        ("BIGINT UNSIGNED", "int64"),
        ("int8 unsigned", "int64"),
        ("BOOLEAN", "boolean"),
        ("BOOL", "boolean"),
    ],
)
def test_the_schema_of_an_integer_holds_all_its_values(type_name: str, schema: str) -> None:
    assert codec(type_name).schema.type == schema


def test_zerofill_makes_a_column_unsigned() -> None:
    assert log(codec("INT ZEROFILL"), (LONG, 0), b"\xff" * 4) == (1 << 32) - 1
    assert text(codec("INT ZEROFILL", length=10), "0000000042") == 42


@pytest.mark.parametrize(
    ("value", "wrapped"),
    [
        (0, 0),
        ((1 << 63) - 1, (1 << 63) - 1),
        (1 << 63, -(1 << 63)),
        ((1 << 64) - 1, -1),
    ],
)
def test_an_unsigned_bigint_wraps_or_is_a_decimal(value: int, wrapped: int) -> None:
    data = struct.pack("<Q", value)
    long, precise = codec("BIGINT UNSIGNED"), codec("BIGINT UNSIGNED", PRECISE_BIGINT)
    assert log(long, (LONGLONG, 0), data) == text(long, str(value)) == wrapped
    assert log(precise, (LONGLONG, 0), data) == text(precise, str(value)) == value
    assert precise.schema.name == CONNECT_DECIMAL
    assert precise.schema.parameters == {"scale": "0", "connect.decimal.precision": "20"}


def test_booleans() -> None:
    column = codec("BOOLEAN")
    assert [text(column, data) for data in ("0", "1", "-5")] == [False, True, True]
    found = [log(column, (TINY, 0), bytes([byte])) for byte in (0, 1, 200)]
    assert found == [False, True, True]


@pytest.mark.parametrize(
    ("type_name", "literal", "value"),
    [
        ("INT", "5", 5),
        ("INT", " -5 ", -5),
        ("INT", "2.5", 3),
        ("INT", "-2.5", -2),
        ("INT", "1e3", 1000),
        ("INT", "TRUE", 1),
        ("INT", "nonsense", None),
        ("INT", None, None),
        ("BOOLEAN", "1", True),
        ("BOOLEAN", "0", False),
        ("BOOLEAN", "TRUE", True),
        ("BOOLEAN", "false", False),
    ],
)
def test_defaults_of_integers(type_name: str, literal: str | None, value: Any) -> None:
    found = default(type_name, literal)
    assert found == value
    assert type(found) is type(value)


def test_defaults_of_unsigned_bigints() -> None:
    most = str((1 << 64) - 1)
    assert default("BIGINT UNSIGNED", most, options=PRECISE_BIGINT) == (1 << 64) - 1
    assert default("BIGINT UNSIGNED", most) == (1 << 63) - 1  # Java's Math.round ends there


SHAPES = st.integers(1, 65).flatmap(
    lambda precision: st.tuples(st.just(precision), st.integers(0, min(precision, 30)))
)


@given(SHAPES, st.data())
def test_decimals_of_any_shape_in_every_mode(shape: tuple[int, int], data: st.DataObject) -> None:
    precision, scale = shape
    most = 10**precision - 1
    unscaled = data.draw(st.integers(-most, most) | st.sampled_from([-most, most, 0, 1, -1]))
    value = Decimal(f"{unscaled}e-{scale}")
    stored = write.decimal(value, precision, scale)
    assert len(stored) == decimal_size(precision, scale)
    decode, size = decimal_decoder(precision, scale)
    assert (decode(stored), size) == (unscaled, len(stored))

    shown = f"{value:f}" if unscaled or not value.is_signed() else f"{value:f}"[1:]
    wire = (NEWDECIMAL, precision | scale << 8)
    expected: dict[TypeOptions, Any] = {
        TypeOptions(): unscaled,
        STRING: shown,
        DOUBLES: float(value) if unscaled else 0.0,
    }
    for options, expected_value in expected.items():
        column = codec("DECIMAL", options, length=precision, scale=scale)
        for found in (log(column, wire, stored), text(column, shown)):
            assert found == expected_value
            assert type(found) is type(expected_value)


@given(st.integers(), st.integers(1, 40))
def test_a_plain_text_has_all_digits_of_the_scale(unscaled: int, scale: int) -> None:
    found = plain_text(unscaled, scale)
    assert Decimal(found) == Decimal(f"{unscaled}e-{scale}")
    assert len(found.partition(".")[2]) == scale


def test_schemas_of_decimals() -> None:
    schema = codec("NUMERIC", length=10, scale=3).schema
    assert schema.name == CONNECT_DECIMAL
    assert schema.parameters == {"scale": "3", "connect.decimal.precision": "10"}
    assert codec("NUMERIC", STRING, length=10, scale=3).schema.type == "string"
    assert codec("FIXED", DOUBLES, length=10, scale=3).schema.type == "float64"


@pytest.mark.parametrize(
    ("shown", "normal"), [("000.50", "0.50"), ("00012", "12"), ("0000", "0"), ("-1.5", "-1.5")]
)
def test_zeros_that_fill_a_decimal_are_dropped(shown: str, normal: str) -> None:
    assert text(codec("DECIMAL ZEROFILL", STRING, length=5, scale=2), shown) == normal


@pytest.mark.parametrize(
    ("literal", "precise", "string", "double"),
    [
        ("1.5", 150, "1.50", 1.5),
        ("0", 0, "0.00", 0.0),
        ("-0.005", -1, "-0.01", -0.01),
        ("1e1", 1000, "10.00", 10.0),
        ("TRUE", 100, "1.00", 1.0),
        ("abc", None, None, None),
    ],
)
def test_defaults_of_decimals(literal: str, precise: Any, string: Any, double: Any) -> None:
    for options, expected_value in ((TypeOptions(), precise), (STRING, string), (DOUBLES, double)):
        assert default("DECIMAL", literal, options=options, length=10, scale=2) == expected_value


@pytest.mark.parametrize(
    ("type_name", "attributes", "schema"),
    [
        ("FLOAT", {}, "float32"),
        ("FLOAT", {"length": 24}, "float32"),
        ("FLOAT", {"length": 25}, "float64"),
        ("FLOAT", {"length": 7, "scale": 3}, "float64"),
        ("DOUBLE", {}, "float64"),
        ("DOUBLE", {"length": 10, "scale": 2}, "float64"),
        ("DOUBLE PRECISION", {}, "float64"),
        ("REAL", {"jdbc_type": 8}, "float64"),
        ("REAL", {"jdbc_type": 7}, "float32"),
        ("FLOAT UNSIGNED", {}, "float32"),
    ],
)
def test_schemas_of_floats(type_name: str, attributes: dict[str, Any], schema: str) -> None:
    assert codec(type_name, **attributes).schema.type == schema


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_with_decimals_is_widened_the_same_both_ways(value: float) -> None:
    column = codec("FLOAT", length=7, scale=3)
    assert log(column, (FLOAT, 4), struct.pack("<f", value)) == value
    assert text(column, repr(value)) == value


def test_a_real_that_is_stored_as_double_is_rounded() -> None:
    column = codec("REAL", jdbc_type=7)
    rounded = 0.10000000149011612
    assert log(column, (DOUBLE, 8), struct.pack("<d", 0.1)) == rounded
    assert text(column, "0.1") == rounded
    assert default("REAL", "0.1", jdbc_type=7) == rounded


@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 16, 17, 64])
def test_bits(length: int) -> None:
    column = codec("BIT", length=length)
    size = (length + 7) // 8
    value = (1 << length) - 1 & 0x5555555555555555
    data = value.to_bytes(size, "big")
    wire = (BIT, length % 8 | length // 8 << 8)
    expected: Any = bool(value) if length == 1 else value.to_bytes(size, "little")
    assert log(column, wire, data) == text(column, data) == expected
    assert default("BIT", f"{value:b}", length=length) == expected


def test_a_medium_int_is_three_bytes() -> None:
    assert log(codec("MEDIUMINT"), (INT24, 0), b"\xff\xff\xff") == -1
    assert log(codec("MEDIUMINT UNSIGNED"), (INT24, 0), b"\xff\xff\xff") == (1 << 24) - 1
