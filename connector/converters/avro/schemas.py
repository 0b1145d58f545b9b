"""Connect schemas as Avro schemas, as the AvroData classes of the Java converters build them.

An Avro schema is what `json.loads` gives for its text: a name, a list (a union) or a dict, whose
members stand in the order in which Java writes them. A named type that was described before is a
name. The settings of the two converters that change schemas are the fields of `AvroDialect`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote_plus

import orjson

from connector import names
from connector.converters.jackson_text import with_upper_escapes
from connector.data.decimals import unscaled_bytes
from connector.data.java import double_text, float_text
from connector.data.schema import Schema, Type
from connector.data.semantic import (
    CONNECT_DATE,
    CONNECT_TIME,
    CONNECT_TIMESTAMP,
)
from connector.errors import ConversionError
from connector.names import CONNECT_DECIMAL

AvroSchema = str | list[Any] | dict[str, Any]

_TYPES: Final[dict[Type, str]] = {
    "int8": "int",
    "int16": "int",
    "int32": "int",
    "int64": "long",
    "float32": "float",
    "float64": "double",
    "boolean": "boolean",
    "string": "string",
    "bytes": "bytes",
}
_LOGICAL: Final = {
    CONNECT_DATE.name: "date",
    CONNECT_TIME.name: "time-millis",
    CONNECT_TIMESTAMP.name: "timestamp-millis",
    CONNECT_DECIMAL: "decimal",
}
_CONFLUENT: Final = "io.confluent.connect.avro"
_DEFAULT_PRECISION: Final = 64
_NOT_LETTERS: Final = re.compile(r"[^a-zA-Z0-9_]")
_NAME: Final = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class AvroDialect:
    """What two converters, or their settings, do differently."""

    metadata: bool = True
    scrub: bool = False
    optional_map_keys: bool = False


class AvroSchemaWriter:
    """Builds the Avro schema of one Connect schema; make one for each."""

    def __init__(self, dialect: AvroDialect) -> None:
        self._dialect = dialect
        self._written: dict[str, tuple[Any, ...]] = {}
        self._unnamed = 0

    def text(self, schema: Schema) -> str:
        """Return the schema as the registry gets it.

        :raises ConversionError: a name is illegal in Avro, or stands for two different schemas.
        """
        return with_upper_escapes(orjson.dumps(self.write(schema, None))).decode()

    def write(self, schema: Schema, space: str | None) -> AvroSchema:
        """Return the Avro schema; ``space`` is the namespace of the type around it."""
        kind = schema.type
        if not schema.optional:
            return self._base(schema, space)
        branches: list[Any] = ["null", self._base(schema, space)]
        if schema.default is not None and kind != "struct":
            branches.reverse()
        return branches

    def _base(self, schema: Schema, space: str | None) -> AvroSchema:
        if schema.type == "struct":
            return self._record(schema, space)
        if schema.type == "array":
            assert schema.items is not None
            text: dict[str, Any] = {"type": "array", "items": self.write(schema.items, space)}
        elif schema.type == "map":
            text = self._map(schema, space)
        else:
            text = {"type": _TYPES[schema.type]}
        if schema.name == CONNECT_DECIMAL:
            parameters = schema.parameters or {}
            text["scale"] = int(parameters.get("scale", "0"))
            text["precision"] = int(parameters.get(names.PRECISION, _DEFAULT_PRECISION))
        text |= self._properties(schema)
        if schema.name in _LOGICAL:
            text["logicalType"] = _LOGICAL[schema.name]
        text |= _avro_parameters(schema)
        return str(text["type"]) if len(text) == 1 else text

    def _record(self, schema: Schema, space: str | None) -> AvroSchema:
        name, own_space = self._name(schema)
        reference = self._reference(name, own_space, space, _content(schema))
        if reference is not None:
            return reference
        text: dict[str, Any] = {"type": "record", "name": name}
        if own_space != space:
            text["namespace"] = own_space or ""
        doc = (schema.parameters or {}).get(f"{_CONFLUENT}.record.doc")
        if doc is not None:
            text["doc"] = doc
        text["fields"] = [
            self._field(field.name, field.schema, own_space, schema) for field in schema.fields
        ]
        text |= self._properties(schema)
        return text | _avro_parameters(schema)

    def _reference(
        self, name: str, own: str | None, space: str | None, content: tuple[Any, ...]
    ) -> str | None:
        """Return the name of a type that was described before; None for the first time."""
        full = f"{own}.{name}" if own else name
        known = self._written.setdefault(full, content)
        if known is content:
            return None
        if known != content:
            raise ConversionError(
                f"The schema name {full} stands for two different schemas in one record.",
                "Give one of them another name, for example with SetSchemaMetadata.",
            )
        return name if own == space or not own else full

    def _field(
        self, name: str, schema: Schema, space: str | None, owner: Schema | None = None
    ) -> dict[str, Any]:
        text: dict[str, Any] = {"name": self._check_name(name), "type": self.write(schema, space)}
        parameters = (owner and owner.parameters) or {}
        doc = parameters.get(f"{_CONFLUENT}.field.doc.{name}")
        if doc is not None:
            text["doc"] = doc
        if schema.default is not None:
            if self._is_valid_default(schema):
                text["default"] = self._default(schema, schema.default)
        elif schema.optional:
            text["default"] = None
        return text

    def _map(self, schema: Schema, space: str | None) -> dict[str, Any]:
        assert schema.keys is not None
        assert schema.items is not None
        if has_string_keys(schema, self._dialect):
            return {"type": "map", "values": self.write(schema.items, space)}
        name, own_space = self._name(schema) if schema.name else ("MapEntry", _CONFLUENT)
        content = (schema.name, schema.keys.parts(), schema.items.parts())
        reference = self._reference(name, own_space, space, content)
        if reference is not None:
            return {"type": "array", "items": reference}
        entry: dict[str, Any] = {"type": "record", "name": name}
        if own_space != space:
            entry["namespace"] = own_space or ""
        fields = (("key", schema.keys), ("value", schema.items))
        entry["fields"] = [self._field(name, inner, own_space) for name, inner in fields]
        if schema.name:
            entry["connect.internal.type"] = "MapEntry"
        return {"type": "array", "items": entry}

    def _properties(self, schema: Schema) -> dict[str, Any]:
        if not self._dialect.metadata:
            return {}
        found: dict[str, Any] = {
            "connect.doc": schema.doc,
            "connect.version": schema.version,
            "connect.parameters": dict(schema.parameters) if schema.parameters else None,
            "connect.default": self._default(schema, schema.default),
            "connect.name": schema.name,
            "connect.type": schema.type if schema.type in ("int8", "int16") else None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def _default(self, schema: Schema, value: Any) -> Any:
        """Return a default as JSON has it."""
        if value is None:
            return None
        if isinstance(value, bytes):
            return value.decode("latin-1")
        if schema.name == CONNECT_DECIMAL:
            return unscaled_bytes(value).decode("latin-1")
        if schema.type == "struct":
            return {
                field.name: self._default(field.schema, value.get(field.name))
                for field in schema.fields
            }
        if schema.type == "array":
            assert schema.items is not None
            return [self._default(schema.items, item) for item in value]
        if schema.type == "map":
            return self._default_map(schema, value)
        if isinstance(value, float):
            text = float_text(value) if schema.type == "float32" else double_text(value)
            return text if text[-1] in "yN" else orjson.Fragment(text)
        return value

    def _default_map(self, schema: Schema, value: Mapping[Any, Any]) -> Any:
        assert schema.keys is not None
        assert schema.items is not None
        keys, items = schema.keys, schema.items
        if has_string_keys(schema, self._dialect):
            return {key: self._default(items, item) for key, item in value.items()}
        return [
            [self._default(keys, key), self._default(items, item)] for key, item in value.items()
        ]

    def _is_valid_default(self, schema: Schema) -> bool:
        """Whether a default may stand in a field: Java's pairs of a map's are no records."""
        is_map = schema.type == "map" and has_string_keys(schema, self._dialect)
        return schema.type != "map" or is_map or not schema.default

    def _name(self, schema: Schema) -> tuple[str, str | None]:
        if schema.name is None:
            self._unnamed += 1
            number = str(self._unnamed) if self._unnamed > 1 else ""
            return f"ConnectDefault{number}", _CONFLUENT
        return _split_name(schema.name, self._dialect)

    def _check_name(self, name: str) -> str:
        return check_name(scrub_name(name) if self._dialect.scrub else name)


def _content(schema: Schema) -> tuple[Any, ...]:
    """Return what a struct holds: the first of a name describes others that differ outside of it.

    Such are columns of one semantic type: their parameters, as of propagated source types, differ.
    """
    own: dict[str, Any] = {"parameters": None, "doc": None, "version": None, "default": None}
    return schema.with_changes(optional=True, **own).parts()


def _split_name(name: str, dialect: AvroDialect) -> tuple[str, str | None]:
    """Return the simple name and the namespace of a schema's name."""
    space, _, simple = name.rpartition(".")
    if not dialect.scrub:
        return check_name(simple), space or None
    space = ".".join(map(scrub_name, space.split("."))) if space else ""
    return check_name(scrub_name(simple)), space or None


def record_name(schema: Schema, dialect: AvroDialect) -> str | None:
    """Return the full name of a record in Avro, None for what is none."""
    if schema.type != "struct" or schema.optional:
        return None
    if schema.name is None:
        return f"{_CONFLUENT}.ConnectDefault"
    simple, space = _split_name(schema.name, dialect)
    return f"{space}.{simple}" if space else simple


def has_string_keys(schema: Schema, dialect: AvroDialect) -> bool:
    """Whether a map is one in Avro, too; any other is an array of pairs."""
    keys = schema.keys
    assert keys is not None
    return keys.type == "string" and (not keys.optional or dialect.optional_map_keys)


def check_name(name: str) -> str:
    """Return a name that Avro allows.

    :raises ConversionError: it does not.
    """
    if not _NAME.fullmatch(name):
        raise ConversionError(
            f"The name '{name}' is illegal in Avro.",
            "Set schema.name.adjustment.mode and field.name.adjustment.mode to avro or "
            "avro_unicode, or scrub.invalid.names=true in the converter.",
        )
    return name


def scrub_name(name: str) -> str:
    """Replace what Avro does not allow in a name."""
    encoded = quote_plus(name, safe="*").replace("~", "%7E")
    if encoded[:1].isdecimal():
        encoded = "x" + encoded
    return _NOT_LETTERS.sub("_", encoded)


def _avro_parameters(schema: Schema) -> dict[str, str]:
    """Return the parameters that become properties of the Avro schema, by their prefix."""
    return {
        name: text for name, text in (schema.parameters or {}).items() if name.startswith("avro")
    }
