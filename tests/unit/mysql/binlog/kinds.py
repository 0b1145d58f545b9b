"""All kinds of columns."""

from __future__ import annotations

import struct
from typing import Any

from hypothesis import strategies as st

from connector.mysql.types import fields
from tests.fixtures import fields_as_bytes as write
from tests.unit.mysql.binlog.kind import Kind, column, same
from tests.unit.mysql.binlog.kinds_of_numbers import BITS, DECIMALS, FLOATS, INTEGERS
from tests.unit.mysql.binlog.kinds_of_times import TEMPORALS


def _text(name: str, kind: int, meta: bytes, width: int, **attributes: Any) -> Kind:
    alphabet = st.characters(codec="utf-8")
    return Kind(
        column(name, charset="utf8mb4", **attributes),
        kind,
        meta,
        st.text(alphabet, max_size=20).map(str.encode) | st.just(b"a" * 60),
        lambda value: write.prefixed(value, width),
        bytes.decode,
        same,
        "",
    )


def _bytes(name: str, kind: int, meta: bytes, width: int, **attributes: Any) -> Kind:
    values = st.binary(max_size=20)
    size = attributes.get("length")
    if name == "BINARY":
        values = st.binary(max_size=size).map(lambda value: value.rstrip(b"\0"))
    padded = (lambda value: value.ljust(size, b"\0")) if name == "BINARY" else same
    return Kind(
        column(name, **attributes),
        kind,
        meta,
        values,
        lambda value: write.prefixed(value, width),
        padded,
        padded,
        b"",
    )


def _enum(labels: list[str]) -> Kind:
    size = 1 if len(labels) < 256 else 2
    return Kind(
        column("ENUM", enum_values=tuple(f"'{label}'" for label in labels)),
        fields.STRING,
        bytes([fields.ENUM, size]),
        st.integers(0, len(labels)),
        lambda value: value.to_bytes(size, "little"),
        lambda value: labels[value - 1] if value else "",
        lambda value: (labels[value - 1] if value else "").encode(),
        "",
    )


def _set(labels: list[str], size: int) -> Kind:
    def chosen(value: int) -> str:
        return ",".join(label for bit, label in enumerate(labels) if value >> bit & 1)

    return Kind(
        column("SET", enum_values=tuple(f"'{label}'" for label in labels)),
        fields.STRING,
        bytes([fields.SET, size]),
        st.integers(0, (1 << len(labels)) - 1),
        lambda value: value.to_bytes(size, "little"),
        chosen,
        lambda value: chosen(value).encode(),
        "",
    )


def _point() -> Kind:
    coordinates = st.floats(allow_nan=False)

    def values(srid: int, x: float, y: float) -> bytes:
        return struct.pack("<IBIdd", srid, 1, 1, x, y)

    def connect(value: bytes) -> dict[str, Any]:
        srid, _, _, x, y = struct.unpack("<IBIdd", value)
        return {"x": x, "y": y, "wkb": value[4:], "srid": srid or None}

    empty = bytes.fromhex("010700000000000000")
    return Kind(
        column("POINT"),
        fields.GEOMETRY,
        b"\x04",
        st.builds(values, st.sampled_from([0, 4326]), coordinates, coordinates),
        lambda value: write.prefixed(value, 4),
        connect,
        same,
        {"x": 0.0, "y": 0.0, "wkb": empty, "srid": None},
    )


def _vector() -> Kind:
    numbers = st.lists(st.floats(width=32, allow_nan=False), max_size=4)
    return Kind(
        column("VECTOR", length=4),
        fields.VECTOR,
        b"\x04",
        numbers.map(lambda items: struct.pack(f"<{len(items)}f", *items)),
        lambda value: write.prefixed(value, 4),
        lambda value: list(struct.unpack(f"<{len(value) // 4}f", value)),
        same,
        [],
    )


TEXTS = [
    _text("CHAR", fields.STRING, b"\xfe\x50", 1, length=20),
    _text("CHAR", fields.STRING, b"\xce\xfc", 2, length=255),  # 4 * 255 bytes: 0x3fc
    _text("VARCHAR", fields.VARCHAR, b"\xff\x00", 1, length=63),
    _text("VARCHAR", fields.VARCHAR, b"\x00\x01", 2, length=64),
    *(_text("TEXT", fields.BLOB, bytes([width]), width) for width in (1, 2, 3, 4)),
]
BINARIES = [
    _bytes("BINARY", fields.STRING, b"\xfe\x10", 1, length=16),
    _bytes("VARBINARY", fields.VARCHAR, b"\x2c\x01", 2, length=300),
    *(_bytes("BLOB", fields.BLOB, bytes([width]), width) for width in (1, 2, 3, 4)),
]
ENUMS = [_enum(["a", "bé", ""]), _enum([f"v{number}" for number in range(300)])]
SETS = [_set(["a", "b", "c"], 1), _set([f"o{number}" for number in range(64)], 8)]
OTHERS = [*ENUMS, *SETS, _point(), _vector()]
KINDS = [*INTEGERS, *DECIMALS, *FLOATS, *BITS, *TEMPORALS, *TEXTS, *BINARIES, *OTHERS]
