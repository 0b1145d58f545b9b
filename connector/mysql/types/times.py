"""TIME: a duration of up to 838 hours, positive or negative."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from connector.capture.tables import Column
from connector.codegen import Expression, call
from connector.data.schema import Schema
from connector.data.semantic import CONNECT_TIME, ISO_TIME, MICRO_TIME, NANO_TIME
from connector.mysql.types import fields
from connector.mysql.types.calendar import clock_ticks, fraction_scale, fraction_ticks
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import Fixed, LogField, Wire, mismatch
from connector.mysql.types.result_cache import ResultCache
from connector.mysql.types.temporal_literals import read_time
from connector.mysql.types.type_options import TimePrecision, TypeOptions
from connector.mysql.types.unconvertible import Refuse, refusing

_TEXT = re.compile(r"(-?)(\d+):(\d+)(?::(\d+)(?:\.(\d+))?)?")
_DAY = 86_400_000_000_000
_SECOND = 1_000_000_000
_WHOLE_SECONDS, _COLON = len("hh:mm:ss"), ord(":")
_NO_TIME_OF_DAY = "it is no time of a day"

FinishTime = Callable[[int], Any]  # nanoseconds -> value
Finishing = Callable[[Refuse], FinishTime]


def time(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a TIME in the precision of ``time.precision.mode``.

    Only the modes with Debezium's own types can hold durations outside of a day.
    """
    schema, finishing, fallback = _MODES[options.time_precision]
    finish = finishing(refusing(column, options))

    minutes: ResultCache[bytes, int] = ResultCache(lambda clock: _nanos(clock.decode("ascii")))

    def from_text(data: bytes) -> Any:
        if len(data) == _WHOLE_SECONDS and data[2] == _COLON:
            return finish(minutes[data[:5]] + int(data[6:]) * _SECOND)
        return finish(_nanos(data.decode("ascii")))

    def field(wire: Wire) -> LogField:
        if wire.type == fields.TIME:
            return Fixed("3s", call(lambda data: finish(_old_nanos(data))))
        if wire.type != fields.TIME2:
            raise mismatch("TIME", wire)
        return Fixed(f"{3 + (wire.meta + 1) // 2}s", _from_log(wire.meta, finishing, finish))

    return ColumnType(
        schema,
        Expression("@f({})", {"f": from_text}, _NATIVE_TEXT.get(finishing)),
        field,
        lambda literal: finish(_nanos(read_time(literal))),
        fallback,
        may_be_absent=True,
    )


def _from_log(digits: int, finishing: Finishing, finish: FinishTime) -> Expression:
    """Read hours, minutes, seconds and fraction from their bits; negative ones are rare."""
    width, unit = fraction_scale(digits)
    bits = width * 8
    offset = 1 << (23 + bits)
    mask = (1 << bits) - 1

    def decode(packed: int) -> Any:
        magnitude = abs(packed - offset)
        clock = magnitude >> bits
        seconds = (clock >> 12) * 3600 + (clock >> 6 & 63) * 60 + (clock & 63)
        nanos = seconds * _SECOND
        if width:
            nanos += (magnitude & mask) * unit
        return finish(nanos if packed >= offset else -nanos)

    names = {"number": int.from_bytes, "decode": decode}
    packed = "(packed := @number({}, 'big'))"
    ticks = _TICKS.get(finishing)
    if ticks is None:
        native = ("time-of-day", digits, 0 if finishing is _iso else 1000)
        return Expression(f"@decode({packed})", names, native)
    sum_of_parts = clock_ticks(bits, ticks, hours=1023) + fraction_ticks(digits, ticks)
    template = f"({sum_of_parts} if {packed} & {offset} else @decode(packed))"
    return Expression(template, names, ("time", digits, ticks))


def _old_nanos(data: bytes) -> int:
    """Read the format from before MySQL 5.6.4: the digits HHMMSS as a signed number."""
    number = int.from_bytes(data, "little", signed=True)
    minutes, second = divmod(abs(number), 100)
    hour, minute = divmod(minutes, 100)
    nanos = (hour * 3600 + minute * 60 + second) * _SECOND
    return nanos if number >= 0 else -nanos


def _nanos(text: str) -> int:
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a TIME: {text!r}")
    sign, hours, minutes, seconds, fraction = match.groups()
    nanos = (int(hours) * 3600 + int(minutes) * 60 + int(seconds or 0)) * _SECOND
    nanos += int((fraction or "0").ljust(9, "0"))
    return -nanos if sign else nanos


def _micros(_: Refuse) -> FinishTime:
    return lambda nanos: nanos // 1000 if nanos >= 0 else -(-nanos // 1000)


def _nanoseconds(_: Refuse) -> FinishTime:
    return lambda nanos: nanos


def _millis_of_day(refuse: Refuse) -> FinishTime:
    return lambda nanos: nanos // 1_000_000 if 0 <= nanos <= _DAY else refuse(_NO_TIME_OF_DAY)


def _iso(refuse: Refuse) -> FinishTime:
    return lambda nanos: _iso_text(nanos) if 0 <= nanos <= _DAY else refuse(_NO_TIME_OF_DAY)


def _iso_text(nanos: int) -> str:
    seconds, fraction = divmod(nanos % _DAY, _SECOND)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return clock + iso_fraction(fraction) + "Z"


def iso_fraction(nanos: int) -> str:
    """Return a fraction as Java's ISO formatters do: as many digits as it needs."""
    return f".{nanos:09d}".rstrip("0") if nanos else ""


_TICKS: dict[Finishing, int] = {_micros: 1_000_000, _nanoseconds: _SECOND}  # sums of parts

_NATIVE_TEXT: dict[Finishing, tuple[str]] = {
    _micros: ("micro-time",),
    _nanoseconds: ("nano-time",),
}

_MODES: dict[TimePrecision, tuple[Schema, Finishing, Any]] = {
    "adaptive_time_microseconds": (MICRO_TIME, _micros, 0),
    "microseconds": (MICRO_TIME, _micros, 0),
    "nanoseconds": (NANO_TIME, _nanoseconds, 0),
    "connect": (CONNECT_TIME, _millis_of_day, 0),
    "isostring": (ISO_TIME, _iso, "00:00:00Z"),
}
