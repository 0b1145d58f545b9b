"""Values in configurations, read as Connect's ``Values.parseString`` reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from math import isinf
from typing import Final, NamedTuple

from connector.data.calendar import DAY
from connector.data.java import BLANKS, to_float32
from connector.data.java_numbers import BITS, decimal_float, parse_decimal
from connector.data.literal_members import LiteralError, Member, list_member, map_member
from connector.data.schema import BOOLEAN, FLOAT32, FLOAT64, STRING, Schema
from connector.data.semantic import CONNECT_DATE, CONNECT_TIME, CONNECT_TIMESTAMP, decimal
from connector.data.simple_date_format import SimpleDateFormat

_TOKEN: Final = re.compile(r'(?:\\.|[^\\:,{}\[\]"]|\\$)+|[:,{}\[\]"]', re.DOTALL)


class _TimeForm(NamedTuple):
    """A kind of time in ISO 8601, and the milliseconds of its unit."""

    schema: Schema
    form: SimpleDateFormat
    unit: int


_TIMES: Final = {
    13: _TimeForm(CONNECT_TIME, SimpleDateFormat("HH:mm:ss.SSS'Z'"), 1),
    24: _TimeForm(CONNECT_TIMESTAMP, SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"), 1),
    10: _TimeForm(CONNECT_DATE, SimpleDateFormat("yyyy-MM-dd"), DAY),
}
_TIME_TOKENS: Final = 5  # the colons of a time are tokens, too
_WORDS: Final[dict[str, Member]] = {
    "null": (None, None),
    "true": (BOOLEAN, True),
    "false": (BOOLEAN, False),
}


def parse_literal(text: str) -> Member:
    """Return the schema and the value of a literal.

    What begins like a list or a map and is none is a text. What stands behind one is ignored.

    :raises ValueError: a list or a map is not supported: its members have no common type.
    """
    word = _WORDS.get(text.strip(BLANKS))
    if word is not None:
        return word
    reader = _LiteralReader(text)
    try:
        found = reader.collection() or reader.scalar()
    except LiteralError:
        return STRING, text
    if reader.fault is not None:
        raise reader.fault
    return found or (STRING, text)


class _LiteralReader:
    """Reads the tokens of a literal; where Connect's parser fails, it raises `LiteralError`.

    ``fault`` is what is not supported in a literal that can be read.
    """

    def __init__(self, text: str) -> None:
        self.fault: ValueError | None = None
        self._tokens = _TOKEN.findall(text)
        self._next = 0

    def _has_next(self) -> bool:
        return self._next < len(self._tokens)

    def _take(self, expected: str) -> bool:
        """Skip blanks, and one token if it is the expected one."""
        while self._next < len(self._tokens) - 1 and not self._tokens[self._next].strip(BLANKS):
            self._next += 1
        if not self._has_next() or self._tokens[self._next].strip(BLANKS) != expected:
            return False
        self._next += 1
        return True

    def collection(self) -> Member | None:
        """Return the list or map that comes next, None for something else."""
        if self._take("["):
            return self._list()
        return self._map() if self._take("{") else None

    def scalar(self) -> Member | None:
        """Return the time or the number that comes next, None for something else."""
        if not self._has_next():
            return None
        first = self._tokens[self._next].strip(BLANKS)
        self._next += 1
        if first[:1].isdecimal():
            rest = self._tokens[self._next : self._next + _TIME_TOKENS - 1]
            time = _time(first + "".join(rest)) if len(rest) == _TIME_TOKENS - 1 else None
            if time is not None:
                self._next += _TIME_TOKENS - 1
                return time
            time = _time(first)
            if time is not None:
                return time
        is_number = first[:1].isdecimal() or first[:1] in ("+", "-")
        return _number(first) if is_number else None

    def _member(self) -> Member:
        """Return the member that comes next; a text stands in quotes."""
        if not self._has_next():
            return None, None
        if self._take('"'):
            return self._quoted()
        for word, found in _WORDS.items():
            if self._take(word):
                return found
        member = self.collection() or self.scalar()
        if member is None:
            raise LiteralError
        return member

    def _quoted(self) -> Member:
        content = ""
        while self._has_next() and not self._take('"'):
            content += self._tokens[self._next]
            self._next += 1
        return _time(content) or (STRING, content)

    def _list(self) -> Member:
        members: list[Member] = []
        while self._has_next():
            if self._take("]"):
                return self._build(lambda: list_member(members))
            if self._take(","):
                raise LiteralError
            members.append(self._member())
            position = self._next
            if self._take("]"):
                self._next = position
            elif not self._take(","):
                raise LiteralError
        raise LiteralError

    def _build(self, make: Callable[[], Member]) -> Member:
        """Return a list or map; one that is not supported counts as a text until all is read."""
        try:
            return make()
        except ValueError as error:
            self.fault = self.fault or error
            return STRING, ""

    def _map(self) -> Member:
        pairs: list[tuple[Member, Member]] = []
        while self._has_next():
            if self._take("}"):
                return self._build(lambda: map_member(pairs))
            if self._take(","):
                raise LiteralError
            key = self._member()
            if key[1] is None or not self._take(":"):
                raise LiteralError
            pairs.append((key, self._member()))
            self._take(",")
        raise LiteralError


def _time(text: str) -> Member | None:
    text = text.replace("\\:", ":")
    known = _TIMES.get(len(text))
    if known is None:
        return None
    try:
        return known.schema, known.form.parse(text) // known.unit
    except ValueError:
        return None


def _number(text: str) -> Member | None:
    """Return the smallest type that holds a number, None if it is none."""
    try:
        unscaled, scale = parse_decimal(text)
    except ValueError:
        return None
    exact = Decimal(unscaled).scaleb(-scale) if abs(scale) < 400 else None
    if exact is not None and exact == exact.to_integral_value():
        whole = int(exact)
        for name, bits in BITS.items():
            if -(1 << bits - 1) <= whole < 1 << bits - 1:
                return Schema(name), whole  # type: ignore[arg-type]  # names of types
    nearest = decimal_float(unscaled, scale)
    if scale != 0 and not isinf(to_float32(nearest)):
        return FLOAT32, to_float32(nearest)
    if scale != 0 and not isinf(nearest):
        return FLOAT64, nearest
    return decimal(scale), unscaled
