"""Single numbers and booleans: the bytes of Kafka's serializers."""

from __future__ import annotations

from typing import Any

import pytest

from connector.converters import numbers
from connector.data.schema import (
    BOOLEAN,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    Schema,
)
from connector.data.semantic import CONNECT_DATE, MICRO_TIMESTAMP
from connector.errors import ConversionError

WRITTEN = [
    (numbers.ShortConverter, INT16, -2, "fffe"),
    (numbers.IntegerConverter, INT32, 1, "00000001"),
    (numbers.LongConverter, INT64, -1, "ffffffffffffffff"),
    (numbers.LongConverter, MICRO_TIMESTAMP, 256, "0000000000000100"),
    (numbers.LongConverter, None, 256, "0000000000000100"),
    (numbers.FloatConverter, FLOAT32, 1.5, "3fc00000"),
    (numbers.DoubleConverter, FLOAT64, 1.5, "3ff8000000000000"),
    (numbers.BooleanConverter, BOOLEAN, True, "01"),
    (numbers.BooleanConverter, None, False, "00"),
]


@pytest.mark.parametrize(("converter", "schema", "value", "expected"), WRITTEN)
def test_values(converter: Any, schema: Schema | None, value: Any, expected: str) -> None:
    assert converter().from_connect("t", schema, value) == bytes.fromhex(expected)
    assert converter().from_header("h", schema, value) == bytes.fromhex(expected)


@pytest.mark.parametrize(("converter", "schema"), [row[:2] for row in WRITTEN])
def test_a_null_is_a_null(converter: Any, schema: Schema | None) -> None:
    assert converter().from_connect("t", schema and schema.as_optional(), None) is None


@pytest.mark.parametrize(
    ("converter", "schema", "value", "message"),
    [
        (numbers.IntegerConverter, INT64, 7, "serialize to integer (was class java.lang.Long)"),
        (numbers.IntegerConverter, INT8, 7, "serialize to integer (was class java.lang.Byte)"),
        (numbers.IntegerConverter, CONNECT_DATE, 7, "to integer (was class java.util.Date)"),
        (numbers.FloatConverter, FLOAT64, 7.5, "to float (was class java.lang.Double)"),
        (numbers.BooleanConverter, STRING, "x", "schema type for BooleanConverter: STRING"),
        (numbers.BooleanConverter, None, "x", "objects of type class java.lang.String"),
    ],
)
def test_values_of_other_classes(
    converter: Any, schema: Schema | None, value: Any, message: str
) -> None:
    with pytest.raises(ConversionError) as caught:
        converter().from_connect("t", schema, value)
    assert str(caught.value).endswith(message)
