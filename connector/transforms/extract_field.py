"""Kafka Connect's ExtractField: a field of a struct takes the struct's place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from connector.config import REQUIRED, ConfigDef, ConfigKey
from connector.data.record import Record
from connector.data.schema import Field, Schema
from connector.data.schema_cache import SchemaCache
from connector.errors import TransformError
from connector.transforms.field_path import SYNTAX, FieldPath
from connector.transforms.part import (
    KEY,
    REPLACE_NULLS,
    VALUE,
    Part,
    require_map,
    require_struct,
)

_PURPOSE = "field extraction"


class ExtractField:
    """Replaces a struct by one of its fields; null stays null."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey("field", "STRING", REQUIRED, "MEDIUM", "The field."),
            REPLACE_NULLS,
            SYNTAX,
        ]
    )
    part: ClassVar[Part]

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._text: str = options["field"]
        self._path = FieldPath(self._text, options["field.syntax.version"])
        self._defaults: bool = options["replace.null.with.default"]
        self._fields = SchemaCache(self._field)

    def apply(self, record: Record) -> Record:
        """Extract the field."""
        schema, value = self.part.schema(record), self.part.value(record)
        if schema is None:
            member = None if value is None else self._path.member(require_map(value, _PURPOSE))
            return self.part.replace(record, None, member)
        if value is not None:
            require_struct(schema, value, _PURPOSE)
        field = self._fields.of(schema)
        if value is not None:
            value = self._path.value(schema, value, defaults=self._defaults)
        return self.part.replace(record, field.schema, value)

    def _field(self, schema: Schema) -> Field:
        field = self._path.field(schema)
        if field is None:
            raise TransformError(f"Unknown field: {self._text}")
        return field


class ExtractFieldKey(ExtractField):
    """For keys."""

    part = KEY


class ExtractFieldValue(ExtractField):
    """For values."""

    part = VALUE
