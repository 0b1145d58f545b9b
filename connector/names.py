"""The names in topics that the daemon writes and readers look for. This module imports nothing.

It is all that the sink imports of the daemon: semantic types and parameters of schemas, and
headers. Debezium and Kafka Connect define them, except the position header, which is Millrace's.
"""

from __future__ import annotations

from typing import Final

# Kafka Connect's semantic types
CONNECT_DECIMAL: Final = "org.apache.kafka.connect.data.Decimal"
CONNECT_DATE: Final = "org.apache.kafka.connect.data.Date"
CONNECT_TIME: Final = "org.apache.kafka.connect.data.Time"
CONNECT_TIMESTAMP: Final = "org.apache.kafka.connect.data.Timestamp"

# Debezium's semantic types
DATE: Final = "io.debezium.time.Date"
TIME: Final = "io.debezium.time.Time"
MICRO_TIME: Final = "io.debezium.time.MicroTime"
NANO_TIME: Final = "io.debezium.time.NanoTime"
TIMESTAMP: Final = "io.debezium.time.Timestamp"
MICRO_TIMESTAMP: Final = "io.debezium.time.MicroTimestamp"
NANO_TIMESTAMP: Final = "io.debezium.time.NanoTimestamp"
ZONED_TIMESTAMP: Final = "io.debezium.time.ZonedTimestamp"
YEAR: Final = "io.debezium.time.Year"
ISO_DATE: Final = "io.debezium.time.IsoDate"
ISO_TIME: Final = "io.debezium.time.IsoTime"
ISO_TIMESTAMP: Final = "io.debezium.time.IsoTimestamp"
JSON: Final = "io.debezium.data.Json"
UUID: Final = "io.debezium.data.Uuid"
BITS: Final = "io.debezium.data.Bits"
ENUM: Final = "io.debezium.data.Enum"
ENUM_SET: Final = "io.debezium.data.EnumSet"
FLOAT_VECTOR: Final = "io.debezium.data.FloatVector"
DOUBLE_VECTOR: Final = "io.debezium.data.DoubleVector"
GEOMETRY: Final = "io.debezium.data.geometry.Geometry"
POINT: Final = "io.debezium.data.geometry.Point"

# Parameters of schemas
SCALE: Final = "scale"
PRECISION: Final = "connect.decimal.precision"
LENGTH: Final = "length"
ALLOWED: Final = "allowed"
SOURCE_COLUMN: Final = "__debezium.source.column."
SOURCE_TYPE: Final = f"{SOURCE_COLUMN}type"
SOURCE_LENGTH: Final = f"{SOURCE_COLUMN}length"

# Headers and values
POSITION_HEADER: Final = "millrace.position"
"""Holds ``epoch/file/position/row`` of the binlog; written if configured."""
UNAVAILABLE_VALUE: Final = "__debezium_unavailable_value"
HEARTBEAT_PREFIX: Final = "__debezium-heartbeat"
