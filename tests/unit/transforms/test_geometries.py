"""Geometries in WKB and EWKB: coordinates that are swapped, reference systems that come and go."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.data.record import Record
from connector.data.schema import INT32, OPTIONAL_STRING, array
from connector.data.schema import struct as struct_of
from connector.data.semantic import GEOMETRY, POINT
from connector.errors import ConfigError, TransformError
from connector.transforms.geometries import (
    GeometryFormatTransformer,
    SwapGeometryCoordinates,
    swap_coordinates,
)

ROW = struct_of(
    "r",
    ("id", INT32),
    ("g", GEOMETRY.as_optional()),
    ("p", POINT.as_optional()),
    ("many", array(GEOMETRY, optional=True)),
    ("s", OPTIONAL_STRING.with_changes(default="d")),
)


def point(x: float, y: float, order: str = "<", srid: int | None = None) -> bytes:
    kind = 1 if srid is None else 0x20000001
    head = (b"\1" if order == "<" else b"\0") + struct.pack(f"{order}I", kind)
    number = b"" if srid is None else struct.pack(f"{order}i", srid)
    return head + number + struct.pack(f"{order}dd", x, y)


def applied(transform: Any, **fields: Any) -> dict[str, Any]:
    value = {"id": 1, "g": None, "p": None, "many": None, "s": None, **fields}
    record = transform.apply(Record("t", None, None, None, ROW, value))
    assert isinstance(record.value, dict)
    return record.value


COORDINATES = st.floats(allow_nan=False)
ORDERS = st.sampled_from("<>")


@st.composite
def geometries(draw: st.DrawFn, depth: int = 2) -> bytes:
    order = draw(ORDERS)
    base = draw(st.integers(1, 7 if depth else 6))
    head = (b"\1" if order == "<" else b"\0") + struct.pack(f"{order}I", base)

    def points(count: int) -> bytes:
        return struct.pack(f"{order}{2 * count}d", *(draw(COORDINATES) for _ in range(2 * count)))

    def simple(kind: int) -> bytes:
        if kind == 1:
            return points(1)
        rings = draw(st.integers(0, 2)) if kind == 3 else 1
        text = struct.pack(f"{order}i", rings) if kind == 3 else b""
        for _ in range(rings):
            count = draw(st.integers(0, 3))
            text += struct.pack(f"{order}i", count) + points(count)
        return text

    if base <= 3:
        return head + simple(base)
    parts = draw(st.integers(0, 2))
    count = struct.pack(f"{order}i", parts)
    if base == 7:
        return head + count + b"".join(draw(geometries(depth - 1)) for _ in range(parts))
    inner = head[:1] + struct.pack(f"{order}I", base - 3)
    return head + count + b"".join(inner + simple(base - 3) for _ in range(parts))


@given(geometries())
def test_swapping_twice_changes_nothing(wkb: bytes) -> None:
    assert swap_coordinates(swap_coordinates(wkb)) == wkb


@given(geometries(), st.data())
def test_missing_bytes_are_an_error(wkb: bytes, data: st.DataObject) -> None:
    cut = wkb[: data.draw(st.integers(0, len(wkb) - 1))]
    with pytest.raises((IndexError, struct.error)):
        swap_coordinates(cut)


@given(COORDINATES, COORDINATES, ORDERS, st.none() | st.just(4326))
def test_a_point_is_swapped(x: float, y: float, order: str, srid: int | None) -> None:
    assert swap_coordinates(point(x, y, order, srid)) == point(y, x, order, srid)


def test_only_some_reference_systems_are_swapped() -> None:
    geometry = {"wkb": point(1, 2), "srid": 4326}
    swapped = {"wkb": point(2, 1), "srid": 4326}
    assert applied(SwapGeometryCoordinates({}), g=geometry)["g"] == swapped
    assert applied(SwapGeometryCoordinates({"srids": "1, 2"}), g=geometry)["g"] == geometry
    assert applied(SwapGeometryCoordinates({}), g={"wkb": b"", "srid": None})["g"]["wkb"] == b""
    assert applied(SwapGeometryCoordinates({}), many=[geometry])["many"] == [swapped]
    assert geometry["wkb"] == point(1, 2), "other records share the value"


def test_points_with_a_struct_of_their_own_stay() -> None:
    value = {"x": 1.0, "y": 2.0, "wkb": point(1, 2), "srid": 4326}
    assert applied(SwapGeometryCoordinates({}), p=value)["p"] == value


def test_broken_geometries_and_settings() -> None:
    with pytest.raises(TransformError, match="Failed to swap"):
        applied(SwapGeometryCoordinates({}), g={"wkb": b"\1", "srid": 4326})
    with pytest.raises(ConfigError, match="srids"):
        SwapGeometryCoordinates({"srids": "x"})


def test_formats() -> None:
    bare = {"wkb": point(1, 2), "srid": 4326}
    extended = {"wkb": point(1, 2, srid=4326), "srid": 4326}
    assert applied(GeometryFormatTransformer({}), g=bare)["g"] == extended
    assert applied(GeometryFormatTransformer({"format": "EWKB"}), g=extended)["g"] == bare
    assert applied(GeometryFormatTransformer({"format": "ewkb"}), g=bare)["g"] == bare
    unknown = {"wkb": point(1, 2), "srid": None}
    assert applied(GeometryFormatTransformer({}), g=unknown)["g"] == unknown
    transform = GeometryFormatTransformer({})
    assert applied(transform, g=extended)["g"] == bare
    assert applied(transform, g=bare)["g"] == bare


def test_nulls_become_defaults() -> None:
    assert applied(SwapGeometryCoordinates({}))["s"] == "d"
    assert applied(GeometryFormatTransformer({}))["s"] == "d"
