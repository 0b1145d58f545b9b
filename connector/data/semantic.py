"""Semantic types: named schemas that say what a plain type stands for.

The names, versions, parameters and documentation texts are part of Debezium's and Kafka
Connect's wire format.
"""

from __future__ import annotations

from typing import Final

from connector.data.schema import (
    BYTES,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    OPTIONAL_INT32,
    STRING,
    Schema,
    array,
    struct,
)

CONNECT_DECIMAL = "org.apache.kafka.connect.data.Decimal"
CONNECT_DATE = INT32.with_changes(name="org.apache.kafka.connect.data.Date", version=1)
CONNECT_TIME = INT32.with_changes(name="org.apache.kafka.connect.data.Time", version=1)
CONNECT_TIMESTAMP = INT64.with_changes(name="org.apache.kafka.connect.data.Timestamp", version=1)

JAVA_DATES: Final = {CONNECT_DATE.name: 86_400_000, CONNECT_TIME.name: 1, CONNECT_TIMESTAMP.name: 1}
"""Types whose values are a ``java.util.Date`` in Java, with the milliseconds of their unit."""

DATE = INT32.with_changes(name="io.debezium.time.Date", version=1)
TIME = INT32.with_changes(name="io.debezium.time.Time", version=1)
MICRO_TIME = INT64.with_changes(name="io.debezium.time.MicroTime", version=1)
NANO_TIME = INT64.with_changes(name="io.debezium.time.NanoTime", version=1)
TIMESTAMP = INT64.with_changes(name="io.debezium.time.Timestamp", version=1)
MICRO_TIMESTAMP = INT64.with_changes(name="io.debezium.time.MicroTimestamp", version=1)
NANO_TIMESTAMP = INT64.with_changes(name="io.debezium.time.NanoTimestamp", version=1)
ZONED_TIMESTAMP = STRING.with_changes(name="io.debezium.time.ZonedTimestamp", version=1)
YEAR = INT32.with_changes(name="io.debezium.time.Year", version=1)
ISO_DATE = STRING.with_changes(name="io.debezium.time.IsoDate", version=1)
ISO_TIME = STRING.with_changes(name="io.debezium.time.IsoTime", version=1)
ISO_TIMESTAMP = STRING.with_changes(name="io.debezium.time.IsoTimestamp", version=1)

JSON = STRING.with_changes(name="io.debezium.data.Json", version=1)
UUID = STRING.with_changes(name="io.debezium.data.Uuid", version=1)
FLOAT_VECTOR = array(FLOAT32, name="io.debezium.data.FloatVector").with_changes(version=1)
GEOMETRY = struct(
    "io.debezium.data.geometry.Geometry",
    ("wkb", BYTES),
    ("srid", OPTIONAL_INT32),
    version=1,
    doc="Geometry",
)
POINT = struct(
    "io.debezium.data.geometry.Point",
    ("x", FLOAT64),
    ("y", FLOAT64),
    ("wkb", BYTES.as_optional()),
    ("srid", OPTIONAL_INT32),
    version=1,
    doc="Geometry (POINT)",
)


def decimal(scale: int, precision: int | None = None) -> Schema:
    """Build the Decimal schema; its values are unscaled integers."""
    parameters = {"scale": str(scale)}
    if precision is not None:
        parameters["connect.decimal.precision"] = str(precision)
    return BYTES.with_changes(name=CONNECT_DECIMAL, version=1, parameters=parameters)


def bits(length: int) -> Schema:
    """Build the schema of a bit string; its values are little-endian bytes."""
    return BYTES.with_changes(
        name="io.debezium.data.Bits", version=1, parameters={"length": str(length)}
    )


def enum(allowed: str) -> Schema:
    """Build the schema of an enumeration; ``allowed`` is comma-separated."""
    return STRING.with_changes(
        name="io.debezium.data.Enum", version=1, parameters={"allowed": allowed}
    )


def enum_set(allowed: str) -> Schema:
    """Build the schema of a set of options; values are comma-separated."""
    return STRING.with_changes(
        name="io.debezium.data.EnumSet", version=1, parameters={"allowed": allowed}
    )
