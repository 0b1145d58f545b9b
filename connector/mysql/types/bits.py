"""BIT(n)."""

from __future__ import annotations

from connector.capture.tables import Column
from connector.codegen import Expression
from connector.data.schema import BOOLEAN
from connector.data.semantic import bits
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import BIT, Fixed, FromLog, LogField, Wire, mismatch
from connector.mysql.types.type_options import TypeOptions

NAMES = ("BIT",)


def bit(column: Column, options: TypeOptions) -> ColumnType:  # noqa: ARG001 - a family
    """Describe a bit column: BIT(1) is a boolean, longer ones are little-endian bytes.

    Both the row image and the text protocol give the bytes big-endian.
    """
    length = column.length or 1
    if length == 1:
        convert = Expression("{} != b'\\0'", native=("bit",))
        return ColumnType(BOOLEAN, convert, _field(convert), _truth, fallback=False)
    size = (length + 7) // 8
    convert = Expression("{}[::-1]", native=("reversed",))
    return ColumnType(
        bits(length), convert, _field(convert), lambda text: _bytes(text, size), bytes(size)
    )


def _field(convert: Expression) -> FromLog:
    def field(wire: Wire) -> LogField:
        if wire.type != BIT:
            raise mismatch("BIT", wire)
        whole_bytes, spare_bits = wire.meta >> 8, wire.meta & 0xFF
        return Fixed(f"{whole_bytes + (spare_bits > 0)}s", convert)

    return field


def _truth(literal: str) -> bool:
    try:
        return int(literal) != 0
    except ValueError:
        return literal.lower() == "true"


def _bytes(literal: str, size: int) -> bytes:
    """Turn the binary digits of a literal into little-endian bytes."""
    return int(literal, 2).to_bytes(size, "little")
