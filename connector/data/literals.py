"""Values in configurations, read as Connect's ``Values.parseString`` reads them."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isinf
from typing import Any, Final

from connector.data.calendar import DAY
from connector.data.java import to_float32
from connector.data.java_numbers import BITS, decimal_float, parse_decimal
from connector.data.schema import BOOLEAN, FLOAT32, FLOAT64, STRING, Schema
from connector.data.semantic import CONNECT_DATE, CONNECT_TIME, CONNECT_TIMESTAMP, decimal
from connector.data.simple_date_format import SimpleDateFormat

_TOKEN: Final = re.compile(r'(?:\\.|[^\\:,{}\[\]"])+|\\$|[:,{}\[\]"]', re.DOTALL)
_TIMES: Final = {
    13: (CONNECT_TIME, SimpleDateFormat("HH:mm:ss.SSS'Z'"), 1),
    24: (CONNECT_TIMESTAMP, SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'"), 1),
    10: (CONNECT_DATE, SimpleDateFormat("yyyy-MM-dd"), DAY),
}
_TIME_TOKENS: Final = 5  # the colons of a time are tokens, too


def parse_literal(text: str) -> tuple[Schema | None, Any]:
    """Return the schema and the value of a literal.

    :raises ValueError: it is a list or a map, which are not supported.
    """
    tokens = _TOKEN.findall(text)
    first = next((token.strip() for token in tokens if token.strip()), "")
    if first in ("[", "{"):
        raise ValueError("lists and maps are not supported")
    if text.strip() == "null":
        return None, None
    if text.strip() in ("true", "false"):
        return BOOLEAN, text.strip() == "true"
    found = None
    if first[:1].isdigit():
        start = next(index for index, token in enumerate(tokens) if token.strip())
        joined = first + "".join(tokens[start + 1 : start + _TIME_TOKENS])
        found = (len(tokens) - start >= _TIME_TOKENS and _time(joined)) or _time(first)
    if not found and (first[:1].isdigit() or first[:1] in ("+", "-")):
        found = _number(first)
    return found or (STRING, text)


def _time(text: str) -> tuple[Schema, Any] | None:
    text = text.replace("\\:", ":")
    known = _TIMES.get(len(text))
    if known is None:
        return None
    schema, form, unit = known
    try:
        return schema, form.parse(text) // unit
    except ValueError:
        return None


def _number(text: str) -> tuple[Schema, Any] | None:
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
