"""Kafka Connect's ValueToKey: makes the key of some fields of the value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

from connector.config import REQUIRED, ConfigDef, ConfigKey
from connector.data.record import Record
from connector.data.schema import Field, Schema, struct
from connector.data.schema_cache import SchemaCache
from connector.data.symbolic import or_default, require_known
from connector.errors import TransformError
from connector.transforms.part import REPLACE_NULLS, Values, require_map, require_struct
from connector.transforms.validators import distinct

_PURPOSE = "copying fields from value to key"


class _KeyRewrite(NamedTuple):
    schema: Schema
    values: Callable[[Values], Values]


class ValueToKey:
    """Replaces the key by a struct of fields of the value."""

    compilable: ClassVar[bool] = True
    config_def = ConfigDef(
        [
            ConfigKey(
                "fields", "LIST", REQUIRED, "HIGH", "Fields of the value.", validator=distinct
            ),
            REPLACE_NULLS,
        ]
    )

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._fields: list[str] = options["fields"]
        self._defaults: bool = options["replace.null.with.default"]
        self._keys = SchemaCache(self._key)

    def apply(self, record: Record) -> Record:
        """Set the key."""
        value = require_known(record.value)
        record.headers = record.headers.copy()
        if record.value_schema is None:
            value = require_map(value, _PURPOSE)
            record.key_schema, record.key = None, {name: value.get(name) for name in self._fields}
            return record
        require_struct(record.value_schema, value, _PURPOSE)
        key = self._keys.of(record.value_schema)
        record.key_schema, record.key = key.schema, key.values(value)
        return record

    def _key(self, schema: Schema) -> _KeyRewrite:
        fields = [self._field(schema, name) for name in self._fields]
        defaults = {
            field.name: field.schema.default if self._defaults else None for field in fields
        }

        def values(value: Values) -> Values:
            return {
                name: or_default(value.get(name), default) for name, default in defaults.items()
            }

        return _KeyRewrite(struct(None, *((field.name, field.schema) for field in fields)), values)

    @staticmethod
    def _field(schema: Schema, name: str) -> Field:
        field = schema.field(name)
        if field is None:
            raise TransformError(f"Field does not exist: {name}")
        return field
