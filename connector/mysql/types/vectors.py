"""VECTOR."""

from __future__ import annotations

import struct

from connector.capture.tables import Column
from connector.codegen import call
from connector.data.semantic import FLOAT_VECTOR
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import byte_string
from connector.mysql.types.type_options import TypeOptions

NAMES = ("VECTOR",)


def vector(column: Column, options: TypeOptions) -> ColumnType:  # noqa: ARG001 - a family
    """Describe a vector: little-endian 32-bit floats in both the row image and the text."""
    convert = call(_floats)
    return ColumnType(
        FLOAT_VECTOR,
        convert,
        lambda wire: byte_string(wire, convert, "VECTOR"),
        lambda literal: literal,
        [],
    )


def _floats(data: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(data) // 4}f", data))
