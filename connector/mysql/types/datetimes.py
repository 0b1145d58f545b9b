"""DATETIME: a date and a time without zone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from connector.capture.tables import Column
from connector.codegen import Expression, call
from connector.data.schema import Schema
from connector.data.semantic import (
    CONNECT_TIMESTAMP,
    ISO_TIMESTAMP,
    MICRO_TIMESTAMP,
    NANO_TIMESTAMP,
    TIMESTAMP,
)
from connector.mysql.types import fields
from connector.mysql.types.calendar import (
    LogDay,
    adjust_year,
    civil,
    clock_ticks,
    day_of_log,
    epoch_day,
    fraction_scale,
    fraction_ticks,
)
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import Fixed, LogField, Wire, mismatch
from connector.mysql.types.result_cache import ResultCache
from connector.mysql.types.temporal_literals import read_datetime
from connector.mysql.types.times import iso_fraction
from connector.mysql.types.type_options import TimePrecision, TypeOptions
from connector.mysql.types.unconvertible import Refuse, refusing

_DAY = 86400
_NANOS = 1_000_000_000
_FIRST_NANO_SECOND = -106_751 * _DAY
FinishDatetime = Callable[[int, int], Any]  # (seconds since the epoch, nanoseconds) -> value


def datetime(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a DATETIME: the time since the epoch as if it were UTC.

    Up to three digits of fraction are milliseconds, more are microseconds.
    """
    schema, finish, fallback = _mode(options.time_precision, column.length or 0)
    if finish is _nanos:
        finish = _nanos_or(refusing(column, options))
    adjust = adjust_year if options.adjust_years else int
    log_day = day_of_log(adjust, exact=options.exact)
    convert = _from_text(adjust, finish)
    read = convert if options.exact else _from_text(adjust, finish, _move_skipped_day)

    def field(wire: Wire) -> LogField:
        if wire.type == fields.DATETIME:
            return Fixed("Q", call(lambda number: _old(number, finish, log_day)))
        if wire.type != fields.DATETIME2:
            raise mismatch("DATETIME", wire)
        size = 5 + (wire.meta + 1) // 2
        return Fixed(f"{size}s", _from_log(wire.meta, finish, log_day))

    return ColumnType(
        schema,
        Expression("@f({})", {"f": read}, _NATIVE_TEXT.get(finish)),
        field,
        lambda literal: _literal(literal, column, convert, finish),
        fallback,
        may_be_absent=True,
    )


def _from_log(digits: int, finish: FinishDatetime, log_day: LogDay) -> Expression:
    """Read year and month, day, hour, minute, second and fraction from their bits."""
    ticks = _TICKS.get(finish, 1)
    bits = fraction_scale(digits)[0] * 8

    def midnight(date: int) -> int | None:
        year, number = divmod(date >> 5 & 0x1FFFF, 13)
        days = log_day(year, number, date & 31)
        return None if days is None else days * _DAY * ticks

    seconds = f"midnight + {clock_ticks(bits, ticks, hours=31)}"
    value = f"{seconds}{fraction_ticks(digits, ticks)}"
    if finish not in _TICKS:
        value = f"@finish({seconds}, 0{fraction_ticks(digits, _NANOS)})"
    packed = "(packed := @number({}, 'big'))"
    known = f"(midnight := @midnights[{packed} >> {bits + 17}]) is not None"
    names = {"number": int.from_bytes, "midnights": ResultCache(midnight), "finish": finish}
    native = ("datetime", digits, _NATIVE_TICKS.get(finish, 1_000_000_000))
    return Expression(f"({value} if {known} else None)", names, native)


def _old(number: int, finish: FinishDatetime, log_day: LogDay) -> Any:
    """Read the format from before MySQL 5.6.4: the digits YYYYMMDDHHMMSS as a number."""
    date, clock = divmod(number, 1_000_000)
    year, day = divmod(date, 10_000)
    days = log_day(year, day // 100, day % 100)
    if days is None:
        return None
    minutes, second = divmod(clock, 100)
    return finish(days * _DAY + minutes // 100 * 3600 + minutes % 100 * 60 + second, 0)


def _move_skipped_day(days: int) -> int:
    """Move a day that the Gregorian calendar skipped, 5 to 14 October 1582, behind these.

    So does Java's old calendar, with which Debezium reads a DATETIME of a snapshot.
    """
    return days + 10 if -141437 <= days <= -141428 else days


def _same(days: int) -> int:
    return days


def _from_text(
    adjust: Callable[[int], int], finish: FinishDatetime, moved: Callable[[int], int] = _same
) -> Callable[[bytes | str], Any]:
    def midnight(date: bytes | str) -> int | None:
        days = epoch_day(adjust(int(date[:4])), int(date[5:7]), int(date[8:]))
        return None if days is None else moved(days) * _DAY

    midnights = ResultCache(midnight)
    minutes: ResultCache[bytes | str, int] = ResultCache(
        lambda clock: int(clock[:2]) * 3600 + int(clock[3:]) * 60
    )

    def convert(data: bytes | str) -> Any:
        start = midnights[data[:10]]
        if start is None:
            return None
        if len(data) < 19:  # a DEFAULT may be a date alone
            return finish(start, 0)
        fraction = data[20:]
        nanos = int(fraction) * 10 ** (9 - len(fraction)) if fraction else 0
        return finish(start + minutes[data[11:16]] + int(data[17:19]), nanos)

    return convert


def _literal(
    literal: str, column: Column, convert: Callable[[bytes | str], Any], finish: FinishDatetime
) -> Any:
    if literal == "0" or literal[:4] == "0000" or "-00" in literal[:10]:
        return None if column.optional else finish(0, 0)
    return convert(read_datetime(literal))


def _millis(seconds: int, nanos: int) -> int:
    return seconds * 1000 + nanos // 1_000_000


def _micros(seconds: int, nanos: int) -> int:
    return seconds * 1_000_000 + nanos // 1000


def _nanos(seconds: int, nanos: int) -> int | None:
    """Return nanoseconds, None for what 64 bits cannot hold.

    As in Debezium the first day that they hold in part (1677-09-21) is left out altogether.
    """
    value = seconds * 1_000_000_000 + nanos
    return value if seconds >= _FIRST_NANO_SECOND and value < 1 << 63 else None


def _nanos_or(refuse: Refuse) -> FinishDatetime:
    def finish(seconds: int, nanos: int) -> int | None:
        value = _nanos(seconds, nanos)
        return refuse("64 bits hold no such number of nanoseconds") if value is None else value

    return finish


def _iso(seconds: int, nanos: int) -> str:
    days, clock = divmod(seconds, _DAY)
    year, number, day = civil(days)
    return (
        f"{year:04d}-{number:02d}-{day:02d}T"
        f"{clock // 3600:02d}:{clock // 60 % 60:02d}:{clock % 60:02d}{iso_fraction(nanos)}Z"
    )


_TICKS: dict[FinishDatetime, int] = {
    _millis: 1000,
    _micros: 1_000_000,
}  # values that are sums of parts
_NATIVE_TICKS: dict[FinishDatetime, int] = {**_TICKS, _iso: 0}  # any other gives nanoseconds
_NATIVE_TEXT: dict[FinishDatetime, tuple[str]] = {
    _millis: ("milli-datetime",),
    _micros: ("micro-datetime",),
    _iso: ("iso-datetime",),
}


def _mode(precision: TimePrecision, digits: int) -> tuple[Schema, FinishDatetime, Any]:
    if precision == "adaptive_time_microseconds":
        return (TIMESTAMP, _millis, 0) if digits <= 3 else (MICRO_TIMESTAMP, _micros, 0)
    return _MODES[precision]


_MODES: dict[str, tuple[Schema, FinishDatetime, Any]] = {
    "microseconds": (MICRO_TIMESTAMP, _micros, 0),
    "nanoseconds": (NANO_TIMESTAMP, _nanos, 0),
    "connect": (CONNECT_TIMESTAMP, _millis, 0),
    "isostring": (ISO_TIMESTAMP, _iso, "1970-01-01T00:00:00Z"),
}
