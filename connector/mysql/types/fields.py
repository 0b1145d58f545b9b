"""How a column stands in a row image of the binary log.

A TABLE_MAP event gives each column a wire type and metadata; a type module answers with one of
the two kinds of field below, and the row decoder is compiled from these.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from connector.codegen import Expression
from connector.errors import SchemaMismatchError

# wire types (enum_field_types of the servers)
TINY: Final = 1
SHORT: Final = 2
LONG: Final = 3
FLOAT: Final = 4
DOUBLE: Final = 5
TIMESTAMP: Final = 7
LONGLONG: Final = 8
INT24: Final = 9
DATE: Final = 10
TIME: Final = 11
DATETIME: Final = 12
YEAR: Final = 13
VARCHAR: Final = 15
BIT: Final = 16
TIMESTAMP2: Final = 17
DATETIME2: Final = 18
TIME2: Final = 19
BLOB_COMPRESSED: Final = 140
VARCHAR_COMPRESSED: Final = 141
VECTOR: Final = 242
JSON: Final = 245
NEWDECIMAL: Final = 246
ENUM: Final = 247
SET: Final = 248
BLOB: Final = 252
VAR_STRING: Final = 253
STRING: Final = 254
GEOMETRY: Final = 255


class Wire(NamedTuple):
    """Type and metadata of a column in a TABLE_MAP event; ``meta`` as read, little-endian."""

    type: int
    meta: int = 0


@dataclass(frozen=True, slots=True)
class Fixed:
    """A field of constant size: ``format`` is its character code for `struct`.

    ``convert`` takes the unpacked value: an int, a float, or the bytes of an ``Ns`` format.
    """

    format: str
    convert: Expression = field(default_factory=Expression)

    def read(self, data: bytes, offset: int) -> tuple[Any, int]:
        """Unpack the field; return its value and the offset behind it."""
        shape = struct.Struct("<" + self.format)
        return shape.unpack_from(data, offset)[0], offset + shape.size


class DocumentText(NamedTuple):
    """How a document is read to a tree with leaves of text, and how a tree is written."""

    tree: Callable[[bytes], Any]
    text: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Prefixed:
    """A field behind its length in ``width`` bytes; ``convert`` takes its bytes.

    ``document`` is how a document is written after differences to it, if not as by default.
    """

    width: int
    convert: Expression = field(default_factory=Expression)
    document: DocumentText | None = None

    def read(self, data: bytes, offset: int) -> tuple[bytes, int]:
        """Cut out the field; return its bytes and the offset behind it."""
        start = offset + self.width
        end = start + int.from_bytes(data[offset:start], "little")
        return data[start:end], end


LogField = Fixed | Prefixed
FromLog = Callable[[Wire], LogField]


def mismatch(expected: str, wire: Wire) -> SchemaMismatchError:
    """Build the error for a column that has another type in the log than in its definition."""
    return SchemaMismatchError(
        f"a column known as {expected} arrives in the binlog as wire type {wire.type} "
        f"(metadata {wire.meta:#06x}): its definition was changed by a statement that is not "
        "in the binlog"
    )


def byte_string(wire: Wire, convert: Expression, expected: str) -> LogField:
    """Return the field of any character, binary, blob, JSON or geometry type."""
    kind, size = real_string_type(wire)
    if kind in (BLOB, JSON, GEOMETRY, VECTOR):
        return Prefixed(size, convert)
    if kind in (VARCHAR, VAR_STRING, STRING):
        return Prefixed(1 if size < 256 else 2, convert)
    if kind in (BLOB_COMPRESSED, VARCHAR_COMPRESSED):
        from connector.mysql.types.compressed import uncompress_then  # noqa: PLC0415 - rare type

        width = size if kind == BLOB_COMPRESSED else (1 if size < 256 else 2)
        return Prefixed(width, uncompress_then(convert))
    raise mismatch(expected, wire)


def real_string_type(wire: Wire) -> tuple[int, int]:
    """Return the real type and size behind a STRING.

    The first metadata byte holds the real type (CHAR, ENUM or SET). For a CHAR of more than
    255 bytes two bits of the length are kept, inverted, in bits 4 and 5 of that byte.
    """
    if wire.type != STRING:
        return wire.type, wire.meta
    first, second = wire.meta & 0xFF, wire.meta >> 8
    if first & 0x30 != 0x30:
        return first | 0x30, second | ((first & 0x30) ^ 0x30) << 4
    return first, second


_FIXED_FORMATS = {
    TINY: "b",
    SHORT: "h",
    INT24: "3s",
    LONG: "i",
    LONGLONG: "q",
    FLOAT: "f",
    DOUBLE: "d",
    YEAR: "B",
    DATE: "3s",
    TIME: "3s",
    DATETIME: "Q",
    TIMESTAMP: "I",
}
_FRACTIONAL_SIZES = {TIMESTAMP2: 4, DATETIME2: 5, TIME2: 3}


def layout(wire: Wire) -> LogField:
    """Return how many bytes any column takes, to skip one that is not requested."""
    if wire.type in _FIXED_FORMATS:
        return Fixed(_FIXED_FORMATS[wire.type])
    if wire.type in _FRACTIONAL_SIZES:
        return Fixed(f"{_FRACTIONAL_SIZES[wire.type] + (wire.meta + 1) // 2}s")
    if wire.type == NEWDECIMAL:
        return Fixed(f"{decimal_size(wire.meta & 0xFF, wire.meta >> 8)}s")
    if wire.type == BIT:
        return Fixed(f"{(wire.meta >> 8) + (wire.meta & 0xFF > 0)}s")
    kind, size = real_string_type(wire)
    if kind in (ENUM, SET):
        return Fixed(f"{size}s")
    return byte_string(wire, Expression(), "a column")


def decimal_groups(precision: int, scale: int) -> list[tuple[int, int]]:
    """Return (bytes, digits) of each group of digits of a stored decimal."""
    whole = precision - scale
    digits = [whole % 9] + [9] * (whole // 9) + [9] * (scale // 9) + [scale % 9]
    return [((count + 1) // 2 if count < 9 else 4, count) for count in digits if count]


def decimal_size(precision: int, scale: int) -> int:
    """Return the number of bytes of a stored decimal."""
    return sum(width for width, _ in decimal_groups(precision, scale))
