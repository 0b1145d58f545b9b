"""Reads row images slowly and plainly: one column after the other, one `if` a wire type.

What comes out are values as SQL shows them (a date as year, month and day, a decimal as a
`Decimal` …), so that nothing of the product's conversions is in it. The formats are those of
MySQL's documentation.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any, NamedTuple

Sized = tuple[Any, int]  # a value and the offset behind it


class PlainColumn(NamedTuple):
    """A column of a TABLE_MAP event, with the signedness that stands in its metadata."""

    type: int
    meta: bytes
    unsigned: bool


def row(columns: list[PlainColumn], present: bytes, data: bytes, offset: int) -> Sized:
    """Return a dict from the number of each held column to its value, None for NULL."""
    held = [number for number in range(len(columns)) if _bit(present, number)]
    nulls = data[offset : offset + (len(held) + 7) // 8]
    offset += len(nulls)
    values: dict[int, Any] = {}
    for place, number in enumerate(held):
        values[number] = None
        if not _bit(nulls, place):
            values[number], offset = field(columns[number], data, offset)
    return values, offset


def field(column: PlainColumn, data: bytes, offset: int) -> Sized:
    """Return the value of a field."""
    kind, meta = column.type, column.meta
    if kind == 254:
        kind, meta = _string_type(meta)
    sizes = {1: 1, 2: 2, 9: 3, 3: 4, 8: 8}
    if kind in sizes:
        end = offset + sizes[kind]
        return int.from_bytes(data[offset:end], "little", signed=not column.unsigned), end
    if kind == 4:
        return struct.unpack("<f", data[offset : offset + 4])[0], offset + 4
    if kind == 5:
        return struct.unpack("<d", data[offset : offset + 8])[0], offset + 8
    if kind == 246:
        return _decimal(meta[0], meta[1], data, offset)
    if kind == 16:
        size = (meta[1] * 8 + meta[0] + 7) // 8
        return int.from_bytes(data[offset : offset + size], "big"), offset + size
    if kind in (247, 248):
        return int.from_bytes(data[offset : offset + meta[0]], "little"), offset + meta[0]
    if kind in (15, 254):
        width = 2 if int.from_bytes(meta, "little") > 255 else 1
        return _prefixed(width, data, offset)
    if kind in (252, 245, 255, 242):
        return _prefixed(meta[0], data, offset)
    return _temporal(kind, meta, data, offset)


def _bit(bitmap: bytes, number: int) -> bool:
    return bool(bitmap[number // 8] >> number % 8 & 1)


def _prefixed(width: int, data: bytes, offset: int) -> Sized:
    start = offset + width
    end = start + int.from_bytes(data[offset:start], "little")
    assert end <= len(data)
    return data[start:end], end


def _string_type(meta: bytes) -> tuple[int, bytes]:
    """Find the type behind a STRING; the length of a long CHAR has two bits in the first byte."""
    first, second = meta
    if first & 0x30 == 0x30:
        return first, bytes([second, 0])
    length = second | ((first & 0x30) ^ 0x30) << 4
    return first | 0x30, length.to_bytes(2, "little")


def _decimal(precision: int, scale: int, data: bytes, offset: int) -> Sized:
    whole = precision - scale
    counts = [whole % 9] + [9] * (whole // 9) + [9] * (scale // 9) + [scale % 9]
    sizes = [{0: 0, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4, 9: 4}[n] for n in counts]
    end = offset + sum(sizes)
    negative = not data[offset] & 0x80
    stored = bytes([data[offset] ^ 0x80]) + data[offset + 1 : end]
    if negative:
        stored = bytes(byte ^ 0xFF for byte in stored)
    digits = ""
    at = 0
    for count, size in zip(counts, sizes, strict=True):
        if count:
            digits += str(int.from_bytes(stored[at : at + size], "big")).rjust(count, "0")
        at += size
    text = f"{digits[:whole] or '0'}.{digits[whole:]}"
    return Decimal("-" + text if negative else text), end


def _temporal(kind: int, meta: bytes, data: bytes, offset: int) -> Sized:
    if kind == 13:
        return (data[offset] + 1900 if data[offset] else 0), offset + 1
    if kind == 10:
        packed = int.from_bytes(data[offset : offset + 3], "little")
        return (packed >> 9, packed >> 5 & 15, packed & 31), offset + 3
    if kind == 11:
        number = int.from_bytes(data[offset : offset + 3], "little", signed=True)
        clock = abs(number)
        seconds = clock // 10000 * 3600 + clock // 100 % 100 * 60 + clock % 100
        return (-seconds if number < 0 else seconds) * 1_000_000, offset + 3
    if kind == 12:
        text = str(int.from_bytes(data[offset : offset + 8], "little")).rjust(14, "0")
        parts = (text[:4], *(text[start : start + 2] for start in range(4, 14, 2)))
        return (*map(int, parts), 0), offset + 8
    if kind == 7:
        return int.from_bytes(data[offset : offset + 4], "little") * 1_000_000, offset + 4
    width = (meta[0] + 1) // 2
    unit = int(10 ** (6 - 2 * width))
    size = {17: 4, 18: 5, 19: 3}[kind] + width
    stored = int.from_bytes(data[offset : offset + size], "big")
    if kind == 19:
        return _time(stored, width, unit), offset + size
    whole, fraction = divmod(stored, 256**width)
    if kind == 17:
        return whole * 1_000_000 + fraction * unit, offset + size
    clock, date = whole % (1 << 17), (whole - (1 << 39)) >> 17
    parts = (clock >> 12, clock >> 6 & 63, clock & 63)
    return (date // 32 // 13, date // 32 % 13, date % 32, *parts, fraction * unit), offset + size


def _time(stored: int, width: int, unit: int) -> int:
    packed = stored - (1 << 23 + 8 * width)
    whole, fraction = divmod(abs(packed), 1 << 8 * width)
    seconds = (whole >> 12) * 3600 + (whole >> 6 & 63) * 60 + (whole & 63)
    micros = seconds * 1_000_000 + fraction * unit
    return -micros if packed < 0 else micros
