"""Spark types that hold all values of others."""

from __future__ import annotations

import re
from typing import Final

DECIMAL: Final = re.compile(r"decimal\((\d+),(\d+)\)")
DIGITS: Final = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
"""Integers, narrow to wide → the digits that a decimal needs for them."""
_WIDER: Final = {
    ("float", "double"),
    ("date", "timestamp_ntz"),
    ("tinyint", "double"),
    ("smallint", "double"),
    ("int", "double"),
}


def fits(kind: str, into: str) -> bool:
    """Return whether every value of one type is a value of the other."""
    return kind == into or is_wider(kind, into)


def is_wider(kind: str, other: str) -> bool:
    """Return whether a column of one type can become the other without loss."""
    if (kind, other) in _WIDER:
        return True
    sizes = list(DIGITS)
    if kind in DIGITS and other in DIGITS:
        return sizes.index(kind) < sizes.index(other)
    target = DECIMAL.fullmatch(other)
    if target is None:
        return False
    whole, scale = int(target[1]) - int(target[2]), int(target[2])
    if kind in DIGITS:
        return whole >= DIGITS[kind]
    given = DECIMAL.fullmatch(kind)
    return given is not None and whole >= int(given[1]) - int(given[2]) and scale >= int(given[2])
