"""Connect schemas as JSON Schema, as Confluent's JsonSchemaData builds them.

Members stand in the order in which Java writes them: those of `properties`, among others, by the
hashes of their names. So a schema that Java has registered keeps its id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import orjson

from connector.converters.jackson_text import with_upper_escapes
from connector.data.java import decimal_text, double_text, float_text
from connector.data.java_hashes import capacity_of_copy, hash_map_order
from connector.data.schema import Schema
from connector.names import CONNECT_DECIMAL

_NAMESPACE: Final = "io.confluent.connect.json"
_NULL: Final = {"type": "null"}
_TYPES: Final = {
    "int8": "integer",
    "int16": "integer",
    "int32": "integer",
    "int64": "integer",
    "float32": "number",
    "float64": "number",
    "string": "string",
    "bytes": "string",
    "boolean": "boolean",
    "array": "array",
    "map": "object",
    "struct": "object",
}
_WITHOUT_CONNECT_TYPE: Final = frozenset(["string", "boolean", "array", "struct"])


@dataclass(frozen=True, slots=True)
class JsonSchemaWriter:
    """Builds JSON Schemas; ``default`` prepares a default value for orjson."""

    default: Callable[[Schema, Any], Any]
    numeric_decimals: bool = False
    additional_properties: bool = True

    def text(self, schema: Schema) -> str:
        """Return the schema as the registry gets it."""
        return with_upper_escapes(orjson.dumps(self.write(schema))).decode()

    def write(self, schema: Schema, index: int | None = None) -> dict[str, Any]:
        """Return the JSON Schema; ``index`` is the position of a field in its struct."""
        position = {} if index is None else {"connect.index": index}
        if schema.optional:
            return {**position, "oneOf": [_NULL, self._required(schema, {})]}
        return self._required(schema, position)

    def _required(self, schema: Schema, position: dict[str, int]) -> dict[str, Any]:
        kind = {"type": self._type(schema)}
        about = self._about(schema, position)
        if schema.type == "boolean":
            return about | kind
        if schema.type == "array":
            assert schema.items is not None
            return kind | about | {"items": self.write(schema.items)}
        if schema.type == "map":
            return kind | about | self._map(schema)
        if schema.type != "struct":
            return kind | about
        if not self.additional_properties:
            kind["additionalProperties"] = False
        return kind | about | self._properties((f.name, f.schema) for f in schema.fields)

    def _type(self, schema: Schema) -> Any:
        if schema.name == CONNECT_DECIMAL and self.numeric_decimals:
            return "number"
        return "array" if schema.type == "map" and not _is_object(schema) else _TYPES[schema.type]

    def _map(self, schema: Schema) -> dict[str, Any]:
        """Return what describes the values, or the pairs where keys are no texts."""
        assert schema.keys is not None
        assert schema.items is not None
        if _is_object(schema):
            return {"additionalProperties": self.write(schema.items)}
        pairs = self._properties([("key", schema.keys), ("value", schema.items)])
        return {"items": {"type": "object", **pairs}}

    def _properties(self, members: Iterable[tuple[str, Schema]]) -> dict[str, Any]:
        found = {name: self.write(inner, index) for index, (name, inner) in enumerate(members)}
        ordered = {name: found[name] for name in hash_map_order(found)}
        return {"properties": ordered} if ordered else {}

    def _about(self, schema: Schema, position: dict[str, int]) -> dict[str, Any]:
        """Return title, description and default, then Connect's own properties."""
        about: dict[str, Any] = {
            "title": schema.name,
            "description": schema.doc,
            "default": None if schema.default is None else self._default(schema),
        }
        parameters = {
            name: text
            for name, text in (schema.parameters or {}).items()
            if not name.startswith(_NAMESPACE)
        }
        own = {
            "connect.type": None if schema.type in _WITHOUT_CONNECT_TYPE else schema.type,
            "connect.version": schema.version,
            "connect.parameters": _parameters(parameters) if parameters else None,
            **position,
        }
        names = hash_map_order([name for name, value in own.items() if value is not None])
        for name in hash_map_order(names, capacity_of_copy(len(names))):
            about[name] = own[name]
        return {name: value for name, value in about.items() if value is not None}

    def _default(self, schema: Schema) -> Any:
        if schema.name == CONNECT_DECIMAL and self.numeric_decimals:
            scale = int((schema.parameters or {}).get("scale", "0"))
            return _number(decimal_text(schema.default, scale))
        if schema.type == "float32":
            return _number(float_text(schema.default))
        if schema.type == "float64":
            return _number(double_text(schema.default))
        return self.default(schema, schema.default)


def _is_object(schema: Schema) -> bool:
    """Whether a map is an object; any other is an array of pairs."""
    keys = schema.keys
    assert keys is not None
    return keys.type == "string" and not keys.optional


def _parameters(parameters: dict[str, str]) -> dict[str, str]:
    """Return parameters in the order of org.json's object, a map of their number."""
    names = hash_map_order(parameters)
    size = 1 << (len(names) - 1).bit_length()
    return {name: parameters[name] for name in hash_map_order(names, size)}


def _number(text: str) -> Any:
    """Return a number as org.json writes it and Jackson reads it: without needless zeros."""
    if text[-1] in "yN":
        return text
    if "E" in text:
        digits, _, exponent = text.partition("E")
        whole, _, fraction = digits.partition(".")
        return orjson.Fragment(decimal_text(int(whole + fraction), len(fraction) - int(exponent)))
    return orjson.Fragment(text.rstrip("0").rstrip(".") if "." in text else text)
