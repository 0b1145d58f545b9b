"""Java's calendar: Gregorian from 15 October 1582 on, Julian before."""

from __future__ import annotations

from typing import Final, NamedTuple

DAY: Final = 86_400_000
_FIRST_GREGORIAN: Final = -141_427  # days; 15 October 1582


class Clock(NamedTuple):
    """A moment in UTC; ``week_day`` 0 is Monday."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    millisecond: int
    week_day: int
    day_of_year: int


def clock(milliseconds: int) -> Clock:
    """Split a time since the epoch."""
    days, rest = divmod(milliseconds, DAY)
    year, month, day = _date(days)
    seconds, millisecond = divmod(rest, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return Clock(
        year, month, day, hour, minute, second, millisecond,
        (days + 3) % 7, days - days_since_epoch(year, 1, 1) + 1,
    )  # fmt: skip


def days_since_epoch(year: int, month: int, day: int) -> int:
    """Count the days; months and days may overflow, as in a lenient calendar."""
    more, month0 = divmod(month - 1, 12)
    year += more
    gregorian = _count(year, month0, gregorian=True) + day - 1
    if gregorian >= _FIRST_GREGORIAN:
        return gregorian
    return _count(year, month0, gregorian=False) + day - 1


def _date(days: int) -> tuple[int, int, int]:
    gregorian = days >= _FIRST_GREGORIAN
    year = 1970 + days // (366 if days >= 0 else 365) - 1  # this one or earlier
    while _count(year + 1, 0, gregorian=gregorian) <= days:
        year += max((days - _count(year + 1, 0, gregorian=gregorian)) // 366, 1)
    month0 = 11
    while _count(year, month0, gregorian=gregorian) > days:
        month0 -= 1
    return year, month0 + 1, days - _count(year, month0, gregorian=gregorian) + 1


def _count(year: int, month0: int, *, gregorian: bool) -> int:
    """Count the days from the epoch to the first day of a month."""
    before = year - (month0 < 2)  # the year that counts for leap days begins in March
    leap = before // 4
    leap += before // 400 - before // 100 - 477 if gregorian else -479
    months = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
    return (year - 1970) * 365 + leap + months[month0]
