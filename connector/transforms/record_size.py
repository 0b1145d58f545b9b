"""The size of a record in memory, as Debezium estimates it."""

from __future__ import annotations

from typing import Any, Final

from connector.data.decimals import unscaled_size
from connector.data.record import Record
from connector.data.schema import Schema
from connector.names import CONNECT_DECIMAL

_REFERENCE: Final = 8
_STRUCT: Final = 56
_STRING: Final = 56
_BYTES: Final = 24
_PRIMITIVE: Final = 24
_ARRAY: Final = 64
_MAP: Final = 88
_ENTRY: Final = 100  # of headers and of the source's position
_PARTITION_ENTRIES: Final = 1
_SNAPSHOT_ENTRIES: Final = 5  # file, pos, gtids, ts_sec, snapshot
_LOG_ENTRIES: Final = 6  # server_id, file, pos, event, row, ts_sec


def record_size(record: Record) -> int:
    """Return the estimated size in bytes."""
    entries = _PARTITION_ENTRIES + _position_entries(record.value) + len(record.headers)
    return (
        entries * _ENTRY
        + _REFERENCE
        + _part_size(record.key_schema, record.key)
        + _part_size(record.value_schema, record.value)
        + len(record.topic.encode())
    )


def _position_entries(value: Any) -> int:
    """Return how many entries the position has; transforms see it in ``source`` alone.

    A snapshot's event does not say whether the server has GTIDs: it is assumed. The position of
    the last row of a table has one entry less.
    """
    source = (value.get("source") if isinstance(value, dict) else None) or {}
    if source.get("server_id"):
        return _LOG_ENTRIES + (source.get("gtid") is not None)
    last = str(source.get("snapshot")).startswith("last")
    return _SNAPSHOT_ENTRIES - last


def _part_size(schema: Schema | None, value: Any) -> int:
    return 0 if schema is None else _size(schema, value)


def _size(schema: Schema, value: Any) -> int:
    kind = schema.type
    if kind not in ("string", "bytes", "struct", "array", "map"):
        return _PRIMITIVE
    if value is None:
        return 0
    if kind == "string":
        return _STRING + len(value.encode("utf-8", "replace"))
    if kind == "bytes":
        return _BYTES + (unscaled_size(value) if schema.name == CONNECT_DECIMAL else len(value))
    if kind == "struct":
        return _STRUCT + sum(
            _REFERENCE + _size(field.schema, value.get(field.name)) for field in schema.fields
        )
    assert schema.items is not None
    if kind == "array":
        return _ARRAY + sum(_REFERENCE + _size(schema.items, item) for item in value)
    assert schema.keys is not None
    return _MAP + sum(
        2 * _REFERENCE + _size(schema.keys, key) + _size(schema.items, item)
        for key, item in value.items()
    )
