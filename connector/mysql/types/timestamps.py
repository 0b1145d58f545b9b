"""TIMESTAMP: an instant, shown in UTC as ISO text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from connector.capture.columns import call
from connector.capture.tables import Column
from connector.data.semantic import ZONED_TIMESTAMP
from connector.mysql.options import TypeOptions
from connector.mysql.remembered import Remembered
from connector.mysql.types import fields
from connector.mysql.types.calendar import civil, fraction_scale
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import Fixed, LogField, Wire, mismatch

_EPOCH = "1970-01-01T00:00:00Z"
_EPOCH_DEFAULT = "1970-01-01 00:00:00"  # what stands for CURRENT_TIMESTAMP in a definition
_WHOLE_SECONDS = len("yyyy-mm-dd hh:mm:ss")
_TWO_DIGITS = [f"{number:02d}" for number in range(60)]


def timestamp(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a TIMESTAMP(n): in UTC; streamed values have exactly n digits of fraction.

    A snapshot reads with the session's time zone set to UTC. The zero timestamp is absent, but
    for MariaDB's log: its connector of Debezium shows the epoch there.
    """
    digits = column.length or 0
    zero_is_absent = options.flavour == "mysql"

    def field(wire: Wire) -> LogField:
        if wire.type == fields.TIMESTAMP:
            return Fixed("I", call(_whole_seconds if zero_is_absent else _any_seconds))
        if wire.type != fields.TIMESTAMP2:
            raise mismatch("TIMESTAMP", wire)
        size = 4 + (wire.meta + 1) // 2
        return Fixed(f"{size}s", call(_decoder(wire.meta, digits, zero_is_absent=zero_is_absent)))

    return ColumnType(
        ZONED_TIMESTAMP,
        call(_from_text),
        field,
        lambda literal: _literal(literal, column),
        _EPOCH,
        may_be_absent=True,
    )


def _decoder(
    stored_digits: int, shown_digits: int, *, zero_is_absent: bool
) -> Callable[[bytes], Any]:
    width, _ = fraction_scale(stored_digits)
    bits = width * 8
    mask = (1 << bits) - 1
    minutes = Remembered(_minute_text)
    digits = f"%0{2 * width}d" + "0" * (shown_digits - 2 * width)

    def decode(data: bytes) -> str | None:
        packed = int.from_bytes(data, "big")
        if not packed and zero_is_absent:
            return None
        minute, second = divmod(packed >> bits, 60)
        if not width:
            return f"{minutes[minute]}{_TWO_DIGITS[second]}Z"
        fraction = (digits % (packed & mask))[:shown_digits]
        return f"{minutes[minute]}{_TWO_DIGITS[second]}.{fraction}Z"

    return decode


def _minute_text(minute: int) -> str:
    days, rest = divmod(minute, 1440)
    year, number, day = civil(days)
    return f"{year:04d}-{number:02d}-{day:02d}T{rest // 60:02d}:{rest % 60:02d}:"


def _whole_seconds(seconds: int) -> str | None:
    return _any_seconds(seconds) if seconds else None


def _any_seconds(seconds: int) -> str:
    minute, second = divmod(seconds, 60)
    return f"{_minute_text(minute)}{second:02d}Z"


def _from_text(data: bytes) -> str | None:
    """Read a time of the snapshot; there Debezium shows as many digits as the value needs."""
    if data[:4] == b"0000":
        return None
    text = data.decode("ascii")
    if len(text) > _WHOLE_SECONDS:
        text = text.rstrip("0").rstrip(".")
    return f"{text[:10]}T{text[11:]}Z"


def _literal(literal: str, column: Column) -> str | None:
    zero = literal == "0" or literal[:4] == "0000" or "-00" in literal[:10]
    if zero or literal == _EPOCH_DEFAULT:
        return None if column.optional else _EPOCH
    text = literal.replace(" ", "T", 1)
    if len(text) == 10:
        text += "T00:00:00"
    fraction = text.partition(".")[2]
    digits = column.length or 0
    if digits:
        text = f"{text[:19]}.{fraction[:digits].ljust(digits, '0')}"
    return text + "Z"
