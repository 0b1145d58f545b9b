"""TimestampConverter: numbers that do not fit a long are limited, as by Java's TimeUnit."""

from __future__ import annotations

import pytest

from connector.data.record import Record
from connector.data.schema import INT64, Schema
from connector.data.semantic import CONNECT_TIMESTAMP
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
