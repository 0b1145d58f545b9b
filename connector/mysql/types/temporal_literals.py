"""The literals of temporal defaults, in the forms that Debezium reads.

A server takes more forms, and shows a definition in one; a statement in the log has what was
written. A default in a form that Debezium cannot read is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from connector.mysql.types.calendar import civil, epoch_day

_DAY: Final = r"\d{4}-\d{2}-\d{2}"
_DAY_AND_TIME: Final = re.compile(rf"({_DAY})(?: (\d\d:\d\d)(?:(:\d\d)(\.\d{{0,9}})?)?)?", re.ASCII)
_ANY_DAY_BEFORE_TIME: Final = re.compile(r"\d*-\d*-\d* (?=\d*:\d*:\d*(?:\.\d*)?\Z)", re.ASCII)
_ZERO: Final = re.compile(
    r"(?:\d{4}-\d\d-00|\d{4}-00-\d\d|0000-\d\d-\d\d) 00:00:00(?:\.\d{1,6})?", re.ASCII
)
_ANY_SEPARATORS: Final = re.compile(
    r"(\d+)\D+(\d+)\D+(\d+)(?:\D+(\d+)(?:\D+(\d+)(?:\D+(\d+)(?:\.(\d{0,9}))?)?)?)?", re.ASCII
)
_LAST_MONTH, _LAST_DAY = 12, 31
_FIRST_LONG_YEAR: Final = 100
_JULIAN_DAYS: Final = 2  # by so many Java's old calendar is ahead of the Gregorian in years 0 to 99


def is_zero_timestamp(literal: str) -> bool:
    """Return whether Debezium takes a TIMESTAMP for zero."""
    return literal == "0" or _ZERO.fullmatch(literal) is not None


def read_date(literal: str) -> str:
    """Return the date of ``yyyy-mm-dd`` with or without a time.

    :raises ValueError: it has another form.
    """
    return _match(_DAY_AND_TIME, literal)[1]


def read_datetime(literal: str) -> str:
    """Return ``yyyy-mm-dd`` as it is, or with a time that has seconds.

    :raises ValueError: it has another form.
    """
    day, minute, second, fraction = _match(_DAY_AND_TIME, literal).groups()
    return f"{day} {minute}{second or ':00'}{fraction or ''}" if minute else day


def read_time(literal: str) -> str:
    """Return a literal of TIME without the date in front of it."""
    return _ANY_DAY_BEFORE_TIME.sub("", literal, count=1)


def read_timestamp(literal: str, adjust: Callable[[int], int]) -> tuple[str, str]:
    """Return ``yyyy-mm-ddThh:mm:ss`` and the digits of the fraction.

    Anything may stand between the numbers. Debezium takes a year of two digits for one of the
    first century, in Java's old calendar, before it adjusts it.

    :raises ValueError: it has another form.
    """
    *parts, fraction = _match(_ANY_SEPARATORS, literal).groups()
    year, month, day, hour, minute, second = (int(part or 0) for part in parts)
    if not (1 <= month <= _LAST_MONTH and 1 <= day <= _LAST_DAY):
        raise ValueError(f"no day: {literal!r}")
    if year < _FIRST_LONG_YEAR:
        days = epoch_day(year, month, day)
        if days is None:
            raise ValueError(f"no day: {literal!r}")
        year, month, day = civil(days - _JULIAN_DAYS)
        year = adjust(year)
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}", fraction or ""


def _match(form: re.Pattern[str], literal: str) -> re.Match[str]:
    match = form.fullmatch(literal)
    if match is None:
        raise ValueError(f"not a form of a default that Debezium reads: {literal!r}")
    return match
