r"""JSON documents in MySQL's binary format, and the text that an event has of them.

The format is written from the description in the server's sql-common/json_binary.h: a type
byte; objects and arrays have a count, a size, entries for keys and for values, then keys and
values; short numbers and literals stand in the entries themselves. Large containers have
offsets of four bytes.
"""

from __future__ import annotations

import base64
import json
import re
import struct
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from connector.data.java import double_text
from tests.fixtures import fields_as_bytes as write

Pair = tuple[int, bytes]  # type and value


@dataclass(frozen=True)
class Opaque:
    """A value of a MySQL type inside a document, with the text that Debezium makes of it."""

    kind: int
    data: bytes
    text: str


def document(value: Any, *, large: bool = False) -> bytes:
    """Encode a document; ``large`` takes four-byte offsets where two bytes would do."""
    kind, data = _value(value, large)
    return bytes([kind]) + data


def text(value: Any) -> str:
    """Return the text of a document: no spaces, members in stored order."""
    if isinstance(value, dict):
        members = (f"{text(name)}:{text(value[name])}" for name in stored_order(value))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    if isinstance(value, Opaque):
        return value.text
    if isinstance(value, float):
        plain = double_text(value)
        return f"{Decimal(value):f}" if "E" in plain else plain
    escaped = json.dumps(value, ensure_ascii=False)
    return re.sub(r"\\u00..", lambda match: "\\u" + match[0][2:].upper(), escaped)


def stored_order(members: dict[str, Any]) -> list[str]:
    return sorted(members, key=lambda name: (len(name.encode()), name.encode()))


def _value(value: Any, large: bool) -> Pair:
    if isinstance(value, dict):
        return _container(value, large)
    if isinstance(value, list):
        return _container(value, large)
    if value is None or isinstance(value, bool):
        return 4, bytes([{None: 0, True: 1, False: 2}[value]])
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return 11, struct.pack("<d", value)
    if isinstance(value, Opaque):
        return 15, bytes([value.kind]) + _length(len(value.data)) + value.data
    data = value.encode()
    return 12, _length(len(data)) + data


def _integer(value: int) -> Pair:
    for kind, code in ((5, "h"), (6, "H"), (7, "i"), (8, "I"), (9, "q"), (10, "Q")):
        try:
            return kind, struct.pack("<" + code, value)
        except struct.error:
            continue
    raise AssertionError(value)


def _length(number: int) -> bytes:
    groups = bytearray()
    while number > 127:
        groups.append(number & 127 | 128)
        number >>= 7
    return bytes([*groups, number])


def _container(value: dict[str, Any] | list[Any], large: bool) -> Pair:
    if not large:
        small = _lay_out(value, 2, large)
        if len(small) < 1 << 16:
            return (0 if isinstance(value, dict) else 2), small
    return (1 if isinstance(value, dict) else 3), _lay_out(value, 4, large)


def _lay_out(value: dict[str, Any] | list[Any], width: int, large: bool) -> bytes:
    names = [name.encode() for name in stored_order(value)] if isinstance(value, dict) else []
    members = [value[n] for n in stored_order(value)] if isinstance(value, dict) else value
    head = 2 * width + len(names) * (width + 2) + len(members) * (1 + width)
    keys, entries, tail = b"", b"", b"".join(names)
    offset = head
    for name in names:
        keys += offset.to_bytes(8, "little")[:width] + len(name).to_bytes(2, "little")
        offset += len(name)
    for member in members:
        kind, data = _value(member, large)
        inline = kind in (4, 5, 6) or (kind in (7, 8) and width == 4)
        where = data if inline else (head + len(tail)).to_bytes(8, "little")[:width]
        entries += bytes([kind]) + where.ljust(width, _sign(kind, data))
        tail += b"" if inline else data
    size = (head + len(tail)).to_bytes(8, "little")[:width]
    return len(members).to_bytes(width, "little") + size + keys + entries + tail


def _sign(kind: int, data: bytes) -> bytes:
    """A short signed number fills a wide entry with its sign."""
    return b"\xff" if kind == 5 and data[-1] & 0x80 else b"\0"


def _packed(date: int, clock: int, micros: int) -> bytes:
    return (((date << 17 | clock) << 24) + micros).to_bytes(8, "little", signed=True)


def _moment(year: int, month: int, day: int, clock: int, micros: int) -> tuple[bytes, str, str]:
    hour, minute, second = clock // 3600, clock // 60 % 60, clock % 60
    date = (year * 13 + month) << 5 | day
    shown = f"{hour:02d}:{minute:02d}:{second:02d}" + (
        f".{micros:06d}".rstrip("0") if micros else ""
    )
    data = _packed(date, hour << 12 | minute << 6 | second, micros)
    return data, f"{year:04d}-{month:02d}-{day:02d}", shown


_DAYS = (st.integers(0, 9999), st.integers(0, 12), st.integers(0, 31))
_CLOCK = (st.integers(0, 86399), st.integers(0, 999_999) | st.just(0))
_MOMENTS = st.builds(_moment, *_DAYS, *_CLOCK)


def _decimal(unscaled: int, precision: int, scale: int) -> Opaque:
    value = Decimal(f"{unscaled}e-{scale}")
    return Opaque(
        246, bytes([precision, scale]) + write.decimal(value, precision, scale), f"{value:f}"
    )


def _date(moment: tuple[int, int, int]) -> Opaque:
    data, shown, _ = _moment(*moment, 0, 0)
    return Opaque(10, data, f'"{shown}"')


OPAQUES = st.one_of(
    st.builds(_decimal, st.integers(-(10**12) + 1, 10**12 - 1), st.just(12), st.integers(0, 12)),
    st.builds(_date, st.tuples(*_DAYS)),
    st.builds(
        lambda kind, moment: Opaque(kind, moment[0], f'"{moment[1]} {moment[2]}"'),
        st.sampled_from([7, 12]),
        _MOMENTS,
    ),
    st.builds(
        lambda clock, micros: Opaque(
            11, _moment(0, 0, 0, clock, micros)[0], f'"{_moment(0, 0, 0, clock, micros)[2]}"'
        ),
        *_CLOCK,
    ),
    st.builds(
        lambda kind, data: Opaque(kind, data, '"' + base64.b64encode(data).decode() + '"'),
        st.sampled_from([16, 252, 254]),
        st.binary(max_size=200),
    ),
)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['"\\\b\f\n\r\t\0\x1f\x7f\u2028é😀', "x" * 127, "x" * 128, "é" * 9000]
)
_BOUNDS = [1 << power for power in (15, 16, 31, 32, 63)]
_EDGES = [edge for bound in _BOUNDS for edge in (bound - 1, bound, -bound, -bound - 1)]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 63), (1 << 64) - 1),
    st.sampled_from([edge for edge in _EDGES if edge >= -(1 << 63)]),
    st.integers(-300, 300),
    st.floats(allow_nan=False, allow_infinity=False),
    _TEXTS,
    OPAQUES,
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=15,
)
