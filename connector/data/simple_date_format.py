"""Java's SimpleDateFormat in UTC and English, without weeks, which differ between countries."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from connector.data.calendar import DAY, Clock, clock, days_since_epoch

_ALL_LETTERS: Final = "GyMdkHmsSEDFwWahKzZYuXL"
_UNSUPPORTED: Final = "FwWYL"
_PIECE: Final = re.compile(r"'((?:[^']|'')*)'|(([A-Za-z])\3*)|([^A-Za-z']+)")
_MONTHS: Final = (
    "January February March April May June July August September October November December"
).split()
_DAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_NUMBER: Final = re.compile(r"\s*(-?\d+)")
_ZONE: Final = re.compile(
    r"([+-])([01][0-9]|2[0-3])([0-5][0-9])|GMT([+-])([01]?[0-9]|2[0-3]):([0-5][0-9])|GMT(?![+-])"
    r"|UTC|Coordinated Universal Time",
    re.IGNORECASE,
)
_HOURS: Final = r"([+-])([01][0-9]|2[0-3])"
_ISO_ZONES: Final = {
    1: re.compile(f"Z|{_HOURS}"),
    2: re.compile(f"Z|{_HOURS}([0-5][0-9])"),
    3: re.compile(f"Z|{_HOURS}:([0-5][0-9])"),
}
_HALF_CENTURY_AHEAD: Final = 20  # two digits mean a year up to so many years ahead


class _PatternPiece(NamedTuple):
    """A literal text (letter "") or a field: a letter and how often it stands there."""

    letter: str
    text: str

    @property
    def width(self) -> int:
        return len(self.text)

    @property
    def numeric(self) -> bool:
        return self.letter in set("ydkHmsSDhKu") or (self.letter == "M" and self.width < 3)


class SimpleDateFormat:
    """Formats and reads times in milliseconds since the epoch.

    :raises ValueError: the pattern is none, or has a letter that is not supported.
    """

    def __init__(self, pattern: str, this_year: int | None = None) -> None:
        self.pattern = pattern
        self._pieces = list(_pieces(pattern))
        self._latest = (this_year or datetime.now(UTC).year) + _HALF_CENTURY_AHEAD

    def format(self, milliseconds: int) -> str:
        """Return the text of a time."""
        moment = clock(milliseconds)
        return "".join(
            _field(piece.letter, piece.width, moment) if piece.letter else piece.text
            for piece in self._pieces
        )

    def parse(self, text: str) -> int:
        """Read the time at the beginning of a text, as a lenient format does.

        :raises ValueError: the text does not begin with the pattern.
        """
        found: dict[str, Any] = {}
        position = 0
        for index, piece in enumerate(self._pieces):
            if not piece.letter:
                position = _literal(piece.text, text, position)
                continue
            abuts = index + 1 < len(self._pieces) and self._pieces[index + 1].numeric
            position = self._read(piece, text, position, found, abuts=abuts)
        return _milliseconds(found)

    def _read(
        self, piece: _PatternPiece, text: str, position: int, found: dict[str, Any], *, abuts: bool
    ) -> int:
        if piece.numeric:
            end = min(position + piece.width, len(text)) if abuts else len(text)
            match = _NUMBER.match(text[:end], position)
            if match is None:
                raise ValueError(text)
            number = int(match[1])
            if piece.letter == "y" and piece.width <= 2 and len(match[1]) == 2 and number >= 0:
                number += (self._latest - number) // 100 * 100
            found[piece.letter] = number
            return match.end()
        if piece.letter in "zZX":
            return _read_zone(piece, text, position, found)
        return _read_name(piece.letter, text, position, found)


def _pieces(pattern: str) -> list[_PatternPiece]:
    found: list[_PatternPiece] = []
    position = 0
    while position < len(pattern):
        match = _PIECE.match(pattern, position)
        if match is None:
            raise ValueError("Unterminated quote")
        position = match.end()
        if match[3] is not None:
            if match[3] not in _ALL_LETTERS:
                raise ValueError(f"Illegal pattern character '{match[3]}'")
            if match[3] in _UNSUPPORTED:
                raise ValueError(f"the letter {match[3]} is not supported")
            if match[3] == "X" and len(match[2]) not in _ISO_ZONES:
                raise ValueError(f"invalid ISO 8601 format: length={len(match[2])}")
            found.append(_PatternPiece(match[3], match[2]))
        elif match[1] is not None:
            found.append(_PatternPiece("", match[1].replace("''", "'") or "'"))
        else:
            found.append(_PatternPiece("", match[4]))
    return found


def _field(letter: str, count: int, moment: Clock) -> str:
    if letter == "y":
        year = moment.year if moment.year > 0 else 1 - moment.year
        return f"{year % 100:02d}" if count == 2 else str(year).rjust(count, "0")
    if letter == "M" and count > 2:
        name = _MONTHS[moment.month - 1]
        return name if count > 3 else name[:3]
    if letter == "E":
        name = _DAYS[moment.week_day]
        return name if count > 3 else name[:3]
    if letter in "aG":
        first, second = ("AM", "PM") if letter == "a" else ("BC", "AD")
        return second if (moment.hour >= 12 if letter == "a" else moment.year > 0) else first
    if letter in "zZX":
        long = "Coordinated Universal Time" if count > 3 else "UTC"
        return {"z": long, "Z": "+0000", "X": "Z"}[letter]
    numbers = {
        "M": moment.month, "d": moment.day, "D": moment.day_of_year, "u": moment.week_day + 1,
        "H": moment.hour, "k": moment.hour or 24, "K": moment.hour % 12,
        "h": moment.hour % 12 or 12, "m": moment.minute, "s": moment.second,
        "S": moment.millisecond,
    }  # fmt: skip
    return str(numbers[letter]).rjust(count, "0")


def _literal(literal: str, text: str, position: int) -> int:
    if not text.startswith(literal, position):
        raise ValueError(text)
    return position + len(literal)


def _read_zone(piece: _PatternPiece, text: str, position: int, found: dict[str, Any]) -> int:
    expression = _ISO_ZONES[piece.width] if piece.letter == "X" else _ZONE
    match = expression.match(text, position)
    if match is None:
        raise ValueError(text)
    sign, hours, *rest = [group for group in match.groups() if group] or ["+", "0"]
    minutes = int(hours) * 60 + sum(map(int, rest))
    found["zone"] = -minutes if sign == "-" else minutes
    return match.end()


def _read_name(letter: str, text: str, position: int, found: dict[str, Any]) -> int:
    names = {"M": _MONTHS, "E": _DAYS, "a": ["AM", "PM"], "G": ["BC", "AD"]}[letter]
    for length in (None, 3):
        for index, name in enumerate(names):
            if text[position:].lower().startswith(name[:length].lower()):
                found[letter] = index + 1 if letter == "M" else index
                return position + len(name[:length])
    raise ValueError(text)


def _milliseconds(found: dict[str, Any]) -> int:
    year = found.get("y", 1970)
    if found.get("G") == 0:
        year = 1 - year
    if "D" in found and "d" not in found and "M" not in found:
        days = days_since_epoch(year, 1, found["D"])
    else:
        days = days_since_epoch(year, found.get("M", 1), found.get("d", 1))
    hour = found.get("H", found.get("k", 0) % 24 if "k" in found else None)
    if hour is None:
        hour = found.get("K", found.get("h", 0) % 12) + 12 * found.get("a", 0)
    minutes = hour * 60 + found.get("m", 0) - found.get("zone", 0)
    seconds = int(minutes * 60 + found.get("s", 0))
    return days * DAY + seconds * 1000 + int(found.get("S", 0))
