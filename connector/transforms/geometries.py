"""Debezium's transforms of geometries: other orders of coordinates, other formats.

A geometry is a struct with its bytes in WKB and the number of its reference system. EWKB is WKB
with that number inside.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, Final

from connector.config import ConfigDef, ConfigKey, invalid
from connector.data.java import split
from connector.data.record import Record
from connector.data.schema import Schema
from connector.data.semantic import GEOMETRY
from connector.errors import TransformError
from connector.transforms.envelopes import enum_of
from connector.transforms.part import Values, value_or_default

_HAS_SRID: Final = 0x20000000
_HAS_M: Final = 0x40000000
_HAS_Z: Final = 0x80000000
_TYPE: Final = 0xFF
_SRIDS: Final = (4326, 3857, 4269)
_POINT, _LINE, _POLYGON, _MANY = 1, 2, 3, range(4, 7)
_COLLECTION: Final = 7
_LITTLE: Final = 1

ChangeGeometry = Callable[[Values], Values]


class SwapGeometryCoordinates:
    """Swaps x and y of geometries in some reference systems."""

    config_def = ConfigDef(
        [
            ConfigKey(
                "srids", "STRING", None, "LOW",
                "Numbers of the reference systems whose coordinates are swapped.",
                order=1, width="MEDIUM",
                display_name="Geometry SRIDs that should be considered for coordinate swapping",
            )
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        text: str | None = self.config_def.parse(config)["srids"]
        try:
            self._srids = _SRIDS if text is None else [int(part) for part in split(text, ",")]
        except ValueError:
            raise invalid("srids", text, "a list of numbers is expected") from None

    def apply(self, record: Record) -> Record:
        """Swap the coordinates in a value."""
        return _change_geometries(record, self._swap, inside_lists=True)

    def _swap(self, geometry: Values) -> Values:
        if geometry.get("srid") not in self._srids:
            return geometry
        try:
            return {**geometry, "wkb": swap_coordinates(geometry["wkb"])}
        except (IndexError, struct.error):
            raise TransformError("Failed to swap EWKB/WKB coordinates") from None


class GeometryFormatTransformer:
    """Converts WKB to EWKB, or back.

    ``format`` is the format that geometries have before. As in Debezium, one geometry in EWKB
    makes it ``ewkb`` for all that follow.
    """

    config_def = ConfigDef(
        [
            ConfigKey(
                "format", "STRING", "wkb", "LOW",
                "wkb adds the reference system to the bytes, ewkb removes it.",
                order=1, width="MEDIUM", display_name="Target Format",
                validator=enum_of("wkb", "ewkb"),
            )
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        self._extended = self.config_def.parse(config)["format"].lower() == "ewkb"

    def apply(self, record: Record) -> Record:
        """Convert the geometries in a value."""
        return _change_geometries(record, self._convert, inside_lists=False)

    def _convert(self, geometry: Values) -> Values:
        wkb, srid = geometry["wkb"], geometry.get("srid")
        order, kind = _head(wkb)
        self._extended = self._extended or bool(kind & _HAS_SRID)
        if self._extended:
            bare = wkb[:1] + struct.pack(f"{order}I", kind & ~_HAS_SRID) + wkb[9:]
            return {**geometry, "wkb": bare} if kind & _HAS_SRID else geometry
        if srid is None:
            return geometry
        extended = wkb[:1] + struct.pack(f"{order}Ii", kind | _HAS_SRID, srid) + wkb[5:]
        return {**geometry, "wkb": extended}


def swap_coordinates(wkb: bytes) -> bytes:
    """Return a geometry in WKB or EWKB with x and y swapped.

    :raises IndexError: bytes are missing.
    :raises struct.error: bytes are missing.
    """
    data = bytearray(wkb)
    return bytes(data[: _swap_geometry(data, 0)])


def _head(wkb: bytes) -> tuple[str, int]:
    """Return the byte order and the type of a geometry."""
    order = "<" if wkb[0] == _LITTLE else ">"
    return order, struct.unpack_from(f"{order}I", wkb, 1)[0]


def _swap_geometry(data: bytearray, at: int) -> int:
    """Swap the coordinates of a geometry in place; return where it ends."""
    order = "<" if data[at] == _LITTLE else ">"
    (kind,) = struct.unpack_from(f"{order}I", data, at + 1)
    at += 9 if kind & _HAS_SRID else 5
    size = 8 * (2 + bool(kind & _HAS_Z) + bool(kind & _HAS_M))
    base = kind & _TYPE
    if base not in (*_MANY, _COLLECTION):
        return _swap_simple(data, at, base, order, size)
    (count,) = struct.unpack_from(f"{order}i", data, at)
    at += 4
    for _ in range(count):
        if base == _COLLECTION:
            at = _swap_geometry(data, at)
        else:  # the parts of multiple points, lines or polygons have a head of their own
            inner = "<" if data[at] == _LITTLE else ">"
            at = _swap_simple(data, at + 5, base - 3, inner, size)
    return at


def _swap_simple(data: bytearray, at: int, base: int, order: str, size: int) -> int:
    if base == _POINT:
        return _swap_points(data, at, 1, size)
    if base not in (_LINE, _POLYGON):
        raise TransformError(f"Invalid geometry type: {base}")
    rings = 1
    if base == _POLYGON:
        (rings,) = struct.unpack_from(f"{order}i", data, at)
        at += 4
    for _ in range(rings):
        (points,) = struct.unpack_from(f"{order}i", data, at)
        at = _swap_points(data, at + 4, points, size)
    return at


def _swap_points(data: bytearray, at: int, count: int, size: int) -> int:
    if at + count * size > len(data):
        raise IndexError("the geometry is shorter than its numbers of points say")
    for _ in range(count):
        data[at : at + 16] = data[at + 8 : at + 16] + data[at : at + 8]
        at += size
    return at


def _change_geometries(record: Record, change: ChangeGeometry, *, inside_lists: bool) -> Record:
    """Change the geometries in a value; other values than structs stay as they are."""
    schema = record.value_schema
    if schema is not None and schema.type == "struct" and record.value is not None:
        record.value = _change_struct(schema, record.value, change, inside_lists=inside_lists)
    return record


def _change_struct(
    schema: Schema, value: Values, change: ChangeGeometry, *, inside_lists: bool
) -> Values:
    changed = {}
    for field in schema.fields:
        member = value_or_default(field.schema, value.get(field.name))
        changed[field.name] = _change(field.schema, member, change, inside_lists=inside_lists)
    return changed


def _change(schema: Schema, value: Any, change: ChangeGeometry, *, inside_lists: bool) -> Any:
    if value is None:
        return None
    if schema.type == "struct":
        if schema.name == GEOMETRY.name:
            return change(value)
        return _change_struct(schema, value, change, inside_lists=inside_lists)
    if schema.type == "array" and inside_lists and schema.items is not None:
        return [_change(schema.items, item, change, inside_lists=True) for item in value]
    return value
