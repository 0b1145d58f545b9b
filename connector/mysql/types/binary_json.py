"""MySQL's binary JSON: its containers and values, and documents as trees.

The layout is that of the server (sql-common/json_binary.h): a type byte, then for objects and
arrays a table of entries with offsets from the start of the table.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from connector.data.java import double_text
from connector.errors import ConversionError
from connector.mysql.types import fields
from connector.mysql.types.decimals import decimal_decoder, plain_text

ESCAPES = {code: f"\\u{code:04X}" for code in range(32)}
ESCAPES.update({ord('"'): '\\"', ord("\\"): "\\\\", 8: "\\b", 9: "\\t", 12: "\\f"})
ESCAPES.update({10: "\\n", 13: "\\r"})
_LITERALS = ("null", "true", "false")
LITERAL, INT16, UINT16, INT32, UINT32, INT64, UINT64 = 4, 5, 6, 7, 8, 9, 10
DOUBLE, STRING, OPAQUE = 11, 12, 15
_NUMBERS = {
    INT16: struct.Struct("<h"),
    UINT16: struct.Struct("<H"),
    INT32: struct.Struct("<i"),
    UINT32: struct.Struct("<I"),
    INT64: struct.Struct("<q"),
    UINT64: struct.Struct("<Q"),
}
DOUBLE_VALUE = struct.Struct("<d")
_KNOWN_LAYOUTS = 65  # containers with fewer members
Leaf = Callable[[int, bytes, int], str]  # type, data, start -> text
MALFORMED = (struct.error, LookupError, ValueError, RecursionError)


def quoted(text: str, escapes: Mapping[int, str] = ESCAPES) -> str:
    """Return a JSON string literal."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{text.translate(escapes)}"'


def json_tree(data: bytes, leaf: Leaf | None = None) -> Any:
    """Return a binary document as dicts and lists with leaves of JSON text.

    :param leaf: writes a value that is no container; `scalar` by default.
    :raises ConversionError: when the bytes are no binary JSON.
    """
    try:
        return _tree(data[0], data, 1, leaf or scalar)
    except MALFORMED as error:
        raise ConversionError(f"malformed binary JSON of {len(data)} bytes") from error


def tree_text(node: Any, escapes: Mapping[int, str] = ESCAPES, space: str = "") -> str:
    """Return the text of a tree, with ``space`` behind each comma and colon."""
    if isinstance(node, dict):
        members = (
            f"{quoted(name, escapes)}:{space}{tree_text(value, escapes, space)}"
            for name, value in node.items()
        )
        return "{" + f",{space}".join(members) + "}"
    if isinstance(node, list):
        return "[" + f",{space}".join(tree_text(value, escapes, space) for value in node) + "]"
    return str(node)


def _tree(kind: int, data: bytes, start: int, leaf: Leaf) -> Any:
    if kind >= LITERAL:
        return leaf(kind, data, start)
    numbers, first = table(kind, data, start)
    widest = UINT32 if kind & 1 else UINT16
    entries = iter(numbers[first:])
    values = [
        inline(entry, value)
        if LITERAL <= entry <= widest
        else _tree(entry, data, start + value, leaf)
        for entry, value in zip(entries, entries, strict=True)
    ]
    if kind >= 2:
        return values
    return dict(zip(member_names(data, start, numbers, first), values, strict=True))


def member_names(data: bytes, start: int, numbers: tuple[int, ...], first: int) -> list[str]:
    """Return the names of an object, in stored order; the numbers are those of `table`."""
    places = zip(numbers[2:first:2], numbers[3:first:2], strict=True)
    return [
        data[start + offset : start + offset + length].decode("utf-8", "replace")
        for offset, length in places
    ]


def table(kind: int, data: bytes, start: int) -> tuple[tuple[int, ...], int]:
    """Read count, size and entries of an object (0, 1) or array (2, 3).

    Odd kinds have offsets of four bytes. Returns all numbers, and where the entries of the
    values begin among them: pairs of a type and an offset, or of a type and a short value.
    """
    count = data[start] | data[start + 1] << 8
    if kind & 1:
        count |= data[start + 2] << 16 | data[start + 3] << 24
    if count < _KNOWN_LAYOUTS:
        unpack = _UNPACK[kind][count]
    elif count > len(data):
        raise IndexError("a container has more members than the document has bytes")
    else:
        unpack = _layout(kind, count)
    numbers = unpack(data, start)
    if numbers[1] > len(data) - start:
        raise IndexError("a container is longer than the document")
    return numbers, 2 + 2 * count if kind < 2 else 2


def _layout(kind: int, count: int) -> Callable[[bytes, int], tuple[int, ...]]:
    """Return the reading of a container's count, size and entries."""
    offset = "I" if kind & 1 else "H"
    names = f"{offset}H" * count if kind < 2 else ""
    return struct.Struct("<" + offset * 2 + names + f"B{offset}" * count).unpack_from


_UNPACK = [[_layout(kind, count) for count in range(_KNOWN_LAYOUTS)] for kind in range(4)]


def inline(kind: int, value: int) -> str:
    """Return a value that stands in the place of its offset, read as unsigned."""
    if kind == LITERAL:
        return _LITERALS[value & 0xFF]
    if kind == INT16:
        value = value & 0xFFFF
        return str(value - 0x10000 if value & 0x8000 else value)
    if kind == INT32:
        return str(value - (1 << 32) if value >> 31 else value)
    return str(value)


def scalar(kind: int, data: bytes, start: int) -> str:
    """Return the text of a value that is no container."""
    if kind == STRING:
        length, start = length_at(data, start)
        return quoted(data[start : start + length].decode("utf-8", "replace"))
    if kind == LITERAL:
        return _LITERALS[data[start]]
    if kind == DOUBLE:
        return _double(DOUBLE_VALUE.unpack_from(data, start)[0])
    if kind == OPAQUE:
        length, body = length_at(data, start + 1)
        return _opaque(data[start], data[body : body + length])
    return str(_NUMBERS[kind].unpack_from(data, start)[0])


def length_at(data: bytes, start: int) -> tuple[int, int]:
    """Read a length in groups of seven bits; return it with the position behind it."""
    length = shift = 0
    while True:
        byte = data[start]
        start += 1
        length |= (byte & 0x7F) << shift
        if byte < 0x80:
            return length, start
        shift += 7


def _double(value: float) -> str:
    if 1e-3 <= value < 1e7:
        return repr(value)
    text = double_text(value)
    return format(Decimal(value), "f") if "E" in text else text


def _opaque(kind: int, data: bytes) -> str:
    if kind == fields.NEWDECIMAL:
        decode, _ = decimal_decoder(data[0], data[1])
        return plain_text(decode(data[2:]), data[1])
    if kind == fields.DATE:
        return f'"{date_text(packed_value(data) >> 41)}"'
    if kind in (fields.TIME, fields.TIME2):
        return f'"{_time(packed_value(data))}"'
    if kind in (fields.DATETIME, fields.DATETIME2, fields.TIMESTAMP, fields.TIMESTAMP2):
        packed = packed_value(data)
        clock = packed >> 24
        time = _clock(clock >> 12 & 31, clock >> 6 & 63, clock & 63, packed & 0xFFFFFF)
        return f'"{date_text(packed >> 41)} {time}"'
    return '"' + base64.b64encode(data).decode("ascii") + '"'


def packed_value(data: bytes) -> int:
    """Return the number that holds a date or a time."""
    return int.from_bytes(data[:8], "little", signed=True)


def date_text(packed: int) -> str:
    """Return the text of a date: year and month, day."""
    year, month = divmod(packed >> 5 & 0x1FFFF, 13)
    return f"{year:04d}-{month:02d}-{packed & 31:02d}"


def _time(packed: int) -> str:
    """Write a time. A negative one comes out wrong, digit for digit as Debezium writes it."""
    clock = packed >> 24
    hour, minute, second = (_rest(clock >> 12, 10), _rest(clock >> 6, 6), _rest(clock, 6))
    return _clock(abs(hour), minute, second, _rest(packed, 24))


def _rest(number: int, bits: int) -> int:
    """Return the remainder by a power of two with the sign of the number, as Java does."""
    rest = abs(number) & (1 << bits) - 1
    return -rest if number < 0 else rest


def _clock(hour: int, minute: int, second: int, micros: int) -> str:
    parts = [f"{part:02d}" if part >= 0 else f"0{part}" for part in (hour, minute, second)]
    text = ":".join(parts)
    if micros > 0:
        return text + f".{micros:06d}".rstrip("0")
    if micros < 0:
        return text + ".00000" + str(micros).rstrip("0")
    return text
