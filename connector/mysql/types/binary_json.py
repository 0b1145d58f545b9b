r"""MySQL's binary JSON: to text as Debezium writes it, and the diffs of partial updates.

The layout is that of the server (sql-common/json_binary.h): a type byte, then for objects and
arrays a table of entries with offsets from the start of the table. The text follows Debezium:
no spaces, keys in stored order, ``\u00XX`` in upper case, doubles in Java's notation or, where
that has an exponent, expanded in full; opaque values in base64.
"""

from __future__ import annotations

import base64
import struct
from decimal import Decimal
from functools import lru_cache
from operator import add
from typing import Any

from connector.data.java import double_text
from connector.errors import ConversionError
from connector.mysql.types import fields
from connector.mysql.types.decimals import decimal_decoder, plain_text

_ESCAPES = {code: f"\\u{code:04X}" for code in range(32)}
_ESCAPES.update({ord('"'): '\\"', ord("\\"): "\\\\", 8: "\\b", 9: "\\t", 12: "\\f"})
_ESCAPES.update({10: "\\n", 13: "\\r"})
_LITERALS = ("null", "true", "false")
_LITERAL, _INT16, _UINT16, _INT32, _UINT32, _INT64, _UINT64 = 4, 5, 6, 7, 8, 9, 10
_DOUBLE, _STRING, _OPAQUE = 11, 12, 15
_NUMBERS = {
    _INT16: struct.Struct("<h"),
    _UINT16: struct.Struct("<H"),
    _INT32: struct.Struct("<i"),
    _UINT32: struct.Struct("<I"),
    _INT64: struct.Struct("<q"),
    _UINT64: struct.Struct("<Q"),
}
_DOUBLE_VALUE = struct.Struct("<d")
_COUNT = ("<H", "<I")
_MAX_KNOWN_LABELS = 10_000
_MALFORMED = (struct.error, LookupError, ValueError, RecursionError)

_known_labels: dict[tuple[bytes, tuple[int, ...]], list[str]] = {}


def quoted(text: str) -> str:
    """Return a JSON string literal."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{text.translate(_ESCAPES)}"'


def json_text(data: bytes) -> str:
    """Return a binary document as text.

    :raises ConversionError: when the bytes are no binary JSON.
    """
    try:
        return _text(data[0], data, 1)
    except _MALFORMED as error:
        raise ConversionError(f"malformed binary JSON of {len(data)} bytes") from error


def json_tree(data: bytes) -> Any:
    """Return a binary document as dicts and lists with leaves of JSON text.

    :raises ConversionError: when the bytes are no binary JSON.
    """
    try:
        return _tree(data[0], data, 1)
    except _MALFORMED as error:
        raise ConversionError(f"malformed binary JSON of {len(data)} bytes") from error


def tree_text(node: Any) -> str:
    """Return the text of a tree."""
    if isinstance(node, dict):
        members = (f"{quoted(name)}:{tree_text(value)}" for name, value in node.items())
        return "{" + ",".join(members) + "}"
    if isinstance(node, list):
        return "[" + ",".join(map(tree_text, node)) + "]"
    return str(node)


def _text(kind: int, data: bytes, start: int) -> str:
    """Return the text of a value; written out in one loop, for it is what JSON columns cost."""
    if kind >= _LITERAL:
        return _scalar(kind, data, start)
    numbers, first = _table(kind, data, start)
    widest = _UINT32 if kind & 1 else _UINT16
    texts: list[str] = []
    append = texts.append
    entries = iter(numbers[first:])
    for entry, value in zip(entries, entries, strict=True):
        if entry == _STRING:
            at = start + value
            length = data[at]
            if length > 127:
                append(_scalar(_STRING, data, at))
                continue
            text = data[at + 1 : at + 1 + length].decode("utf-8", "replace")
            if text.isprintable() and '"' not in text and "\\" not in text:
                append(f'"{text}"')
            else:
                append(quoted(text))
        elif _LITERAL <= entry <= widest:
            append(_inline(entry, value))
        else:
            append(_text(entry, data, start + value))
    if kind >= 2:
        return "[" + ",".join(texts) + "]"
    return "{" + ",".join(map(add, _labels(data, start, numbers, first), texts)) + "}"


def _tree(kind: int, data: bytes, start: int) -> Any:
    if kind >= _LITERAL:
        return _scalar(kind, data, start)
    numbers, first = _table(kind, data, start)
    widest = _UINT32 if kind & 1 else _UINT16
    entries = iter(numbers[first:])
    values = [
        _inline(entry, value) if _LITERAL <= entry <= widest else _tree(entry, data, start + value)
        for entry, value in zip(entries, entries, strict=True)
    ]
    if kind >= 2:
        return values
    return dict(zip(_names(data, start, numbers, first), values, strict=True))


def _labels(data: bytes, start: int, numbers: tuple[int, ...], first: int) -> list[str]:
    """Return the members' names as they stand in the text; documents alike have them in common."""
    if first == 2:
        return []
    lengths = numbers[3:first:2]  # they tell where one name ends
    end = start + numbers[first - 2] + numbers[first - 1]
    key = (data[start + numbers[2] : end], lengths)
    labels = _known_labels.get(key)
    if labels is None:
        if len(_known_labels) >= _MAX_KNOWN_LABELS:
            _known_labels.clear()
        labels = [quoted(name) + ":" for name in _names(data, start, numbers, first)]
        _known_labels[key] = labels
    return labels


def _names(data: bytes, start: int, numbers: tuple[int, ...], first: int) -> list[str]:
    places = zip(numbers[2:first:2], numbers[3:first:2], strict=True)
    return [
        data[start + offset : start + offset + length].decode("utf-8", "replace")
        for offset, length in places
    ]


def _table(kind: int, data: bytes, start: int) -> tuple[tuple[int, ...], int]:
    """Read count, size and entries of an object (0, 1) or array (2, 3).

    Odd kinds have offsets of four bytes. Returns all numbers, and where the entries of the
    values begin among them: pairs of a type and an offset, or of a type and a short value.
    """
    large = kind & 1
    count = struct.unpack_from(_COUNT[large], data, start)[0]
    named = kind < 2
    if count > 64 and count > len(data):
        raise IndexError("a container has more members than the document has bytes")
    layout = _known_layout if count <= 64 else _layout
    numbers = layout(count, large, named).unpack_from(data, start)
    if numbers[1] > len(data) - start:
        raise IndexError("a container is longer than the document")
    return numbers, 2 + 2 * count if named else 2


def _layout(count: int, large: int, named: bool) -> struct.Struct:
    """Return the layout of a container's count, size and entries."""
    offset = "I" if large else "H"
    names = f"{offset}H" * count if named else ""
    return struct.Struct("<" + offset * 2 + names + f"B{offset}" * count)


_known_layout = lru_cache(maxsize=None)(_layout)  # 4 * 65 of them at most


def _inline(kind: int, value: int) -> str:
    """Return a value that stands in the place of its offset, read as unsigned."""
    if kind == _LITERAL:
        return _LITERALS[value & 0xFF]
    if kind == _INT16:
        value = value & 0xFFFF
        return str(value - 0x10000 if value & 0x8000 else value)
    if kind == _INT32:
        return str(value - (1 << 32) if value >> 31 else value)
    return str(value)


def _scalar(kind: int, data: bytes, start: int) -> str:
    if kind == _STRING:
        length, start = _length(data, start)
        return quoted(data[start : start + length].decode("utf-8", "replace"))
    if kind == _LITERAL:
        return _LITERALS[data[start]]
    if kind == _DOUBLE:
        return _double(_DOUBLE_VALUE.unpack_from(data, start)[0])
    if kind == _OPAQUE:
        length, body = _length(data, start + 1)
        return _opaque(data[start], data[body : body + length])
    return str(_NUMBERS[kind].unpack_from(data, start)[0])


def _length(data: bytes, start: int) -> tuple[int, int]:
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
    text = double_text(value)
    return format(Decimal(value), "f") if "E" in text else text


def _opaque(kind: int, data: bytes) -> str:
    if kind == fields.NEWDECIMAL:
        decode, _ = decimal_decoder(data[0], data[1])
        return plain_text(decode(data[2:]), data[1])
    if kind == fields.DATE:
        return f'"{_date(_packed(data) >> 41)}"'
    if kind in (fields.TIME, fields.TIME2):
        return f'"{_time(_packed(data))}"'
    if kind in (fields.DATETIME, fields.DATETIME2, fields.TIMESTAMP, fields.TIMESTAMP2):
        packed = _packed(data)
        clock = packed >> 24
        time = _clock(clock >> 12 & 31, clock >> 6 & 63, clock & 63, packed & 0xFFFFFF)
        return f'"{_date(packed >> 41)} {time}"'
    return '"' + base64.b64encode(data).decode("ascii") + '"'


def _packed(data: bytes) -> int:
    return int.from_bytes(data[:8], "little", signed=True)


def _date(packed: int) -> str:
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
