"""Semantic types: named schemas that say what a plain type stands for.

The names, versions, parameters and documentation texts are part of Debezium's and Kafka
Connect's wire format.
"""

from __future__ import annotations

from typing import Any, Final

from connector import names
from connector.data.schema import (
    BYTES,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    OPTIONAL_INT32,
    STRING,
    Field,
    Schema,
    Type,
    array,
    struct,
)

CONNECT_DATE = INT32.with_changes(name=names.CONNECT_DATE, version=1)
CONNECT_TIME = INT32.with_changes(name=names.CONNECT_TIME, version=1)
CONNECT_TIMESTAMP = INT64.with_changes(name=names.CONNECT_TIMESTAMP, version=1)

JAVA_DATES: Final = {CONNECT_DATE.name: 86_400_000, CONNECT_TIME.name: 1, CONNECT_TIMESTAMP.name: 1}
"""Types whose values are a ``java.util.Date`` in Java, with the milliseconds of their unit."""

LOGICAL_TYPES: Final[dict[str, Type]] = {
    names.CONNECT_DECIMAL: "bytes", names.CONNECT_DATE: "int32", names.CONNECT_TIME: "int32",
    names.CONNECT_TIMESTAMP: "int64",
}  # fmt: skip
"""Connect's own semantic types, for which Java has other classes, and what they stand for."""

DATE = INT32.with_changes(name=names.DATE, version=1)
TIME = INT32.with_changes(name=names.TIME, version=1)
MICRO_TIME = INT64.with_changes(name=names.MICRO_TIME, version=1)
NANO_TIME = INT64.with_changes(name=names.NANO_TIME, version=1)
TIMESTAMP = INT64.with_changes(name=names.TIMESTAMP, version=1)
MICRO_TIMESTAMP = INT64.with_changes(name=names.MICRO_TIMESTAMP, version=1)
NANO_TIMESTAMP = INT64.with_changes(name=names.NANO_TIMESTAMP, version=1)
ZONED_TIMESTAMP = STRING.with_changes(name=names.ZONED_TIMESTAMP, version=1)
YEAR = INT32.with_changes(name=names.YEAR, version=1)
ISO_DATE = STRING.with_changes(name=names.ISO_DATE, version=1)
ISO_TIME = STRING.with_changes(name=names.ISO_TIME, version=1)
ISO_TIMESTAMP = STRING.with_changes(name=names.ISO_TIMESTAMP, version=1)

JSON = STRING.with_changes(name=names.JSON, version=1)
UUID = STRING.with_changes(name=names.UUID, version=1)
FLOAT_VECTOR = array(FLOAT32, name=names.FLOAT_VECTOR).with_changes(version=1)
GEOMETRY = struct(
    names.GEOMETRY,
    ("wkb", BYTES),
    ("srid", OPTIONAL_INT32),
    version=1,
    doc="Geometry",
)
POINT = struct(
    names.POINT,
    ("x", FLOAT64),
    ("y", FLOAT64),
    ("wkb", BYTES.as_optional()),
    ("srid", OPTIONAL_INT32),
    version=1,
    doc="Geometry (POINT)",
)


def decimal(scale: int, precision: int | None = None) -> Schema:
    """Build the Decimal schema; its values are unscaled integers."""
    parameters = {names.SCALE: str(scale)}
    if precision is not None:
        parameters[names.PRECISION] = str(precision)
    return BYTES.with_changes(name=names.CONNECT_DECIMAL, version=1, parameters=parameters)


def bits(length: int) -> Schema:
    """Build the schema of a bit string; its values are little-endian bytes."""
    return BYTES.with_changes(name=names.BITS, version=1, parameters={names.LENGTH: str(length)})


def enum(allowed: str) -> Schema:
    """Build the schema of an enumeration; ``allowed`` is comma-separated."""
    return STRING.with_changes(name=names.ENUM, version=1, parameters={names.ALLOWED: allowed})


def enum_set(allowed: str) -> Schema:
    """Build the schema of a set of options; values are comma-separated."""
    return STRING.with_changes(name=names.ENUM_SET, version=1, parameters={names.ALLOWED: allowed})


def is_geometry(schema: Schema) -> bool:
    """Whether a schema is that of geometries or points, with all its fields and no others."""
    known = {kind.name: kind.fields for kind in (GEOMETRY, POINT)}.get(schema.name, ())
    return bool(known) and _contents(known) == _contents(schema.fields)


def _contents(fields: tuple[Field, ...]) -> list[tuple[Any, ...]]:
    return [(field.name, field.schema.parts()) for field in fields]


def misses_type(schema: Schema) -> bool:
    """Whether a schema has the name of one of Connect's types, but the type of a cast to another.

    Cast of a whole key or value keeps the name.
    """
    return LOGICAL_TYPES.get(schema.name or "", schema.type) != schema.type
