"""Java's formats of times, and its calendar."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.data.calendar import DAY, clock, days_since_epoch
from connector.data.simple_date_format import SimpleDateFormat

MOMENT = 1_700_000_000_123  # Tuesday, 14 November 2023, 22:13:20.123 UTC


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2023-11-14T22:13:20.123Z"),
        ("EEEE, d MMMM yy", "Tuesday, 14 November 23"),
        ("EEE MMM h:mm a z", "Tue Nov 10:13 PM UTC"),
        ("kk KK u DDD G Z", "22 10 2 318 AD +0000"),
        ("'o''clock' ''yy''", "o'clock '23'"),
        ("y M", "2023 11"),
    ],
)
def test_texts(pattern: str, text: str) -> None:
    assert SimpleDateFormat(pattern).format(MOMENT) == text


@pytest.mark.parametrize(
    ("pattern", "text", "milliseconds"),
    [
        ("yyyyMMddHHmmss", "20231114221320", 1_700_000_000_000),
        ("yyyy-MM-dd", "2023-11-14 and more", 1_699_920_000_000),
        ("yyyy-MM-dd HH:mm", "2023-13-45 25:61", 1_707_962_460_000),
        ("d MMM yy", "14 Nov 23", 1_699_920_000_000),
        ("d MMMM yyyy h:mm a", "14 november 2023 10:13 PM", 1_699_999_980_000),
        ("yyyy-MM-dd'T'HH:mmZ", "2023-11-14T22:13+0200", 1_699_992_780_000),
        ("HH:mm", "-1:30", -1_800_000),
    ],
)
def test_texts_are_read(pattern: str, text: str, milliseconds: int) -> None:
    assert SimpleDateFormat(pattern).parse(text) == milliseconds


@pytest.mark.parametrize(
    ("pattern", "zones", "others"),
    [
        ("Z", "+0200 GMT+2:00 gmt+02:00", "Z +02 +02:00 +2:00 GMT+0200 +2400 +0260"),
        ("z", "+0200 GMT+02:00", "Z GMT+24:00 GMT+"),
        ("X", "+02 +0200", "z GMT UTC 2"),
        ("XX", "+0200", "+02 +02:00 z GMT+2:00"),
        ("XXX", "+02:00", "+02 +0200 z"),
    ],
)
def test_zones_are_read_as_their_letter_says(pattern: str, zones: str, others: str) -> None:
    date = SimpleDateFormat(f"HH{pattern}")
    assert [date.parse(f"02{zone}") for zone in zones.split()] == [0] * len(zones.split())
    universal = "Z" if pattern[0] == "X" else "UTC"
    assert date.parse(f"00{universal}") == 0
    for zone in others.split():
        with pytest.raises(ValueError):  # noqa: PT011 - the text itself
            date.parse(f"02{zone}")


@pytest.mark.parametrize("pattern", ["yyyy-bb", "YYYY", "'open", "w", "XXXX"])
def test_patterns_that_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"Illegal|not supported|Unterminated|ISO 8601"):
        SimpleDateFormat(pattern)


@pytest.mark.parametrize("text", ["", "2023", "x2023-11-14", "2023-Nov-14"])
def test_texts_that_do_not_fit(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the text itself
        SimpleDateFormat("yyyy-MM-dd").parse(text)


@given(st.dates(date(1583, 1, 1)))
def test_gregorian_days(day: date) -> None:
    days = (day - date(1970, 1, 1)).days
    found = clock(days * DAY + 1)
    assert (found.year, found.month, found.day) == (day.year, day.month, day.day)
    assert (found.week_day, found.day_of_year) == (day.weekday(), day.timetuple().tm_yday)
    assert days_since_epoch(day.year, day.month, day.day) == days


def test_the_calendar_was_julian_before() -> None:
    first = days_since_epoch(1582, 10, 15)
    assert clock(first * DAY)[:3] == (1582, 10, 15)
    assert clock((first - 1) * DAY)[:3] == (1582, 10, 4)
    assert days_since_epoch(1582, 10, 4) == first - 1
    assert days_since_epoch(1500, 2, 29) + 1 == days_since_epoch(1500, 3, 1)


@given(st.datetimes(datetime(1583, 1, 1), datetime(2999, 1, 1)))  # noqa: DTZ001 - UTC is added
def test_what_is_written_can_be_read(moment: datetime) -> None:
    exact = moment.replace(tzinfo=UTC, microsecond=moment.microsecond // 1000 * 1000)
    milliseconds = (exact - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    form = SimpleDateFormat("yyyy-MM-dd HH:mm:ss.SSS")
    assert form.parse(form.format(milliseconds)) == milliseconds
