"""Columns of numbers and bits."""

from __future__ import annotations

import struct
from decimal import Decimal

from hypothesis import strategies as st

from connector.mysql.types import fields
from tests.fixtures import fields_as_bytes as write
from tests.unit.mysql.binlog.kind import Kind, ascii_text, column, same


def _integer(name: str, kind: int, size: int, *, unsigned: bool) -> Kind:
    shape = None if size == 3 else write.integer(size, signed=not unsigned)
    bits = size * 8
    low, high = (0, (1 << bits) - 1) if unsigned else (-(1 << bits - 1), (1 << bits - 1) - 1)
    wraps = unsigned and name == "BIGINT"
    return Kind(
        column(f"{name} UNSIGNED" if unsigned else name),
        kind,
        b"",
        st.integers(low, high) | st.sampled_from([low, high, high // 2, high // 2 + 1]),
        shape.pack if shape else write.medium,
        (lambda value: value - (1 << 64) if value >> 63 else value) if wraps else same,
        ascii_text,
        0,
        unsigned,
    )


def _decimal(precision: int, scale: int) -> Kind:
    most = 10**precision - 1
    unscaled = st.integers(-most, most) | st.sampled_from([-most, most, 0, 1, -1])
    return Kind(
        column("DECIMAL", length=precision, scale=scale),
        fields.NEWDECIMAL,
        bytes([precision, scale]),
        unscaled.map(lambda number: Decimal(f"{number}e-{scale}")),
        lambda value: write.decimal(value, precision, scale),
        lambda value: int(f"{value:f}".replace(".", "")),
        lambda value: ascii_text(f"{value:f}"),
        0,
    )


def _bit(length: int) -> Kind:
    size = (length + 7) // 8
    return Kind(
        column("BIT", length=length),
        fields.BIT,
        bytes([length % 8, length // 8]),
        st.integers(0, (1 << length) - 1),
        lambda value: write.bits(value, length),
        bool if length == 1 else lambda value: value.to_bytes(size, "little"),
        lambda value: write.bits(value, length),
        False if length == 1 else bytes(size),
    )


def _floating(name: str, kind: int, code: str) -> Kind:
    shape = struct.Struct(f"<{code}")
    return Kind(
        column(name),
        kind,
        bytes([shape.size]),
        st.floats(width=32 if code == "f" else 64, allow_nan=False, allow_infinity=False),
        shape.pack,
        same,
        lambda value: ascii_text(repr(value)),
        0.0,
    )


_WHOLE = (("TINYINT", 1, 1), ("SMALLINT", 2, 2), ("MEDIUMINT", 9, 3), ("INT", 3, 4))
INTEGERS = [
    _integer(name, kind, size, unsigned=unsigned)
    for name, kind, size in (*_WHOLE, ("BIGINT", 8, 8))
    for unsigned in (False, True)
]
DECIMAL_SHAPES = [(1, 0), (1, 1), (5, 2), (9, 0), (10, 0), (18, 9), (19, 4), (20, 20), (65, 30)]
DECIMALS = [_decimal(*shape) for shape in DECIMAL_SHAPES]
FLOATS = [_floating("FLOAT", fields.FLOAT, "f"), _floating("DOUBLE", fields.DOUBLE, "d")]
BITS = [_bit(length) for length in (1, 2, 8, 9, 33, 64)]
