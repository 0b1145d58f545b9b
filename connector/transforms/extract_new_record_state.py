"""Debezium's ExtractNewRecordState: rows instead of envelopes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from connector.config import ConfigDef, ConfigKey
from connector.data.record import Header, Record
from connector.data.schema import STRING, Schema
from connector.data.schema_cache import SchemaCache
from connector.data.symbolic import require_known
from connector.errors import ConfigError, TransformError
from connector.transforms.added_fields import AddedFields, find_all, parse_added
from connector.transforms.dropped_fields import DROP_KEYS, DroppedFields
from connector.transforms.envelopes import enum_of, is_envelope
from connector.transforms.extract_field import ExtractFieldValue
from connector.transforms.insert_field import InsertFieldValue
from connector.transforms.part import Values, require_struct

_MODES: Final = ("drop", "tombstone", "rewrite", "rewrite-with-tombstone", "delete-to-tombstone")
_PREFIX: Final = "Prefix of the names that {} adds."
_ADDED: Final = (
    "Metadata to add as {}: op, table, source.ts_ms and so on; name:other gives another name."
)
_KEYS: Final = (
    ConfigKey(
        "delete.tombstone.handling.mode", "STRING", "tombstone", "MEDIUM",
        "What a delete becomes: nothing (drop), a null (tombstone), the row before it (rewrite), "
        "that and a tombstone (rewrite-with-tombstone), or a tombstone without schema "
        "(delete-to-tombstone).",
        order=1, width="MEDIUM", display_name="Handle delete and tombstone records",
        validator=enum_of(*_MODES),
    ),
    ConfigKey(
        "route.by.field", "STRING", "", "LOW", "A column that holds the topic.",
        order=1, width="LONG", display_name="Route by field name",
    ),
    ConfigKey(
        "add.fields.prefix", "STRING", "__", "LOW", _PREFIX.format("add.fields"),
        order=1, width="SHORT", display_name="Field prefix to be added to each field.",
    ),
    ConfigKey(
        "add.fields", "LIST", [], "LOW", _ADDED.format("fields"), order=1, width="LONG",
        display_name="Adds the specified field(s) to the message if they exist.",
    ),
    ConfigKey(
        "add.headers.prefix", "STRING", "__", "LOW", _PREFIX.format("add.headers"),
        order=1, width="SHORT", display_name="Header prefix to be added to each header.",
    ),
    ConfigKey(
        "add.headers", "LIST", [], "LOW", _ADDED.format("headers"), order=1, width="LONG",
        display_name="Adds the specified fields to the header if they exist.",
    ),
    *DROP_KEYS,
    ConfigKey(
        "replace.null.with.default", "BOOLEAN", True, "LOW",
        "Whether rewrite makes nulls the defaults of their columns.", internal=True,
    ),
    ConfigKey(
        "delete.handling.mode", "STRING", None, "LOW", "Name before Debezium 2.5.", internal=True,
        validator=enum_of("drop", "none", "rewrite"),
    ),
    ConfigKey(
        "drop.tombstones", "BOOLEAN", None, "LOW", "Name before Debezium 2.5.", internal=True
    ),
)  # fmt: skip
_OLD_MODES: Final = {
    ("drop", True): "drop",
    ("drop", False): "delete-to-tombstone",
    ("none", True): "tombstone",
    ("rewrite", True): "rewrite",
    ("rewrite", False): "rewrite-with-tombstone",
}


class ExtractNewRecordState:
    """Replaces an envelope by the row after the change."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(_KEYS)

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._mode = _mode(config, options)
        self._rewrites = self._mode in ("rewrite", "rewrite-with-tombstone")
        self._route: str = options["route.by.field"]
        fields = parse_added(options["add.fields.prefix"], options["add.fields"])
        self._added = SchemaCache(lambda envelope: AddedFields(find_all(fields, envelope)))
        headers = parse_added(options["add.headers.prefix"], options["add.headers"])
        self._op_headers = [added.name for added in headers if added.field == "op"]
        self._headers = SchemaCache(lambda envelope: find_all(headers, envelope))
        self._dropped = DroppedFields(options)
        self._after = ExtractFieldValue({"field": "after"})
        self._before = ExtractFieldValue({"field": "before"})
        defaults = str(options["replace.null.with.default"])
        self._kept = _marking("false", defaults)
        self._deleted = _marking("true", defaults)

    def apply(self, record: Record) -> Record | None:
        """Unwrap an event; what is no envelope passes."""
        if require_known(record.value) is None:
            return self._tombstone(record)
        if not is_envelope(record):
            return record
        envelope: Values = record.value
        schema = record.value_schema
        assert schema is not None
        require_struct(schema, envelope, "Read envelope")
        for name, found in self._headers.of(schema):
            record.headers.append(Header(name, found.schema, found.value(envelope)))
        if schema.field("after") is None:
            raise TransformError("Unknown field: after")
        if envelope.get("after") is not None:
            return self._row(record, schema, envelope)
        if envelope.get("before") is None:  # TRUNCATE
            return None
        return self._delete(record, schema, envelope)

    def _tombstone(self, record: Record) -> Record | None:
        if self._mode != "rewrite-with-tombstone":
            return None
        record.headers.extend(Header(name, STRING, "d") for name in self._op_headers)
        return record

    def _row(self, record: Record, schema: Schema, envelope: Values) -> Record:
        record = self._after.apply(record)
        if self._rewrites:
            record = self._kept.apply(record)
        if self._route:
            _set_topic(record, record.value_schema, record.value, self._route)
        return self._dropped.drop(self._added.of(schema).add(record, envelope))

    def _delete(self, record: Record, schema: Schema, envelope: Values) -> Record | None:
        if self._mode == "drop":
            return None
        record = self._before.apply(record)
        if self._route:
            _set_topic(record, record.value_schema, record.value, self._route)
        if self._rewrites:
            record = self._dropped.drop(self._deleted.apply(record))
            return self._added.of(schema).add(record, envelope)
        record.headers = record.headers.copy()
        record.value = None
        if self._mode == "delete-to-tombstone":
            record.value_schema = None
        return self._dropped.drop(record)


def _mode(config: Mapping[str, str], options: Mapping[str, Any]) -> str:
    """Return what becomes of deletes; two keys said it before Debezium 2.5."""
    mode: str = options["delete.tombstone.handling.mode"].strip().lower()
    old, tombstones = options["delete.handling.mode"], options["drop.tombstones"]
    if "delete.tombstone.handling.mode" in config or (old is None and tombstones is None):
        return mode
    pair = ((old or "drop").strip().lower(), tombstones is not False)
    if pair not in _OLD_MODES:
        raise ConfigError(
            "delete.handling.mode=none with drop.tombstones=false has no successor: set "
            "delete.tombstone.handling.mode instead."
        )
    return _OLD_MODES[pair]


def _marking(deleted: str, defaults: str) -> InsertFieldValue:
    return InsertFieldValue(
        {
            "static.field": "__deleted",
            "static.value": deleted,
            "replace.null.with.default": defaults,
        }
    )


def _set_topic(record: Record, schema: Schema | None, row: Values, name: str) -> None:
    """Send the record to the topic that a field names; a blank one changes nothing."""
    field = None if schema is None else schema.field(name)
    if field is None:
        raise TransformError(f"{name} is not a valid field name")
    if field.schema.type != "string":
        raise TransformError(f"Field '{name}' is not of type STRING")
    topic = row.get(name)
    if topic is not None and topic.strip():
        record.topic = topic
