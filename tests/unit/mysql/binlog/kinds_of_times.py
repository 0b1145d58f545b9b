"""Columns of dates and times; values have zero months, zero days and days like 30 February."""

from __future__ import annotations

import datetime as dt

from hypothesis import strategies as st

from connector.mysql.types import fields
from tests.fixtures import fields_as_bytes as write
from tests.unit.mysql.binlog.kind import Kind, ascii_text, column, same

_YEARS = st.integers(0, 9999) | st.integers(1000, 2200) | st.integers(0, 100)
_DATES = st.tuples(_YEARS, st.integers(0, 12), st.integers(0, 31))
_MICROS = st.integers(0, 999_999) | st.just(0)


def _truncated(micros: int, digits: int) -> int:
    return micros - micros % int(10 ** (6 - digits))


def day_number(value: tuple[int, int, int]) -> int | None:
    """Return the days since the epoch; two-digit years mean 1970 to 2069."""
    year, month, day = value
    if 0 < year < 100:
        year += 2000 if year < 70 else 1900
    try:
        return dt.date(year, month, day).toordinal() - 719163
    except ValueError:
        return None


def _datetime_micros(value: write.Clock) -> int | None:
    days = day_number(value[:3])
    if days is None:
        return None
    seconds = value[3] * 3600 + value[4] * 60 + value[5]
    return (days * 86400 + seconds) * 1_000_000 + value[6]


def _datetime(digits: int) -> Kind:
    clocks = st.builds(
        lambda date, hour, minute, second, micros: (
            *date,
            hour,
            minute,
            second,
            _truncated(micros, digits),
        ),
        _DATES,
        st.integers(0, 23),
        st.integers(0, 59),
        st.integers(0, 59),
        _MICROS,
    )

    def connect(value: write.Clock) -> int | None:
        micros = _datetime_micros(value)
        return micros if micros is None or digits > 3 else micros // 1000

    return Kind(
        column("DATETIME", length=digits or None),
        fields.DATETIME2,
        bytes([digits]),
        clocks,
        lambda value: write.datetime2(value, digits),
        connect,
        lambda value: ascii_text(write.datetime_text(value, digits)),
        0,
    )


def _time(digits: int) -> Kind:
    most = (838 * 3600 + 59 * 60 + 59) * 1_000_000
    values = st.integers(-most, most) | st.sampled_from([-most, most, 0, -1_000_000, -500_000])
    return Kind(
        column("TIME", length=digits or None),
        fields.TIME2,
        bytes([digits]),
        values.map(lambda micros: (1, -1)[micros < 0] * _truncated(abs(micros), digits)),
        lambda value: write.time2(value, digits),
        same,
        lambda value: ascii_text(write.time_text(value, digits)),
        0,
    )


def zoned_text(micros: int, digits: int) -> str:
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=micros)  # noqa: DTZ001 - UTC by its epoch
    return f"{moment:%Y-%m-%dT%H:%M:%S}{write.fraction_text(moment.microsecond, digits)}Z"


def _timestamp(digits: int) -> Kind:
    seconds = st.integers(1, (1 << 31) - 1) | st.sampled_from([1, (1 << 31) - 1, (1 << 32) - 1])
    return Kind(
        column("TIMESTAMP", length=digits or None),
        fields.TIMESTAMP2,
        bytes([digits]),
        st.builds(lambda s, micros: s * 1_000_000 + _truncated(micros, digits), seconds, _MICROS)
        | st.just(0),
        lambda value: write.timestamp2(value, digits),
        lambda value: zoned_text(value, digits) if value else None,
        lambda value: _timestamp_text(value, digits),
        "1970-01-01T00:00:00Z",
    )


def _timestamp_text(micros: int, digits: int) -> bytes:
    text = zoned_text(micros, digits) if micros else "0000-00-00 00:00:00Z"
    return ascii_text(text[:-1].replace("T", " "))


YEAR = Kind(
    column("YEAR"),
    fields.YEAR,
    b"",
    st.integers(1901, 2155),
    write.year,
    same,
    ascii_text,
    0,
)
DATE = Kind(
    column("DATE"),
    fields.DATE,
    b"",
    _DATES,
    write.date,
    day_number,
    lambda value: ascii_text(write.date_text(value)),
    0,
)
DATETIMES = [_datetime(digits) for digits in range(7)]
TIMES = [_time(digits) for digits in range(7)]
TIMESTAMPS = [_timestamp(digits) for digits in range(7)]
TEMPORALS = [YEAR, DATE, *DATETIMES, *TIMES, *TIMESTAMPS]
