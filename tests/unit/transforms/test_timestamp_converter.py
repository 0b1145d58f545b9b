"""TimestampConverter: numbers that do not fit a long are limited, as by Java's TimeUnit."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.record import Record
from connector.data.schema import INT32, INT64, Schema, struct
from connector.data.semantic import CONNECT_DATE, CONNECT_TIMESTAMP
from connector.errors import TransformError
from connector.transforms.timestamp_converter import TimestampConverterValue

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
YEAR_2500, YEAR_1500 = 16_725_225_600_000, -14_831_769_600_000


@pytest.mark.parametrize(
    ("schema", "value", "target", "precision", "expected"),
    [
        (CONNECT_TIMESTAMP, YEAR_2500, "unix", "nanoseconds", HIGHEST),
        (CONNECT_TIMESTAMP, YEAR_1500, "unix", "nanoseconds", LOWEST),
        (CONNECT_TIMESTAMP, YEAR_2500, "unix", "microseconds", YEAR_2500 * 1000),
        (CONNECT_TIMESTAMP, 10**17, "unix", "microseconds", HIGHEST),
        (INT64, HIGHEST, "Timestamp", "seconds", HIGHEST),
        (INT64, LOWEST, "unix", "seconds", -9223372036854775),
        (CONNECT_TIMESTAMP, 5, "unix", "nanoseconds", 5_000_000),
    ],
)
def test_numbers_are_limited(
    schema: Schema, value: int, target: str, precision: str, expected: int
) -> None:
    converter = TimestampConverterValue({"target.type": target, "unix.precision": precision})
    assert converter.apply(Record("t", None, None, None, schema, value)).value == expected


def convert_field(schema: Schema, value: Any) -> Record:
    transform = TimestampConverterValue({"field": "at", "target.type": "Date"})
    return transform.apply(Record("t", None, None, None, schema, value))


def test_a_null_gets_the_new_schema_although_its_field_cannot_be_converted() -> None:
    rows = struct("row", ("at", INT32), optional=True)
    record = convert_field(rows, None)
    assert record.value is None
    assert record.value_schema is not None
    assert [field.schema.name for field in record.value_schema.fields] == [CONNECT_DATE.name]
    with pytest.raises(TransformError, match="does not correspond to a known timestamp type"):
        convert_field(rows, {"at": 5})


def test_a_null_that_is_no_struct_has_no_field_to_convert() -> None:
    with pytest.raises(TransformError, match="Cannot list fields on non-struct type"):
        convert_field(INT64.as_optional(), None)


def test_days_wrap_at_32_bits_as_in_java() -> None:
    record = convert_field(struct("row", ("at", INT64)), {"at": 1700000000123456000})
    assert record.value == {"at": -1798910553}


def test_members_of_a_map_have_the_order_of_java() -> None:
    transform = TimestampConverterValue({"field": "b", "target.type": "unix"})
    record = transform.apply(Record("t", None, None, None, None, {"none": None}))
    assert list(record.value) == ["b", "none"]
