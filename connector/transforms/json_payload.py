"""JSON texts as structs with a schema, as Debezium's EventRouter expands them."""

from __future__ import annotations

import json
from typing import Any, Final

from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    Field,
    Schema,
    array,
    struct,
)
from connector.errors import TransformError
from connector.transforms.part import struct_like

_TEXT: Final = STRING.as_optional()
_TRUTH: Final = BOOLEAN.as_optional()
_INT: Final = INT32.as_optional()
_LONG: Final = INT64.as_optional()
_DOUBLE: Final = FLOAT64.as_optional()
_NOTHING: Final = BYTES.as_optional()


def parse_json(text: str) -> Any:
    """Read an object or array as Jackson does, which ignores what stands behind it.

    :raises ValueError: the text is neither, or is nested more deeply than MySQL's JSON can be.
    """
    if not text.startswith(("{", "[")):
        raise ValueError("it is no JSON object or array")
    try:
        value, _ = _DECODER.raw_decode(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if text.count("{") + text.count("[") > _MAX_DEPTH and _depth_exceeds(value, _MAX_DEPTH):
        raise ValueError(_TOO_DEEP)
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)
_MAX_DEPTH: Final = 100
_TOO_DEEP: Final = f"the payload is nested more deeply than {_MAX_DEPTH} levels"


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)


class JsonSchemas:
    """Derives schemas. ``nulls`` keeps members that are null, as optional bytes."""

    def __init__(self, *, nulls: bool) -> None:
        self._nulls = nulls

    def of(self, name: str | None, value: Any) -> Schema | None:
        """Return the schema of a value, None when it has none: a null or an empty array.

        :raises ValueError: an array holds values of several types, or a member has no name.
        """
        if isinstance(value, dict):
            return self._object(name, value)
        if isinstance(value, list):
            return array(self._items(name, value), optional=True) if value else None
        if value is None:
            return _NOTHING if self._nulls else None
        return _plain(value)

    def _object(self, name: str | None, value: dict[str, Any]) -> Schema:
        members = []
        for key, inner in value.items():
            path = f"{name}.{key}" if name and name.strip() else key
            schema = self.of(path, inner)
            if schema is not None:
                if not key:
                    raise ValueError("a member has an empty name, which no field can have")
                members.append((key, schema))
        return struct(name, *members, optional=True)

    def _items(self, name: str | None, values: list[Any]) -> Schema:
        present = [value for value in values if value is not None]
        kinds = {_kind(value) for value in present}
        if len(kinds) > 1:
            raise ValueError("an array holds values of several types")
        if not present or not isinstance(present[0], dict):
            schema = self.of(None, present[0] if present else None)
            if schema is None:
                raise ValueError("an array holds nothing that has a type")
            return schema
        merged: Schema | None = None
        seen: list[Schema] = []
        for value in present:
            schema = self._object(name, value)
            if not any(schema.same_as(other) for other in seen):
                seen.append(schema)
                merged = schema if merged is None else _merge(merged, schema)
        assert merged is not None
        return merged


def _plain(value: Any) -> Schema:
    if isinstance(value, bool):
        return _TRUTH
    if isinstance(value, int):
        if -(1 << 31) <= value < 1 << 31:
            return _INT
        return _LONG if -(1 << 63) <= value < 1 << 63 else _DOUBLE
    return _DOUBLE if isinstance(value, float) else _TEXT


def _kind(value: Any) -> object:
    """Return what has to be equal for all members of an array."""
    if isinstance(value, dict | list):
        return type(value)
    return id(_plain(value))


def _merge(left: Schema, right: Schema) -> Schema:
    fields = {field.name: field for field in left.fields}
    for field in right.fields:
        known = fields.get(field.name)
        if known is None or (known.schema.type == "bytes" and field.schema.type != "bytes"):
            fields[field.name] = Field(field.name, field.schema)
    return struct_like(left, fields.values())


def fit(schema: Schema, value: Any) -> Any:
    """Return a value as the schema describes it: members without schema are left out.

    :raises TransformError: it does not fit, such as a text where other objects have a number.
    """
    if value is None:
        if schema.optional:
            return None
        raise TransformError("The payload holds a null where its schema has none.")
    if schema.type == "struct" and isinstance(value, dict):
        return {
            field.name: fit(field.schema, value[field.name])
            for field in schema.fields
            if field.name in value
        }
    if schema.type == "array" and isinstance(value, list):
        assert schema.items is not None
        return [fit(schema.items, item) for item in value]
    if isinstance(value, dict | list) or _plain(value).type != schema.type:
        raise TransformError(f"The payload has a {schema.type} that is another type elsewhere.")
    if schema.type == "float64" and isinstance(value, int):
        raise TransformError("The payload holds a number beyond 64 bits.")
    return value
