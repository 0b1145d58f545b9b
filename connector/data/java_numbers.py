"""Java's conversions between numbers, and from texts to numbers."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Final

from connector.data.decimals import scale_of

BITS: Final = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}

_INTEGER: Final = re.compile(r"[+-]?\d+")
_FLOAT: Final = re.compile(
    r"[\0- ]*([+-]?)(NaN|Infinity|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFdD]?)[\0- ]*",
    re.ASCII,
)
_HEX_FLOAT: Final = re.compile(
    r"[\0- ]*([+-]?)(0[xX](?:[\da-fA-F]+\.?|[\da-fA-F]*\.[\da-fA-F]+)[pP][+-]?\d+)[fFdD]?[\0- ]*",
    re.ASCII,
)


def wrap(number: int, bits: int) -> int:
    """Keep the lowest bits of a number, the highest of them as its sign."""
    half = 1 << bits - 1
    return (number + half & (1 << bits) - 1) - half


def limited(number: float, bits: int) -> int:
    """Return the nearest integer of so many bits."""
    half = 1 << bits - 1
    return int(min(max(number, -half), half - 1))


def from_float(number: float, bits: int) -> int:
    """Convert a float: to long or int it is limited, to shorter types it then wraps."""
    if number != number:  # noqa: PLR0124 - NaN
        return 0
    return wrap(limited(number, max(bits, 32)), bits)


def parse_integer(text: str, bits: int) -> int:
    """Read a text as ``Byte.parseByte`` to ``Long.parseLong`` do.

    :raises ValueError: it is none, or is out of range.
    """
    half = 1 << bits - 1
    if not _INTEGER.fullmatch(text) or not -half <= int(text) < half:
        raise ValueError(text)
    return int(text)


def parse_float(text: str) -> float:
    """Read a text as ``Double.parseDouble`` does.

    :raises ValueError: it is no number.
    """
    match = _FLOAT.fullmatch(text)
    if match is not None:
        return float(match[1] + (match[3] or match[2]))
    match = _HEX_FLOAT.fullmatch(text)
    if match is None:
        raise ValueError(text)
    try:
        return float.fromhex(match[1] + match[2])
    except OverflowError:
        return float(match[1] + "inf")


def parse_decimal(text: str) -> tuple[int, int]:
    """Read a text as ``BigDecimal`` does: the unscaled value and the scale.

    :raises ValueError: it is no number.
    """
    if text != text.strip() or "_" in text:
        raise ValueError(text)
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(text) from None
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(text)  # noqa: TRY004 - infinity and NaN
    unscaled = int("".join(map(str, digits)) or "0")
    return -unscaled if sign else unscaled, -exponent


def decimal_integer(unscaled: int, scale: int) -> int:
    """Return a decimal without its fraction."""
    scale = scale_of(unscaled, scale)
    if scale <= 0:
        return unscaled * int(10**-scale)
    whole = abs(unscaled) // int(10**scale)
    return -whole if unscaled < 0 else whole


def decimal_float(unscaled: int, scale: int) -> float:
    """Return the float nearest to a decimal."""
    return float(f"{unscaled:d}e{-scale_of(unscaled, scale)}")
