"""Numbers, texts and lengths in Avro's binary encoding."""

from __future__ import annotations

from struct import Struct
from typing import Final

from connector.converters.varints import LAST, MASK, MORE
from connector.data.decimals import unscaled_bytes
from connector.errors import ConversionError

TABLE: Final = 1 << 13  # numbers below it are read from a table, which takes a third of the time

FLOAT: Final = Struct("<f").pack
DOUBLE: Final = Struct("<d").pack
BRANCH_FLOAT: Final = Struct("<Bf").pack
BRANCH_DOUBLE: Final = Struct("<Bd").pack


def long(value: int) -> bytes:
    """Return a number of up to 64 bits: zigzag, seven bits a byte, the lowest first.

    :raises ConversionError: it is larger.
    """
    n = value << 1 if value >= 0 else ~(value << 1)
    if n <= MASK:
        return LAST[n]
    if n < 1 << 28:
        return MORE[n & MASK] + LAST[n >> 14]
    if n < 1 << 42:
        return MORE[n & MASK] + MORE[n >> 14 & MASK] + LAST[n >> 28]
    if n < 1 << 56:
        return MORE[n & MASK] + MORE[n >> 14 & MASK] + MORE[n >> 28 & MASK] + LAST[n >> 42]
    if n >= 1 << 64:
        raise ConversionError("a number does not fit into 64 bits")
    groups = (MORE[n >> shift & MASK] for shift in (0, 14, 28, 42))
    return b"".join(groups) + LAST[n >> 56]


def integer(value: int) -> bytes:
    """Return a number of up to 32 bits.

    :raises ConversionError: it is larger.
    """
    if not -0x80000000 <= value < 0x80000000:
        raise ConversionError("a number does not fit into 32 bits")
    return long(value)


def short(value: int) -> bytes:
    """Return a number of up to 16 bits.

    :raises ConversionError: it is larger.
    """
    if not -0x8000 <= value < 0x8000:
        raise ConversionError("a number does not fit into 16 bits")
    return long(value)


def decimal(value: int) -> bytes:
    """Return the bytes of an unscaled decimal behind their number."""
    data = unscaled_bytes(value)
    return LAST[len(data) << 1] + data if len(data) < TABLE else long(len(data)) + data


def tables(branch: bytes) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """Return two tables behind the branch of a union.

    They hold the numbers below `TABLE`, and the first two bytes of larger ones by their low bits.
    """
    small = tuple(branch + LAST[n << 1] for n in range(TABLE))
    return small, tuple(branch + MORE[n << 1] for n in range(TABLE))


BYTES_8: Final = {value: long(value) for value in range(-128, 128)}
BOOLEANS: Final = {False: b"\x00", True: b"\x01"}
