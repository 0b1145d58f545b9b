"""POINT and the other geometry types.

MySQL stores a geometry as its SRID in four bytes, little-endian, followed by well-known binary.
"""

from __future__ import annotations

import struct
from typing import Any

from connector.capture.tables import Column
from connector.codegen import call
from connector.data.semantic import GEOMETRY, POINT
from connector.mysql.types.family import ColumnType
from connector.mysql.types.fields import byte_string
from connector.mysql.types.type_options import TypeOptions
from connector.mysql.types.unconvertible import Refuse, refusing

NAMES = (
    "GEOMETRY",
    "LINESTRING",
    "POLYGON",
    "MULTIPOINT",
    "MULTILINESTRING",
    "MULTIPOLYGON",
    "GEOMETRYCOLLECTION",
    "GEOMCOLLECTION",
)
_EMPTY_COLLECTION = bytes.fromhex("010700000000000000")
_POINT_BYTES = 21


def geometry(column: Column, options: TypeOptions) -> ColumnType:  # noqa: ARG001 - a family
    """Describe any geometry but a point: its well-known binary and SRID."""
    convert = call(_geometry, ("geometry",))
    return ColumnType(
        GEOMETRY.as_optional(),  # even where the column is not
        convert,
        lambda wire: byte_string(wire, convert, column.type_name),
        lambda literal: None,  # noqa: ARG005 - MySQL allows no literal default here
        {"wkb": _EMPTY_COLLECTION, "srid": None},
    )


def point(column: Column, options: TypeOptions) -> ColumnType:
    """Describe a point, including its coordinates."""
    refuse = refusing(column, options)
    convert = call(lambda data: _point(data, refuse), ("point",))
    return ColumnType(
        POINT,
        convert,
        lambda wire: byte_string(wire, convert, column.type_name),
        lambda literal: None,  # noqa: ARG005 - MySQL allows no literal default here
        {"x": 0.0, "y": 0.0, "wkb": _EMPTY_COLLECTION, "srid": None},
        may_be_absent=True,
    )


def _geometry(data: bytes) -> dict[str, Any]:
    return {"wkb": data[4:], "srid": _srid(data)}


def _point(data: bytes, refuse: Refuse) -> dict[str, Any] | None:
    wkb = data[4:]
    if len(wkb) != _POINT_BYTES:
        refuse(f"it has {len(wkb)} bytes instead of {_POINT_BYTES}")
        return None
    x, y = struct.unpack("<dd" if wkb[0] else ">dd", wkb[5:])
    return {"x": x, "y": y, "wkb": wkb, "srid": _srid(data)}


def _srid(data: bytes) -> int | None:
    return int.from_bytes(data[:4], "little", signed=True) or None
