"""Kafka Connect's HoistField: puts the key or value into a struct of one field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from connector.config import REQUIRED, ConfigDef, ConfigKey
from connector.data.record import Record
from connector.data.schema import Field, Schema
from connector.data.schema_cache import SchemaCache
from connector.transforms.part import KEY, VALUE, Part, struct_like


class HoistField:
    """Wraps a value of any type."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [ConfigKey("field", "STRING", REQUIRED, "MEDIUM", "Name of the struct's only field.")]
    )
    part: ClassVar[Part]

    def __init__(self, config: Mapping[str, str]) -> None:
        self._field: str = self.config_def.parse(config)["field"]
        self._structs = SchemaCache(self._struct)

    def apply(self, record: Record) -> Record:
        """Wrap the part; one without schema becomes a map."""
        schema = self.part.schema(record)
        wrapped = None if schema is None else self._structs.of(schema)
        return self.part.replace(record, wrapped, {self._field: self.part.value(record)})

    def _struct(self, schema: Schema) -> Schema:
        return struct_like(Schema("struct"), [Field(self._field, schema)])


class HoistFieldKey(HoistField):
    """For keys."""

    part = KEY


class HoistFieldValue(HoistField):
    """For values."""

    part = VALUE
