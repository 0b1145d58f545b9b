"""Dates and times: schemas, modes, extremes, what is no day of the calendar, defaults."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.mysql.types import fields
from connector.mysql.types.calendar import civil, epoch_day
from connector.mysql.types.type_options import TimePrecision, TypeOptions
from tests.fixtures import fields_as_bytes as write
from tests.unit.mysql.types.columns import codec, default, log, text

ADAPTIVE = TypeOptions()
CONNECT = TypeOptions("connect")
ISO = TypeOptions("isostring")
MICROS = TypeOptions("microseconds")
NANOS = TypeOptions("nanoseconds")
AS_WRITTEN = TypeOptions(adjust_years=False)
SECOND = 1_000_000


@pytest.mark.parametrize(
    ("mode", "date", "time", "datetime_3", "datetime_6"),
    [
        ("adaptive_time_microseconds", "Date", "MicroTime", "Timestamp", "MicroTimestamp"),
        ("microseconds", "Date", "MicroTime", "MicroTimestamp", "MicroTimestamp"),
        ("nanoseconds", "Date", "NanoTime", "NanoTimestamp", "NanoTimestamp"),
        ("isostring", "IsoDate", "IsoTime", "IsoTimestamp", "IsoTimestamp"),
        ("connect", "Date", "Time", "Timestamp", "Timestamp"),
    ],
)
def test_schemas_of_every_mode(
    mode: TimePrecision, date: str, time: str, datetime_3: str, datetime_6: str
) -> None:
    package = "org.apache.kafka.connect.data" if mode == "connect" else "io.debezium.time"
    columns = {date: ("DATE", None), time: ("TIME", 6), datetime_6: ("DATETIME", 6)}
    for name, (type_name, length) in columns.items():
        schema = codec(type_name, TypeOptions(mode), length=length).schema
        assert (schema.name, schema.version) == (f"{package}.{name}", 1)
    assert codec("DATETIME", TypeOptions(mode), length=3).schema.name == f"{package}.{datetime_3}"
    zoned = codec("TIMESTAMP", TypeOptions(mode)).schema
    assert (zoned.name, zoned.type) == ("io.debezium.time.ZonedTimestamp", "string")
    assert codec("YEAR", TypeOptions(mode)).schema.name == "io.debezium.time.Year"


@given(st.dates())
def test_days_are_counted_as_by_the_standard_library(day: dt.date) -> None:
    number = day.toordinal() - 719163
    assert epoch_day(day.year, day.month, day.day) == number
    assert civil(number) == (day.year, day.month, day.day)


@given(st.integers(-1, 10_000), st.integers(-1, 14), st.integers(-1, 33))
def test_what_is_no_day_has_no_number(year: int, month: int, day: int) -> None:
    try:
        expected: int | None = dt.date(year, month, day).toordinal() - 719163
    except ValueError:
        expected = None
    if 1 <= year <= 9999:
        assert epoch_day(year, month, day) == expected


def date_both_ways(options: TypeOptions, value: tuple[int, int, int], **attributes: Any) -> Any:
    column = codec("DATE", options, **attributes)
    found = log(column, (fields.DATE, 0), write.date(value))
    assert text(column, write.date_text(value)) == found
    return found


@pytest.mark.parametrize(
    ("value", "days", "iso"),
    [
        ((1970, 1, 1), 0, "1970-01-01Z"),
        ((1000, 1, 1), -354285, "1000-01-01Z"),
        ((9999, 12, 31), 2932896, "9999-12-31Z"),
        ((2024, 2, 29), 19782, "2024-02-29Z"),
        ((2023, 2, 29), None, None),
        ((2023, 0, 10), None, None),
        ((2023, 10, 0), None, None),
        ((24, 5, 1), 19844, "2024-05-01Z"),
        ((70, 1, 1), 0, "1970-01-01Z"),
        ((99, 12, 31), 10956, "1999-12-31Z"),
    ],
)
def test_dates(value: tuple[int, int, int], days: int | None, iso: str | None) -> None:
    assert date_both_ways(ADAPTIVE, value) == days
    assert date_both_ways(CONNECT, value) == days
    assert date_both_ways(ISO, value) == iso


def test_years_below_100_may_stay_as_they_are() -> None:
    assert date_both_ways(AS_WRITTEN, (24, 5, 1)) == dt.date(24, 5, 1).toordinal() - 719163


def test_a_date_in_the_year_zero_is_absent_in_the_log_alone() -> None:
    """Debezium's readers differ: the snapshot's takes 00 for a year of two digits."""
    column = codec("DATE")
    assert log(column, (fields.DATE, 0), write.date((0, 5, 1))) is None
    assert text(column, "0000-05-01") == epoch_day(2000, 5, 1)
    assert text(column, "0000-00-00") is None


@pytest.mark.parametrize(
    ("options", "fallback"), [(ADAPTIVE, 0), (CONNECT, 0), (ISO, "1970-01-01Z")]
)
def test_an_impossible_date_is_the_epoch_where_null_cannot_be(
    options: TypeOptions, fallback: Any
) -> None:
    assert date_both_ways(options, (2023, 2, 30), optional=False) == fallback


def test_years() -> None:
    column = codec("YEAR")
    for year in (1901, 1970, 2000, 2155):
        assert log(column, (fields.YEAR, 0), bytes([year - 1900])) == year
        assert text(column, str(year)) == year
    assert default("YEAR", "2020") == 2020
    assert default("YEAR", "99") == 1999


def time_both_ways(options: TypeOptions, micros: int, digits: int = 6) -> Any:
    column = codec("TIME", options, length=digits)
    found = log(column, (fields.TIME2, digits), write.time2(micros, digits))
    assert text(column, write.time_text(micros, digits)) == found
    return found


MOST = (838 * 3600 + 59 * 60 + 59) * SECOND


@pytest.mark.parametrize(
    ("micros", "connect", "iso"),
    [
        (0, 0, "00:00:00Z"),
        (1, 0, "00:00:00.000001Z"),
        (3_661_500_000, 3_661_500, "01:01:01.5Z"),
        (86399_999_999, 86_399_999, "23:59:59.999999Z"),
        (24 * 3600 * SECOND, 86_400_000, "00:00:00Z"),
        (24 * 3600 * SECOND + 1, None, None),
        (MOST, None, None),
        (-1, None, None),
        (-MOST, None, None),
    ],
)
def test_times(micros: int, connect: int | None, iso: str | None) -> None:
    assert time_both_ways(ADAPTIVE, micros) == micros
    assert time_both_ways(MICROS, micros) == micros
    assert time_both_ways(NANOS, micros) == micros * 1000
    assert time_both_ways(CONNECT, micros) == connect
    assert time_both_ways(ISO, micros) == iso


@pytest.mark.parametrize("seconds", [0, 1, 59, 3599, 3600, 838 * 3600, -1, -3599, -838 * 3600])
def test_times_and_datetimes_of_before_mysql_5_6(seconds: int) -> None:
    micros = seconds * SECOND
    assert log(codec("TIME"), (fields.TIME, 0), write.old_time(micros)) == micros
    value = (2020, 2, 29, 23, 59, 58, 0)
    expected = int(dt.datetime(*value[:6], tzinfo=dt.UTC).timestamp()) * 1000
    assert log(codec("DATETIME"), (fields.DATETIME, 0), write.old_datetime(value)) == expected
    stamp = (1_600_000_000).to_bytes(4, "little")
    assert log(codec("TIMESTAMP"), (fields.TIMESTAMP, 0), stamp) == "2020-09-13T12:26:40Z"
    assert log(codec("TIMESTAMP"), (fields.TIMESTAMP, 0), bytes(4)) is None


def test_a_zero_datetime_of_before_mysql_5_6_is_absent() -> None:
    assert log(codec("DATETIME"), (fields.DATETIME, 0), bytes(8)) is None


def datetime_both_ways(
    options: TypeOptions, value: write.Clock, digits: int = 6, **attributes: Any
) -> Any:
    column = codec("DATETIME", options, length=digits, **attributes)
    found = log(column, (fields.DATETIME2, digits), write.datetime2(value, digits))
    assert text(column, write.datetime_text(value, digits)) == found
    return found


@pytest.mark.parametrize(
    ("value", "micros", "iso"),
    [
        ((1970, 1, 1, 0, 0, 0, 0), 0, "1970-01-01T00:00:00Z"),
        ((1969, 12, 31, 23, 59, 59, 999_999), -1, "1969-12-31T23:59:59.999999Z"),
        ((9999, 12, 31, 23, 59, 59, 999_999), 253402300799999999, "9999-12-31T23:59:59.999999Z"),
        ((1000, 1, 1, 0, 0, 0, 500_000), -30610223999500000, "1000-01-01T00:00:00.5Z"),
        ((2020, 2, 30, 1, 2, 3, 4), None, None),
        ((2020, 0, 1, 1, 2, 3, 4), None, None),
    ],
)
def test_datetimes(value: write.Clock, micros: int | None, iso: str | None) -> None:
    millis = None if micros is None else micros // 1000
    assert datetime_both_ways(ADAPTIVE, value) == micros
    assert datetime_both_ways(MICROS, value) == micros
    assert datetime_both_ways(CONNECT, value) == millis
    assert datetime_both_ways(ISO, value) == iso
    short = (*value[:6], value[6] // 1000 * 1000)
    assert datetime_both_ways(ADAPTIVE, short, 3) == millis


@pytest.mark.parametrize(
    ("value", "nanos"),
    [
        ((1970, 1, 1, 0, 0, 0, 1), 1000),
        ((2262, 4, 11, 23, 47, 16, 854_775), (1 << 63) - 808),
        ((2262, 4, 11, 23, 47, 16, 854_776), None),
        ((1677, 9, 22, 0, 0, 0, 0), -106_751 * 86_400 * 10**9),
        ((1677, 9, 21, 23, 59, 59, 0), None),
        ((1000, 1, 1, 0, 0, 0, 0), None),
        ((9999, 12, 31, 0, 0, 0, 0), None),
    ],
)
def test_nanoseconds_that_64_bits_cannot_hold_are_absent(
    value: write.Clock, nanos: int | None
) -> None:
    assert datetime_both_ways(NANOS, value) == nanos
    if nanos is not None:
        assert datetime_both_ways(NANOS, value, optional=False) == nanos


@pytest.mark.parametrize("digits", range(7))
def test_a_timestamp_of_the_log_has_the_digits_of_its_column(digits: int) -> None:
    column = codec("TIMESTAMP", length=digits)
    stored = write.timestamp2(1_600_000_000_500_000 if digits else 1_600_000_000_000_000, digits)
    shown = f".5{'0' * (digits - 1)}" if digits else ""
    wire = (fields.TIMESTAMP2, digits)
    assert log(column, wire, stored) == f"2020-09-13T12:26:40{shown}Z"
    read = text(column, f"2020-09-13 12:26:40{shown}")
    assert read == ("2020-09-13T12:26:40.5Z" if digits else "2020-09-13T12:26:40Z")


def test_timestamps_at_the_ends_of_their_range() -> None:
    column = codec("TIMESTAMP")
    wire = (fields.TIMESTAMP2, 0)
    assert log(column, wire, (1).to_bytes(4, "big")) == "1970-01-01T00:00:01Z"
    assert log(column, wire, b"\x7f\xff\xff\xff") == "2038-01-19T03:14:07Z"
    assert log(column, wire, b"\xff\xff\xff\xff") == "2106-02-07T06:28:15Z"  # MariaDB 11.5


def test_the_zero_timestamp_is_absent_but_in_the_log_of_mariadb() -> None:
    wire = (fields.TIMESTAMP2, 0)
    for flavor, streamed in (("mysql", None), ("mariadb", "1970-01-01T00:00:00Z")):
        column = codec("TIMESTAMP", TypeOptions(flavor=flavor))  # type: ignore[arg-type]  # one of two literals
        assert text(column, "0000-00-00 00:00:00") is None
        assert log(column, wire, bytes(4)) == streamed


def test_more_minutes_than_are_remembered() -> None:
    column = codec("TIMESTAMP")
    field = column.from_log(fields.Wire(fields.TIMESTAMP2, 0))
    convert = field.convert.function()
    for minute in range(0, 10_000, 1):
        shown = dt.datetime.fromtimestamp(minute * 60 + 1, dt.UTC)
        found = convert((minute * 60 + 1).to_bytes(4, "big"))
        assert found == f"{shown:%Y-%m-%dT%H:%M:%S}Z"


@pytest.mark.parametrize(
    ("type_name", "literal", "attributes", "value"),
    [
        ("DATE", "2020-01-31", {}, 18292),
        ("DATE", "0000-00-00", {}, None),
        ("DATE", "0000-00-00", {"optional": False}, 0),
        ("DATE", "2020-01-31", {"options": ISO}, "2020-01-31Z"),
        ("TIME", "01:02:03", {}, 3_723_000_000),
        ("TIME", "-00:00:01.5", {"length": 1}, -1_500_000),
        ("TIME", "01:02", {}, 3_720_000_000),
        ("TIME", "2020-01-01 01:02:03", {}, 3_723_000_000),
        ("TIME", "soon", {}, None),
        ("DATETIME", "2020-01-31 00:00:01", {}, 1_580_428_801_000),
        ("DATETIME", "2020-01-31", {}, 1_580_428_800_000),
        ("DATETIME", "2020-01-31 00:00:01.25", {"length": 6}, 1_580_428_801_250_000),
        ("DATETIME", "0000-00-00 00:00:00", {}, None),
        ("DATETIME", "0000-00-00 00:00:00", {"optional": False}, 0),
        ("TIMESTAMP", "2020-01-31 00:00:01", {}, "2020-01-31T00:00:01Z"),
        ("TIMESTAMP", "2020-01-31 00:00:01.5", {"length": 3}, "2020-01-31T00:00:01.500Z"),
        ("TIMESTAMP", "0000-00-00 00:00:00", {}, None),
        ("TIMESTAMP", "1970-01-01 00:00:00", {"optional": False}, "1970-01-01T00:00:00Z"),
    ],
)
def test_defaults(type_name: str, literal: str, attributes: dict[str, Any], value: Any) -> None:
    assert default(type_name, literal, **attributes) == value
