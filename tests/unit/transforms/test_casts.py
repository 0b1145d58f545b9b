"""Conversions between types, as Java makes them."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    Schema,
    Type,
    array,
)
from connector.data.semantic import CONNECT_DATE, CONNECT_TIMESTAMP, decimal
from connector.errors import TransformError
from connector.transforms.casts import cast


@pytest.mark.parametrize(
    ("schema", "value", "target", "expected"),
    [
        (INT32, 300, "int8", 44),
        (INT64, -1, "boolean", True),
        (INT32, 7, "float64", 7.0),
        (FLOAT64, 1e30, "int32", (1 << 31) - 1),
        (FLOAT64, 0.1, "float32", 0.10000000149011612),
        (FLOAT64, 0.9, "boolean", False),
        (FLOAT32, 0.10000000149011612, "string", "0.1"),
        (FLOAT64, 1e10, "string", "1.0E10"),
        (BOOLEAN, True, "int16", 1),
        (BOOLEAN, False, "string", "false"),
        (STRING, "-12", "int8", -12),
        (STRING, "TRUE", "boolean", True),
        (STRING, " 1e2 ", "float64", 100.0),
        (BYTES, b"\0\x01", "string", "AAE="),
        (decimal(2), 1250, "string", "12.50"),
        (decimal(2), -1250, "int32", -12),
        (decimal(2), 1250, "float64", 12.5),
        (decimal(2), 99, "boolean", False),
        (CONNECT_DATE, 1, "string", "1970-01-02"),
        (CONNECT_DATE, 1, "int64", 1),
        (CONNECT_TIMESTAMP, 90_000_000, "string", "1970-01-02T01:00:00.000Z"),
        (STRING, None, "int8", None),
    ],
)
def test_values(schema: Schema, value: Any, target: Type, expected: Any) -> None:
    found = cast(schema, target)(value)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("schema", "value", "target", "text"),
    [
        (STRING, "x", "int8", "^A string was out of range for int8$"),
        (STRING, "128", "int8", "^A string was out of range for int8$"),
        (BYTES, b"1", "int8", "Unexpected type in Cast transformation: class java.nio.Heap"),
        (array(INT32), [1], "string", "does not support casting from ARRAY; supported types"),
    ],
)
def test_values_that_cannot_be_cast(schema: Schema, value: Any, target: Type, text: str) -> None:
    with pytest.raises(TransformError, match=text):
        cast(schema, target)(value)
