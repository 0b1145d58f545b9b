"""Kafka Connect's JsonConverter, byte for byte.

A message is ``{"schema":…,"payload":…}``, or the payload alone with ``schemas.enable=false``.
orjson writes the text. Where it differs from Jackson, the value is prepared before (numbers in
Java's notation, bytes in base64) or the text mended after (control characters in upper case).
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from orjson import Fragment, JSONEncodeError, dumps

from connector.codegen import compile_function
from connector.config import ConfigDef, ConfigKey, invalid
from connector.converters.header_values import HeaderValues
from connector.converters.jackson_text import BACKSLASH, jackson_text
from connector.converters.json_values import (
    json_error,
    prepare_bytes,
    prepare_double,
    prepare_float,
    prepare_schemaless,
    refuse_misnamed,
    refuse_null,
    same,
    write_json,
    write_unscaled,
)
from connector.converters.native_json import native_part, native_write
from connector.data.fragments import Encode
from connector.data.java import decimal_text
from connector.data.schema import Schema
from connector.data.semantic import misses_type
from connector.names import CONNECT_DECIMAL

_TYPE_NAMES: Final = {"float32": "float", "float64": "double"}
_PLAIN: Final = frozenset(["boolean", "int8", "int16", "int32", "int64", "string"])


@dataclass(frozen=True, slots=True)
class _Ready:
    """A compiled schema: what stands around a payload, and how a value is made ready."""

    schema: Schema
    before: bytes
    after: bytes
    native: Callable[[Any], Any]


def _decimal_format(name: str, value: str) -> str | None:
    """Accept the two formats, in the words of Kafka's check that ignores case."""
    if value.upper() in ("BASE64", "NUMERIC"):
        return None
    reason = "String must be one of (case insensitive): NUMERIC, BASE64"
    return str(invalid(name, value, reason))


class JsonConverter(HeaderValues):
    """Writes values as JSON. Schemas are compiled once and known by identity."""

    config_def = ConfigDef(
        [
            ConfigKey(
                "schemas.enable", "BOOLEAN", True, "HIGH", "Include the schema.",
                "Schemas", 0, "MEDIUM", "Enable Schemas",
            ),
            ConfigKey(
                "schemas.cache.size", "INT", 1000, "HIGH",
                "How many schemas are kept ready for use.",
                "Schemas", 1, "MEDIUM", "Schema Cache Size",
            ),
            ConfigKey(
                "schema.content", "STRING", None, "HIGH",
                "Kept for compatibility: a schema for messages that are read from Kafka.",
                "Schemas", 2, "MEDIUM", "Schema Content",
            ),
            ConfigKey(
                "decimal.format", "STRING", "BASE64", "LOW",
                "BASE64 writes the bytes of a decimal, NUMERIC a JSON number.",
                "Serialization", 0, "MEDIUM", "Decimal Format", _decimal_format,
            ),
            ConfigKey(
                "replace.null.with.default", "BOOLEAN", True, "LOW",
                "Write a field's default where its value is null.",
                "Serialization", 1, "MEDIUM", "Replace null with default",
            ),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str] | None = None) -> None:
        options = self.config_def.parse(config or {})
        self._with_schema: bool = options["schemas.enable"]
        self._numeric: bool = options["decimal.format"].upper() == "NUMERIC"
        self._defaults: bool = options["replace.null.with.default"]
        self._kept: int = options["schemas.cache.size"]
        self._ready: dict[int, _Ready] = {}

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a key or value; None for a null without schema (a tombstone)."""
        if schema is None:
            return None if value is None else self._without_schema(value)
        ready = self._ready.get(id(schema)) or self._prepare(schema, topic)
        return ready.before + jackson_text(write_json(ready.native(value))) + ready.after

    def _prepare(self, schema: Schema, topic: str) -> _Ready:
        """Compile a schema, in place of the one that was compiled first when there are many."""
        ready = _Ready(schema, *self.frame(schema, topic), self.native(schema))
        if len(self._ready) >= self._kept:
            self._ready.pop(next(iter(self._ready), 0), None)
        self._ready[id(schema)] = ready
        return ready

    def _without_schema(self, value: Any) -> bytes:
        text = jackson_text(write_json(prepare_schemaless(value)))
        return b'{"schema":null,"payload":' + text + b"}" if self._with_schema else text

    def frame(self, schema: Schema, topic: str) -> tuple[bytes, bytes]:  # noqa: ARG002 - other converters need the topic
        """Return what stands before and behind the payload."""
        if not self._with_schema:
            return b"", b""
        text = jackson_text(dumps(self.description(schema)))
        return b'{"schema":' + text + b',"payload":', b"}"

    def label(self, schema: Schema, index: int) -> bytes:
        """Return the name of a field with what separates it."""
        opening = b"," if index else b"{"
        return opening + jackson_text(dumps(schema.fields[index].name)) + b":"

    def close(self, schema: Schema) -> bytes:  # noqa: ARG002 - other converters need the schema
        """Return the end of an object."""
        return b"}"

    def null(self, schema: Schema) -> bytes:
        """Return null, or the default that replaces it."""
        return jackson_text(write_json(self.native(schema)(None)))

    def present(self, schema: Schema) -> bytes:  # noqa: ARG002 - other converters mark presence
        """Return nothing: JSON does not mark presence."""
        return b""

    def nested(self, schema: Schema, index: int) -> None:
        """Return nothing: JSON's structs are written as they are."""

    def part(self, schema: Schema, start: int, stop: int) -> Encode:
        """Return a function that writes the members of some fields, separators included."""
        if start == stop:
            return lambda _: b""
        names: dict[str, Any] = {"dumps": write_json, "text": jackson_text}
        members = ", ".join(
            f"{field.name!r}: {self._expression(field.schema, f'v[{index}]', names, index)}"
            for index, field in enumerate(schema.fields[start:stop], start)
        )
        opening = "b','" if start else "b'{'"
        out = f"(out := dumps({{{members}}}))"
        written = f"(text(out) if {BACKSLASH} in {out} or not out.isascii() else out)"
        lines = ["def encode_part(v):", f"    return {opening} + {written}[1:-1]"]
        labels = [self.label(schema, index) for index in range(start, stop)]
        schemas = [field.schema for field in schema.fields[start:stop]]
        null = lambda field: jackson_text(write_json(field.default if self._defaults else None))  # noqa: E731
        return native_part(start, schemas, labels, null, compile_function(lines, names))

    def row(self, schema: Schema) -> Encode:
        """Return a function that writes a whole object from a row."""
        names: dict[str, Any] = {"dumps": dumps, "text": jackson_text, "failed": json_error}
        names["JSONEncodeError"] = JSONEncodeError
        members = ", ".join(
            f"{field.name!r}: {self._expression(field.schema, f'v{index}', names, index)}"
            for index, field in enumerate(schema.fields)
        )
        count = len(schema.fields)
        values = "".join(f"v{index}, " for index in range(count))
        row = f"row if len(row) == {count} else row[:{count}]"  # a star takes 255 names at most
        lines = [
            "def encode(row):",
            f"    {values}= {row}" if values else "    pass",
            "    try:",
            f"        out = dumps({{{members}}})",
            "    except JSONEncodeError as error:",
            "        raise failed(error) from None",
            f"    return text(out) if {BACKSLASH} in out or not out.isascii() else out",
        ]
        return compile_function(lines, names)

    def native_write(self, schema: Schema) -> str | None:
        """Return how the native core writes a value; None for one that it does not know."""
        return native_write(schema, numeric=self._numeric)

    def native(self, schema: Schema) -> Callable[[Any], Any]:
        """Return the function that prepares a value of the schema for orjson."""
        convert = self._conversion(schema)
        default = schema.default if self._defaults else None
        if default is None and schema.optional:
            return lambda value: None if value is None else convert(value)
        if default is None:
            return lambda value: refuse_null(value) if value is None else convert(value)
        return lambda value: convert(default if value is None else value)

    def _expression(self, schema: Schema, value: str, names: dict[str, Any], number: int) -> str:
        """Return the source that prepares a field's value."""
        if schema.type in _PLAIN and not misses_type(schema):
            if schema.default is None or not self._defaults:
                return value
            names[f"d{number}"] = schema.default
            return f"(d{number} if {value} is None else {value})"
        names[f"n{number}"] = self.native(schema)
        if schema.type == "bytes" and schema.name != CONNECT_DECIMAL and schema.default is None:
            names["base64"] = b2a_base64
            return f"(None if {value} is None else base64({value}, newline=False).decode())"
        if schema.type == "float64":
            plain = f"{value} is not None and 1e-3 <= {value} < 1e7"
            return f"({value} if {plain} else n{number}({value}))"
        if schema.default is None or not self._defaults:
            names[f"n{number}"] = self._conversion(schema)
            return f"(None if {value} is None else n{number}({value}))"
        return f"n{number}({value})"

    def _conversion(self, schema: Schema) -> Callable[[Any], Any]:
        if misses_type(schema):
            return refuse_misnamed(schema)
        if schema.name == CONNECT_DECIMAL:
            return self._decimal(schema)
        if schema.type in _PLAIN:
            return same
        if schema.type == "float64":
            return prepare_double
        if schema.type == "float32":
            return prepare_float
        if schema.type == "bytes":
            return prepare_bytes
        if schema.type == "struct":
            return self._struct(schema)
        if schema.type == "map":
            return self._map(schema)
        items = self.native(_of(schema.items))
        return lambda values: [items(value) for value in values]

    def _map(self, schema: Schema) -> Callable[[Any], Any]:
        items = self.native(_of(schema.items))
        assert schema.keys is not None
        if schema.keys.type == "string":
            return lambda pairs: {key: items(value) for key, value in pairs.items()}
        keys = self.native(schema.keys)
        return lambda pairs: [[keys(key), items(value)] for key, value in pairs.items()]

    def _struct(self, schema: Schema) -> Callable[[Any], Any]:
        members = [(field.name, self.native(field.schema)) for field in schema.fields]
        return lambda struct: {name: native(struct.get(name)) for name, native in members}

    def _decimal(self, schema: Schema) -> Callable[[int], Any]:
        if not self._numeric:
            return write_unscaled
        scale = int((schema.parameters or {}).get("scale", "0"))
        return lambda value: Fragment(decimal_text(value, scale))

    def description(self, schema: Schema, field: str | None = None) -> dict[str, Any]:
        """Describe a schema, or that of a field, in the order of Connect's members."""
        text: dict[str, Any] = {"type": _TYPE_NAMES.get(schema.type, schema.type)}
        if schema.type == "struct":
            text["fields"] = [
                self.description(member.schema, member.name) for member in schema.fields
            ]
        elif schema.type == "array":
            text["items"] = self.description(_of(schema.items))
        elif schema.type == "map":
            text["keys"] = self.description(_of(schema.keys))
            text["values"] = self.description(_of(schema.items))
        text["optional"] = schema.optional
        attributes = {
            "name": schema.name,
            "version": schema.version,
            "doc": schema.doc,
            "parameters": dict(schema.parameters) if schema.parameters else None,
        }
        text |= {name: value for name, value in attributes.items() if value is not None}
        if schema.default is not None:
            text["default"] = self._conversion(schema)(schema.default)
        if field is not None:
            text["field"] = field
        return text


def _of(schema: Schema | None) -> Schema:
    assert schema is not None
    return schema
