"""The schemas of Debezium's events. Names, versions and order are its wire format."""

from __future__ import annotations

from connector.data.schema import (
    INT32,
    INT64,
    OPTIONAL_BOOLEAN,
    OPTIONAL_INT32,
    OPTIONAL_INT64,
    OPTIONAL_STRING,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)

TRANSACTION_BLOCK = struct(
    "event.block",
    ("id", STRING),
    ("total_order", INT64),
    ("data_collection_order", INT64),
    version=1,
    optional=True,
)
TRANSACTION_KEY = struct(
    "io.debezium.connector.common.TransactionMetadataKey", ("id", STRING), version=1
)
TRANSACTION_VALUE = struct(
    "io.debezium.connector.common.TransactionMetadataValue",
    ("status", STRING),
    ("id", STRING),
    ("event_count", OPTIONAL_INT64),
    (
        "data_collections",
        array(
            struct(
                "event.collection",
                ("data_collection", STRING),
                ("event_count", INT64),
                version=1,
                optional=True,
            ),
            optional=True,
        ),
    ),
    ("ts_ms", INT64),
    version=1,
)
HEARTBEAT_KEY = struct(
    "io.debezium.connector.common.ServerNameKey", ("serverName", STRING), version=1
)
HEARTBEAT_VALUE = struct("io.debezium.connector.common.Heartbeat", ("ts_ms", INT64), version=1)

NOTIFICATION_KEY = struct("io.debezium.connector.common.NotificationKey", ("id", STRING), version=1)
NOTIFICATION_VALUE = struct(
    "io.debezium.connector.common.Notification",
    ("id", STRING),
    ("type", STRING),
    ("aggregate_type", STRING),
    ("additional_data", map_of(STRING, STRING, optional=True)),
    ("timestamp", INT64),
    version=1,
)

_COLUMN = struct(
    "io.debezium.connector.schema.Column",
    ("name", STRING),
    ("jdbcType", INT32),
    ("nativeType", OPTIONAL_INT32),
    ("typeName", STRING),
    ("typeExpression", OPTIONAL_STRING),
    ("charsetName", OPTIONAL_STRING),
    ("length", OPTIONAL_INT32),
    ("scale", OPTIONAL_INT32),
    ("position", INT32),
    ("optional", OPTIONAL_BOOLEAN),
    ("autoIncremented", OPTIONAL_BOOLEAN),
    ("generated", OPTIONAL_BOOLEAN),
    ("comment", OPTIONAL_STRING),
    ("defaultValueExpression", OPTIONAL_STRING),
    ("enumValues", array(STRING, optional=True)),
    version=1,
)
_TABLE = struct(
    "io.debezium.connector.schema.Table",
    ("defaultCharsetName", OPTIONAL_STRING),
    ("primaryKeyColumnNames", array(STRING, optional=True)),
    ("columns", array(_COLUMN)),
    ("comment", OPTIONAL_STRING),
    version=1,
    optional=True,
)
TABLE_CHANGE = struct(
    "io.debezium.connector.schema.Change",
    ("type", STRING),
    ("id", STRING),
    ("table", _TABLE),
    version=1,
)


def envelope(name: str, row: Schema, source: Schema) -> Schema:
    """Build the schema of a row event."""
    return struct(
        name,
        ("before", row),
        ("after", row),
        ("source", source),
        ("transaction", TRANSACTION_BLOCK),
        ("op", STRING),
        ("ts_ms", OPTIONAL_INT64),
        ("ts_us", OPTIONAL_INT64),
        ("ts_ns", OPTIONAL_INT64),
        version=2,
    )


def schema_change_key(connector: str) -> Schema:
    """Build the key schema of the schema change topic."""
    return struct(
        f"io.debezium.connector.{connector}.SchemaChangeKey", ("databaseName", STRING), version=1
    )


def schema_change_value(connector: str, source: Schema) -> Schema:
    """Build the value schema of the schema change topic."""
    return struct(
        f"io.debezium.connector.{connector}.SchemaChangeValue",
        ("source", source),
        ("ts_ms", INT64),
        ("databaseName", OPTIONAL_STRING),
        ("schemaName", OPTIONAL_STRING),
        ("ddl", OPTIONAL_STRING),
        ("tableChanges", array(TABLE_CHANGE)),
        version=1,
    )
