"""Converts defaults of the DDL to the form in which the connector writes values.

Messages with a schema contain a column's default in the form of its values, but a text with the
escapes of its literal. The schema-change topic has the literal of the DDL, which is converted here.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any, Final

from connector import names
from sparksink.schemas.row_schema import Column

_EXACT: Final = Context(prec=200, rounding=ROUND_HALF_UP)
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - DATETIME has no zone


def connect_default(column: Column, text: str | None) -> Any:
    """Return a default in the form of the column's values; None without a default.

    A default that is not a literal of the column's type is an expression, and gives None.
    """
    if text is None or column.semantic in _ISO:
        return None
    convert = _CONVERSIONS.get(column.semantic) or _PLAIN.get(column.type)
    try:
        return text if convert is None else convert(text, column)
    except (ValueError, InvalidOperation):
        return None


def first_label(labels: Sequence[str]) -> str | None:
    """Return the implicit default of an ENUM, from its labels as SQL literals; with escapes."""
    return labels[0][1:-1] if labels else None


def literal_value(text: str) -> str:
    r"""Return the value of a text literal, given without its quotes.

    Debezium leaves the escapes of a default in it, in the schemas of messages too; they are gone
    there only with ``compat.mode=exact``, which the sink cannot know, as little as whether
    ``sql_mode`` has NO_BACKSLASH_ESCAPES.

    >>> literal_value(r"it''s \"new\"")
    'it\'s "new"'
    """
    return _ESCAPED.sub(lambda found: _CHARACTERS.get(found[1] or "", found[1] or "'"), text)


_ESCAPED: Final = re.compile(r"''|\\(.)", re.DOTALL)
_CHARACTERS: Final = {
    "n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "Z": "\x1a", "%": r"\%", "_": r"\_",
}  # fmt: skip


def _decimal(text: str, column: Column) -> str:
    scale = int(column.parameters["scale"])
    value = Decimal(text).quantize(Decimal(1).scaleb(-scale), context=_EXACT)
    unscaled = int(value.scaleb(scale, context=_EXACT))
    size = unscaled.bit_length() // 8 + 1
    return base64.b64encode(unscaled.to_bytes(size, "big", signed=True)).decode()


def _days(text: str, _: Column) -> int:
    return (date.fromisoformat(text) - _EPOCH.date()).days


def _since_epoch(unit: timedelta, factor: int = 1) -> Callable[[str, Column], int]:
    return lambda text, _: (datetime.fromisoformat(text) - _EPOCH) // unit * factor


def _clock(unit: timedelta) -> Callable[[str, Column], int]:
    def convert(text: str, _: Column) -> int:
        found = CLOCK.fullmatch(text)
        if found is None:
            raise ValueError(text)
        hours, minutes, seconds = (int(found[part]) for part in ("hours", "minutes", "seconds"))
        micros = int((found["fraction"] or "").ljust(6, "0"))
        span = timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micros)
        return (-1 if found["sign"] else 1) * (span // unit)

    return convert


CLOCK: Final = re.compile(
    r"(?P<sign>-?)(?P<hours>\d{2,3}):(?P<minutes>\d\d):(?P<seconds>\d\d)(\.(?P<fraction>\d{1,6}))?"
)
"""A TIME with all its parts."""

_MICRO: Final = timedelta(microseconds=1)
_MILLI: Final = timedelta(milliseconds=1)

_CONVERSIONS: Final[Mapping[str, Callable[[str, Column], Any]]] = {
    names.CONNECT_DECIMAL: _decimal,
    names.CONNECT_DATE: _days,
    names.DATE: _days,
    names.CONNECT_TIMESTAMP: _since_epoch(_MILLI),
    names.TIMESTAMP: _since_epoch(_MILLI),
    names.MICRO_TIMESTAMP: _since_epoch(_MICRO),
    names.NANO_TIMESTAMP: _since_epoch(_MICRO, 1000),
    names.MICRO_TIME: _clock(_MICRO),
    names.ZONED_TIMESTAMP: lambda text, _: text.replace(" ", "T") + "Z",
}

_ISO: Final = frozenset({names.ISO_DATE, names.ISO_TIME, names.ISO_TIMESTAMP})
"""Texts in a form of their own (``time.precision.mode=isostring``), to which none is converted."""

_PLAIN: Final[Mapping[str, Callable[[str, Column], Any]]] = {
    "int16": lambda text, _: int(text),
    "int32": lambda text, _: int(text),
    "int64": lambda text, _: int(text),
    "float": lambda text, _: float(text),
    "double": lambda text, _: float(text),
    "boolean": lambda text, _: text.lower() in {"1", "true"},
    "bytes": lambda text, _: base64.b64encode(text.encode()).decode(),
}
