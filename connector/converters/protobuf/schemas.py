"""Connect schemas as Protobuf files, as Confluent's ProtobufData builds them.

A struct is a message, its fields are numbered from 1 on. Structs in it are messages in the message,
each described where it first appears. A single value is a wrapper of Google's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from connector.converters.protobuf import known_files as known
from connector.converters.protobuf.files import ProtoField, ProtoFile, ProtoMessage, file_text
from connector.converters.protobuf.names import (
    camel_case,
    check_name,
    check_unique,
    checked_package,
    is_hidden,
    scrub_name,
)
from connector.data.java_hashes import hash_map_order
from connector.data.schema import Schema
from connector.data.semantic import (
    CONNECT_DATE,
    CONNECT_TIME,
    CONNECT_TIMESTAMP,
)
from connector.errors import ConversionError
from connector.names import CONNECT_DECIMAL

_TYPES: Final = {
    "int8": "int32",
    "int16": "int32",
    "int32": "int32",
    "int64": "int64",
    "float32": "float",
    "float64": "double",
    "boolean": "bool",
    "string": "string",
    "bytes": "bytes",
}
_WRAPPERS: Final = {kind: name for name, kind in known.WRAPPER_TYPES.items()}
LOGICAL: Final = {
    CONNECT_DECIMAL: ("confluent.type.Decimal", known.DECIMAL),
    CONNECT_DATE.name: ("google.type.Date", known.DATE),
    CONNECT_TIME.name: ("google.type.TimeOfDay", known.TIME),
    CONNECT_TIMESTAMP.name: ("google.protobuf.Timestamp", known.TIMESTAMP),
}
_NARROW: Final = frozenset(["int8", "int16"])
_UNIONS: Final = ("io.confluent.connect.protobuf.", "org.apache.kafka.connect.data.Enum")
_UNION: Final = "org.apache.kafka.connect.data.Union"


@dataclass(frozen=True, slots=True)
class ProtobufDialect:
    """How nulls are written: ``optional`` labels, or ``wrappers`` around single values."""

    optional: bool = False
    wrappers: bool = False
    scrub: bool = False

    def is_wrapped(self, schema: Schema) -> bool:
        """Whether a single value stands in a wrapper."""
        return self.wrappers and schema.optional and schema.type in _TYPES and not logical(schema)


def logical(schema: Schema) -> bool:
    """Whether a value has a message of its own: a decimal, a date or a time of Connect's."""
    return schema.name in LOGICAL


def proto_file(schema: Schema, dialect: ProtobufDialect) -> ProtoFile:
    """Return the file of a schema.

    :raises ConversionError: Protobuf cannot describe it.
    """
    if schema.type == "struct":
        return _FileWriter(dialect).file(schema)
    if schema.type not in _TYPES or logical(schema):
        raise ConversionError(
            f"A single value of type {schema.name or schema.type} cannot be written as Protobuf.",
            "Keep the struct that it is a field of, or use another converter.",
        )
    name = f"google.protobuf.{_WRAPPERS[_TYPES[schema.type]]}"
    return ProtoFile(name, known.FILES[known.WRAPPERS])


class _Nested:
    """The messages in a message; ``around`` are the names of those around them.

    ``unnamed`` holds how many schemas without a name were counted before each of them.
    """

    def __init__(self, name: str, around: tuple[str, ...]) -> None:
        self.around = (*around, name)
        self.messages: dict[str, ProtoMessage] = {}
        self.unnamed: dict[str, int] = {}


class _FileWriter:
    """Builds the file of one schema."""

    def __init__(self, dialect: ProtobufDialect) -> None:
        self._dialect = dialect
        self._imports: dict[str, None] = {}
        self._package = ""
        self._unnamed = 0

    def file(self, schema: Schema) -> ProtoFile:
        names = self._name(schema).split(".")
        if self._dialect.scrub:
            names = [scrub_name(name) for name in names]
        self._package = checked_package(".".join(names[:-1]))
        message = self._message(names[-1], schema, ())
        imports = tuple(self._imports)
        full = f"{self._package}.{message.name}" if self._package else message.name
        return ProtoFile(full, file_text(self._package, imports, message), imports)

    def _message(self, name: str, schema: Schema, around: tuple[str, ...]) -> ProtoMessage:
        _refuse_union(schema)
        members = [(self._scrub_name(field.name), field.schema) for field in schema.fields]
        return self._with_members(name, members, around)

    def _with_members(
        self, name: str, members: Iterable[tuple[str, Schema]], around: tuple[str, ...]
    ) -> ProtoMessage:
        nested = _Nested(check_name(name), around)
        fields = tuple(
            self._field(number, member, schema, nested)
            for number, (member, schema) in enumerate(members, 1)
        )
        check_unique(name, [*nested.messages, *(field.name for field in fields)])
        return ProtoMessage(name, fields, tuple(nested.messages.values()))

    def _field(self, number: int, name: str, schema: Schema, nested: _Nested) -> ProtoField:
        _refuse_union(schema)
        label = _label(schema, self._dialect)
        if schema.type == "array":
            assert schema.items is not None
            schema = schema.items
            if schema.type in ("array", "map"):
                raise ConversionError(f"Protobuf allows no {schema.type} in an array ({name}).")
            _refuse_union(schema)
        parameters = _parameters(schema)
        if schema.type in ("struct", "map"):
            kind = self._nested(name, schema, nested)
        else:
            kind = self._single(schema, nested.around)
        return ProtoField(number, check_name(name), kind, label, parameters)

    def _nested(self, field: str, schema: Schema, nested: _Nested) -> str:
        """Return the name of a struct or of a map's pairs, which is then described."""
        name = self._scrub_name(self._name(schema).rpartition(".")[2])
        if schema.type == "struct":
            name = f"{name}Message" if name == field else name
        else:
            name = f"{camel_case(name)}Entry"
        unnamed = self._unnamed
        self._unnamed = nested.unnamed.setdefault(name, unnamed)
        message = self._described(name, schema, nested.around)
        if name in nested.messages:
            self._unnamed = unnamed
        if nested.messages.setdefault(name, message) != message or name == nested.around[-1]:
            raise ConversionError(
                f"The Protobuf message {name} stands for two different schemas "
                f"in {nested.around[-1]}.",
                "Give one of them another name, for example with SetSchemaMetadata.",
            )
        return name

    def _described(self, name: str, schema: Schema, around: tuple[str, ...]) -> ProtoMessage:
        if schema.type == "struct":
            return self._message(name, schema, around)
        assert schema.keys is not None
        assert schema.items is not None
        pair = self._with_members(name, (("key", schema.keys), ("value", schema.items)), around)
        fields = (
            replace(field, label="") if field.label == "optional" else field
            for field in pair.fields
        )
        return replace(pair, fields=tuple(fields))

    def _single(self, schema: Schema, around: tuple[str, ...]) -> str:
        """Return the type of a value that is neither struct nor map."""
        if schema.name in LOGICAL:
            name, source = LOGICAL[schema.name]
        elif self._dialect.is_wrapped(schema):
            name, source = f"google.protobuf.{_WRAPPERS[_TYPES[schema.type]]}", known.WRAPPERS
        else:
            return _TYPES[schema.type]
        self._imports[source] = None
        return f".{name}" if is_hidden(name, self._package, around) else name

    def _name(self, schema: Schema) -> str:
        if schema.name:
            return schema.name
        self._unnamed += 1
        return f"ConnectDefault{self._unnamed}"

    def _scrub_name(self, name: str) -> str:
        return scrub_name(name) if self._dialect.scrub else name


def _label(schema: Schema, dialect: ProtobufDialect) -> str:
    if schema.type in ("array", "map"):
        return "repeated"
    return "optional" if dialect.optional and schema.optional else ""


def _parameters(schema: Schema) -> tuple[tuple[str, str], ...]:
    """Return what Confluent's option of a field says of its Connect schema."""
    if schema.name == CONNECT_DECIMAL:
        given: Any = schema.parameters or {}
        names = {"precision": "connect.decimal.precision", "scale": "scale"}
        found = {name: given[source] for name, source in names.items() if source in given}
        return tuple((name, found[name]) for name in hash_map_order(found))
    if schema.type in _NARROW and not logical(schema):
        return (("connect.type", schema.type),)
    return ()


def _refuse_union(schema: Schema) -> None:
    """Refuse what other converters make of Protobuf's unions and enumerations."""
    marks = [schema.name or "", *(schema.parameters or ())]
    if any(mark.startswith(_UNIONS) or mark == _UNION for mark in marks):
        raise ConversionError(
            "Unions and enumerations of other converters cannot be written as Protobuf.",
            "Rename the schema, or remove its parameters, with a transform.",
        )
