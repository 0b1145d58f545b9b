"""Converts values of events back to SQL values, to find a row by its primary key."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from connector import names
from connector.capture.columns import ColumnCodec
from connector.data import semantic
from connector.mysql.types.decimals import plain_text

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - dates and times without zone
_FIRST: Final = datetime.min - _EPOCH  # noqa: DTZ901 - the same
_CYCLE: Final = timedelta(days=146_097)  # 400 years, after which the calendar repeats


def sql_value(codec: ColumnCodec) -> Callable[[Any], Any]:
    """Return the function that converts a value to a number, text or bytes equal to it in SQL."""
    schema = codec.schema
    if schema.name == names.CONNECT_DECIMAL:
        scale = int((schema.parameters or {}).get("scale", "0"))
        return lambda value: plain_text(value, scale)
    if "UNSIGNED" in codec.column.type_name.upper() and schema.type == "int64":
        return lambda value: value + (1 << 64) if value < 0 else value
    return _BY_NAME.get(schema.name or "", _same)


def _same(value: Any) -> Any:
    return value


def _since_epoch(**unit: float) -> Callable[[int], str]:
    """Return the text of a date and time without zone; ``unit`` is what the number counts."""
    length = timedelta(**unit)
    return lambda number: _date_and_time(number * length)


def _date_and_time(since_epoch: timedelta) -> str:
    """Return the text of a date and time; Python's own begin with the year 1."""
    if since_epoch >= _FIRST:
        return (_EPOCH + since_epoch).isoformat(" ", "microseconds")
    later = _EPOCH + (since_epoch + _CYCLE)
    return f"{later.year - 400:04d}{later.isoformat(' ', 'microseconds')[4:]}"


def _nanos(number: int) -> str:
    return _since_epoch(microseconds=1)(number // 1000)


def _day(number: int) -> str:
    return _date_and_time(timedelta(days=number)).partition(" ")[0]


def _clock(**unit: float) -> Callable[[int], str]:
    """Return the text of a TIME, which may be negative and longer than a day."""
    length = timedelta(**unit)

    def text(number: int) -> str:
        seconds, micros = divmod(abs(number * length) // timedelta(microseconds=1), 1_000_000)
        sign = "-" if number < 0 else ""
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{micros:06d}"

    return text


def _zoned(text: str) -> str:
    """Return an instant as the server shows it in UTC."""
    return text.removesuffix("Z").replace("T", " ")


_BY_NAME: Final[dict[str, Callable[[Any], Any]]] = {
    name: convert
    for schema, convert in (
        (semantic.DATE, _day),
        (semantic.CONNECT_DATE, _day),
        (semantic.ISO_DATE, lambda text: text.removesuffix("Z")),
        (semantic.TIMESTAMP, _since_epoch(milliseconds=1)),
        (semantic.CONNECT_TIMESTAMP, _since_epoch(milliseconds=1)),
        (semantic.MICRO_TIMESTAMP, _since_epoch(microseconds=1)),
        (semantic.NANO_TIMESTAMP, _nanos),
        (semantic.ISO_TIMESTAMP, _zoned),
        (semantic.ZONED_TIMESTAMP, _zoned),
        (semantic.TIME, _clock(milliseconds=1)),
        (semantic.CONNECT_TIME, _clock(milliseconds=1)),
        (semantic.MICRO_TIME, _clock(microseconds=1)),
        (semantic.NANO_TIME, lambda number: _clock(microseconds=1)(number // 1000)),
        (semantic.ISO_TIME, lambda text: text.removesuffix("Z")),
    )
    if (name := schema.name)
} | {
    # bits come with the lowest byte first, the server expects it last
    names.BITS: lambda value: int.from_bytes(value, "little"),
}
