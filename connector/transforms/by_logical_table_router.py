"""Debezium's ByLogicalTableRouter: several tables share a topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from connector.config import ConfigDef, ConfigKey, compile_regex
from connector.data.avro_names import schema_names
from connector.data.record import Record
from connector.data.schema import STRING, Field, Schema
from connector.data.schema_cache import SchemaCache
from connector.data.symbolic import require_known
from connector.errors import ConfigError, TransformError
from connector.transforms.envelopes import enum_of, is_envelope, require
from connector.transforms.part import Values, require_struct, struct_like
from connector.transforms.validators import compile_replacement

_PURPOSE = "Updating schema"


def _key(name: str, doc: str, display_name: str, default: Any = None) -> ConfigKey:
    return ConfigKey(
        name, "STRING", default, "LOW", doc, order=1, width="LONG", display_name=display_name
    )


class ByLogicalTableRouter:
    """Renames topics, and with them the schemas; keys can name the table."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            _key("topic.regex", "Expression that the whole topic matches.", "Topic regex"),
            _key("topic.replacement", "The new topic; $1 is a group.", "Topic replacement"),
            ConfigKey(
                "key.enforce.uniqueness", "BOOLEAN", True, "LOW",
                "Whether the key gets a field with the name of the table.", order=1, width="SHORT",
                display_name="Add source topic name into key",
            ),
            _key("key.field.regex", "Expression for that field's value.", "Key field regex"),
            _key("key.field.replacement", "Its value; $1 is a group.", "Key field replacement"),
            ConfigKey(
                "logical.table.cache.size", "INT", 16, "LOW", "Kept for compatibility.", order=1,
                width="LONG", display_name="Logical table cache size",
            ),
            ConfigKey(
                "key.field.name", "STRING", "__dbz__physicalTableIdentifier", "LOW",
                "Name of the key's field.", internal=True,
            ),
            ConfigKey(
                "schema.name.adjustment.mode", "STRING", "none", "LOW",
                "How schema names fit Avro.", internal=True,
                validator=enum_of("none", "avro", "avro_unicode"),
            ),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        require(options, "topic.regex", "topic.replacement")
        self._regex = compile_regex("topic.regex", options["topic.regex"])
        self._replacement = compile_replacement(options["topic.replacement"], self._regex)
        self._unique: bool = options["key.enforce.uniqueness"]
        self._key_field: str = options["key.field.name"]
        self._table_of = _table_namer(options)
        self._adjust = schema_names(options["schema.name.adjustment.mode"].strip().lower())
        self._topics: dict[str, str | None] = {}
        self._known: dict[str, _Schemas] = {}

    def apply(self, record: Record) -> Record:
        """Set the topic, the schemas' names and the key."""
        old = record.topic
        new = self._topic(old)
        if not new:
            return record
        schemas = self._known.get(new)
        if schemas is None:
            schemas = self._known[new] = _Schemas(new, self._adjust, self._extra_fields())
        record.headers = record.headers.copy()
        record.topic = new
        if require_known(record.key) is not None:
            if record.key_schema is None:
                raise TransformError(f"Only Struct objects supported for [{_PURPOSE}]")
            require_struct(record.key_schema, record.key, _PURPOSE)
            record.key_schema = schemas.keys.of(record.key_schema)
            if self._unique:
                record.key = {**record.key, self._key_field: self._table_of(old)}
        else:
            record.key_schema = None
        if require_known(record.value) is not None and is_envelope(record):
            assert record.value_schema is not None
            record.value_schema = schemas.envelopes.of(record.value_schema)
        return record

    def _topic(self, old: str) -> str | None:
        if old not in self._topics:
            fits = self._regex.fullmatch(old)
            self._topics[old] = self._regex.sub(self._replacement, old, count=1) if fits else None
        return self._topics[old]

    def _extra_fields(self) -> list[Field]:
        return [Field(self._key_field, STRING)] if self._unique else []


class _Schemas:
    """The schemas of one topic."""

    def __init__(self, topic: str, adjust: Callable[[str], str], extra: list[Field]) -> None:
        self._topic = topic
        self._adjust = adjust
        self._extra = extra
        self.keys = SchemaCache(self._key)
        self.envelopes = SchemaCache(self._envelope)

    def _key(self, schema: Schema) -> Schema:
        fields = [*schema.fields, *self._extra]
        return self._with_name(struct_like(schema, fields), "Key", optional=schema.optional)

    def _envelope(self, schema: Schema) -> Schema:
        before = schema.field("before")
        if before is None:
            raise TransformError("The event has no field before.")
        row = self._with_name(before.schema, "Value", optional=before.schema.optional)
        fields = (
            Field(field.name, row) if field.name in ("before", "after") else field
            for field in schema.fields
        )
        return self._with_name(struct_like(schema, fields), "Envelope", optional=schema.optional)

    def _with_name(self, schema: Schema, kind: str, *, optional: bool) -> Schema:
        name = self._adjust(f"{self._topic}.{kind}")
        return schema.with_changes(name=name, optional=optional, default=None)


def _table_namer(options: Values) -> Callable[[str], str]:
    """Return the function that names the table of a topic."""
    text = (options["key.field.regex"] or "").strip()
    replacement = (options["key.field.replacement"] or "").strip()
    if not text:
        return lambda topic: topic
    if not replacement:
        raise ConfigError(
            "The 'key.field.replacement' value is invalid: key.field.replacement must be non-empty "
            "if key.field.regex is set."
        )
    regex = compile_regex("key.field.regex", text)
    replace = compile_replacement(replacement, regex)
    return lambda topic: regex.sub(replace, topic, count=1) if regex.fullmatch(topic) else topic
