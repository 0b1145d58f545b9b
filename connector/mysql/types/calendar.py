"""Days and seconds since the epoch, without the limits of `datetime`.

MySQL dates run from year 0 to 9999 and can hold zero months and days; a date that is no day of
the calendar has no number here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

LogDay = Callable[[int, int, int], int | None]  # year, month, day -> days since the epoch
_NANOS = 1_000_000_000
_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@lru_cache(maxsize=4096)
def month(year: int, number: int) -> tuple[int, int] | None:
    """Return (days from the epoch to the day before the month's first, days in the month)."""
    if not 1 <= number <= 12:
        return None
    # days before March 1st of a year that starts in March (proleptic Gregorian calendar)
    shifted = year - (number <= 2)
    index = (number + 9) % 12
    days = 365 * shifted + shifted // 4 - shifted // 100 + shifted // 400
    start = days + (153 * index + 2) // 5 - 719468
    leap = number == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return start - 1, _DAYS_IN_MONTH[number - 1] + leap


def epoch_day(year: int, number: int, day: int) -> int | None:
    """Return the days since 1970-01-01, or None when there is no such day."""
    found = month(year, number)
    if found is None or not 1 <= day <= found[1]:
        return None
    return found[0] + day


def adjust_year(year: int) -> int:
    """Expand a year below 100 to the range 1970 to 2069, as MySQL reads two-digit years."""
    if year > 99:
        return year
    return year + 2000 if year < 70 else year + 1900


def civil(days: int) -> tuple[int, int, int]:
    """Return (year, month, day) of a number of days since the epoch."""
    shifted = days + 719468
    era, day_of_era = divmod(shifted, 146097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    index = (5 * day_of_year + 2) // 153
    number = index + 3 if index < 10 else index - 9
    return (
        year_of_era + era * 400 + (number <= 2),
        number,
        day_of_year - (153 * index + 2) // 5 + 1,
    )


def fraction_scale(digits: int) -> tuple[int, int]:
    """Return (bytes, nanoseconds of a unit) of a stored fraction of a second with that many digits.

    An odd number of digits is stored with a zero behind.
    """
    width = (digits + 1) // 2
    return width, 10 ** (9 - 2 * width)


def day_of_log(adjust: Callable[[int], int], *, exact: bool) -> LogDay:
    """Return how days are read from the log: by Debezium there is none in the year 0."""

    def day_of(year: int, number: int, day: int) -> int | None:
        return epoch_day(adjust(year), number, day) if year or exact else None

    return day_of


def clock_ticks(bits: int, ticks: int, *, hours: int) -> str:
    """Return the source of the time of day, in so many ticks a second, in a number ``packed``.

    :param bits: how many bits of fraction stand behind the seconds.
    :param hours: the mask of the hours, in front of six bits of minutes and six of seconds.
    """
    return (
        f"(packed >> {bits + 12} & {hours}) * {3600 * ticks}"
        f" + (packed >> {bits + 6} & 63) * {60 * ticks}"
        f" + (packed >> {bits} & 63) * {ticks}"
    )


def fraction_ticks(digits: int, ticks: int) -> str:
    """Return the source that adds the fraction of a second, in whole ticks; it may be empty."""
    width, unit = fraction_scale(digits)
    if not width:
        return ""
    fraction = f"(packed & {(1 << width * 8) - 1})"
    scaled = unit * ticks
    if scaled >= _NANOS:
        return f" + {fraction} * {scaled // _NANOS}"
    return f" + {fraction} // {_NANOS // scaled}"
