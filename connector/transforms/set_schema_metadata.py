"""Kafka Connect's SetSchemaMetadata: another name or version for the schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from connector.config import ConfigDef, ConfigKey
from connector.data.record import Record
from connector.data.schema import Schema
from connector.data.schema_cache import SchemaCache
from connector.errors import ConfigError, TransformError
from connector.transforms.part import KEY, REPLACE_NULLS, VALUE, Part, copying


class SetSchemaMetadata:
    """Sets the name or version of a schema."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey("schema.name", "STRING", None, "HIGH", "The new name."),
            ConfigKey("schema.version", "INT", None, "HIGH", "The new version."),
            REPLACE_NULLS,
        ]
    )
    part: ClassVar[Part]

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._name: str | None = options["schema.name"]
        self._version: int | None = options["schema.version"]
        self._defaults: bool = options["replace.null.with.default"]
        if self._name is None and self._version is None:
            raise ConfigError("Neither schema name nor version configured")
        self._schemas = SchemaCache(self._renamed)
        self._copies = SchemaCache(lambda schema: copying(schema, defaults=self._defaults))

    def apply(self, record: Record) -> Record:
        """Replace the schema."""
        schema, value = self.part.schema(record), self.part.value(record)
        if schema is None:
            if value is None:
                return record
            raise TransformError("Schema required for [updating schema metadata]")
        if schema.type != "struct":
            raise TransformError("Cannot list fields on non-struct type")
        if value is not None:
            value = self._copies.of(schema)(value)
        return self.part.replace(record, self._schemas.of(schema), value)

    def _renamed(self, schema: Schema) -> Schema:
        return schema.with_changes(
            name=schema.name if self._name is None else self._name,
            version=schema.version if self._version is None else self._version,
        )


class SetSchemaMetadataKey(SetSchemaMetadata):
    """For keys."""

    part = KEY


class SetSchemaMetadataValue(SetSchemaMetadata):
    """For values."""

    part = VALUE
