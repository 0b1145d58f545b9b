"""TIMESTAMP: an instant, shown in UTC as ISO text."""

from __future__ import annotations

from collections.abc import Callable

from connector.capture.tables import Column
from connector.codegen import Expression, call
from connector.data.semantic import ZONED_TIMESTAMP
from connector.mysql.types import fields
from connector.mysql.types.calendar import adjust_year, civil, fraction_scale
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import Fixed, LogField, Wire, mismatch
from connector.mysql.types.result_cache import ResultCache
from connector.mysql.types.temporal_literals import is_zero_timestamp, read_timestamp
from connector.mysql.types.type_options import TypeOptions

_EPOCH = "1970-01-01T00:00:00Z"
_EPOCH_DEFAULT = "1970-01-01 00:00:00"  # what stands for CURRENT_TIMESTAMP in a definition
_WHOLE_SECONDS = len("yyyy-mm-dd hh:mm:ss")
_TWO_DIGITS = [f"{number:02d}" for number in range(60)]


def timestamp(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a TIMESTAMP(n): in UTC; streamed values have exactly n digits of fraction.

    A snapshot reads with the session's time zone set to UTC. The zero timestamp is absent, except
    in MariaDB's log: Debezium's connector for it shows the epoch there. Where values are exact,
    a snapshot is like the stream, and the zero timestamp is absent.
    """
    digits = column.length or 0
    zero_is_absent = options.exact or options.flavor == "mysql"

    def field(wire: Wire) -> LogField:
        if wire.type == fields.TIMESTAMP:
            return Fixed("I", call(_whole_seconds if zero_is_absent else _any_seconds))
        if wire.type != fields.TIMESTAMP2:
            raise mismatch("TIMESTAMP", wire)
        size = 4 + (wire.meta + 1) // 2
        return Fixed(f"{size}s", _from_log(wire.meta, digits, zero_is_absent=zero_is_absent))

    return ColumnType(
        ZONED_TIMESTAMP,
        _ALL_DIGITS if options.exact else _NEEDED_DIGITS,
        field,
        lambda literal: _literal(literal, column, adjust_year if options.adjust_years else int),
        _EPOCH,
        may_be_absent=True,
    )


def _from_log(stored_digits: int, shown_digits: int, *, zero_is_absent: bool) -> Expression:
    """Write the text: ``yyyy-mm-ddThh:mm:``, seconds, fraction."""
    width, _ = fraction_scale(stored_digits)
    seconds = f"(packed >> {width * 8})" if width else "packed"
    text = f"{{@minutes[{seconds} // 60]}}{{@two_digits[{seconds} % 60]}}"
    if width:
        fraction = f"{{packed & {(1 << width * 8) - 1}:0{2 * width}d}}"
        shown = _WHOLE_SECONDS + 1 + shown_digits
        text = f"f'{text}.{fraction}{'0' * shown_digits}'[:{shown}] + 'Z'"
    else:
        text = f"f'{text}Z'"
    present = "" if zero_is_absent else " >= 0"
    template = f'({text} if (packed := @number({{}}, "big")){present} else None)'
    names = {
        "number": int.from_bytes,
        "minutes": ResultCache(_minute_text),
        "two_digits": _TWO_DIGITS,
    }
    return Expression(template, names, ("timestamp", stored_digits, shown_digits))


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


def _all_digits(data: bytes) -> str | None:
    if data[:4] == b"0000":
        return None
    text = data.decode("ascii")
    return f"{text[:10]}T{text[11:]}Z"


_ALL_DIGITS = Expression("@f({})", {"f": _all_digits}, ("whole-timestamp",))
_NEEDED_DIGITS = Expression("@f({})", {"f": _from_text}, ("timestamp",))


def _literal(literal: str, column: Column, adjust: Callable[[int], int]) -> str | None:
    if literal == _EPOCH_DEFAULT or is_zero_timestamp(literal):
        return None if column.optional else _EPOCH
    text, fraction = read_timestamp(literal, adjust)
    digits = column.length or 0
    shown = fraction[:digits].ljust(digits, "0") if digits else fraction.rstrip("0")
    return f"{text}.{shown}Z" if shown else f"{text}Z"
