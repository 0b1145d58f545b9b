"""Debezium's VectorToJsonConverter: vectors as JSON texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from connector import names
from connector.config import ConfigDef
from connector.data.java import double_text, float_text
from connector.data.record import Record
from connector.data.schema import Field, Schema
from connector.data.schema_cache import SchemaCache
from connector.data.semantic import JSON
from connector.errors import TransformError
from connector.transforms.part import Convert, Values, require_struct, struct_like, value_or_default


class _Converted(NamedTuple):
    """A schema without vectors, and the function that converts values."""

    schema: Schema
    values: Convert


class VectorToJsonConverter:
    """Replaces vectors in a struct, and in the structs within it."""

    config_def = ConfigDef()

    def __init__(self, config: Mapping[str, str]) -> None:
        self.config_def.parse(config)
        self._known = SchemaCache(_convert_struct)

    def apply(self, record: Record) -> Record:
        """Convert the value."""
        if record.value is None:
            return record
        schema = record.value_schema
        if schema is None:
            raise TransformError("Only Struct objects supported for [Value should be a struct]")
        require_struct(schema, record.value, "Value should be a struct")
        converted = self._known.of(schema)
        record.value_schema, record.value = converted.schema, converted.values(record.value)
        return record


def _convert_struct(schema: Schema) -> _Converted:
    """Describe a struct without vectors."""
    fields: list[Field] = []
    conversions: list[tuple[Field, Convert | None]] = []
    for field in schema.fields:
        new, convert = _convert_field(field.schema)
        fields.append(Field(field.name, new))
        conversions.append((field, convert))

    def values(struct: Values) -> Values:
        converted = {}
        for field, convert in conversions:
            value = value_or_default(field.schema, struct.get(field.name))
            converted[field.name] = value if convert is None or value is None else convert(value)
        return converted

    new = struct_like(schema, fields)
    return _Converted(new.as_optional() if schema.optional else new, values)


def _convert_field(schema: Schema) -> tuple[Schema, Convert | None]:
    if schema.name in (names.FLOAT_VECTOR, names.DOUBLE_VECTOR):
        text = float_text if schema.name == names.FLOAT_VECTOR else double_text
        new = JSON.as_optional() if schema.optional else JSON
        return new, lambda values: f'{{ "values": [{", ".join(map(text, values))}] }}'
    if schema.type == "struct":
        inner = _convert_struct(schema)
        return inner.schema, inner.values
    return schema, None
