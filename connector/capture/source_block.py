"""The source block: where a change comes from. A database adds fields to the common ones."""

from __future__ import annotations

from connector.data.schema import INT64, OPTIONAL_INT64, OPTIONAL_STRING, STRING, Schema, struct
from connector.data.semantic import enum

SNAPSHOT_MARKS = (
    "true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"
)
_SNAPSHOT = enum(SNAPSHOT_MARKS).with_changes(optional=True, default="false")


def source_block(connector: str, *own: tuple[str, Schema]) -> Schema:
    """Build the schema of the source block."""
    return struct(
        f"io.debezium.connector.{connector}.Source",
        ("version", STRING),
        ("connector", STRING),
        ("name", STRING),
        ("ts_ms", INT64),
        ("snapshot", _SNAPSHOT),
        ("db", STRING),
        ("sequence", OPTIONAL_STRING),
        ("ts_us", OPTIONAL_INT64),
        ("ts_ns", OPTIONAL_INT64),
        *own,
        version=1,
    )
