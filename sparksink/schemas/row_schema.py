"""Connect schemas of messages, from JSON or from Avro.

A `RowSchema` has the columns of one version of a table. Does not need Spark.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from connector.names import SOURCE_TYPE
from sparksink.errors import TableError

Form = Literal["envelope", "row"]
"""Debezium's envelope, or the unwrapped row of ExtractNewRecordState."""

"""Schema parameters with the source's type, from ``column.propagate.source.type``."""


@dataclass(frozen=True, slots=True)
class Column:
    """One field: ``type`` is the Connect type, ``semantic`` the name of its schema.

    ``wire`` is its name in messages if the name in the target differs. ``gone`` columns no longer
    exist at the source. ``source_names`` are the other names that it has had there.
    """

    name: str
    type: str
    semantic: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    default: Any = None
    optional: bool = True
    items: Column | None = None
    fields: tuple[Column, ...] = ()
    wire: str = ""
    gone: bool = False
    source_names: frozenset[str] = frozenset()

    @property
    def source(self) -> str:
        """Its name at the source."""
        return self.wire or self.name


@dataclass(frozen=True, slots=True)
class RowSchema:
    """The columns of a row, in the order of the table."""

    columns: tuple[Column, ...]

    def column(self, name: str) -> Column | None:
        """Return a column by its name."""
        return next((column for column in self.columns if column.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def digest(self) -> str:
        """A short hash of names and types."""
        text = repr([(column.name, column.type, column.semantic) for column in self.columns])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


_AVRO_TYPES: Final = {
    "int": "int32",
    "long": "int64",
    "float": "float",
    "double": "double",
    "boolean": "boolean",
    "string": "string",
    "bytes": "bytes",
    "fixed": "bytes",
    "enum": "string",
}


def from_connect(schema: Mapping[str, Any], name: str = "") -> Column:
    """Parse the schema part of a message of the JSON converter."""
    items = schema.get("items") or schema.get("values")
    return Column(
        name=schema.get("field", name),
        type=schema["type"],
        semantic=schema.get("name") or "",
        parameters=schema.get("parameters") or {},
        default=schema.get("default"),
        optional=bool(schema.get("optional")),
        items=None if items is None else from_connect(items),
        fields=tuple(from_connect(inner) for inner in schema.get("fields") or ()),
    )


def from_avro(schema: Any, name: str = "", known: dict[str, Any] | None = None) -> Column:
    """Parse an Avro schema of Connect's converter.

    :raises TableError: the schema has a union of several types and null.
    """
    known = {} if known is None else known
    kind = _not_null(schema)
    kind = known.get(kind, kind) if isinstance(kind, str) else kind
    details: Mapping[str, Any] = kind if isinstance(kind, dict) else {"type": kind}
    inner = details["type"]
    if isinstance(inner, dict | list):
        return from_avro(inner, name, known)
    if inner == "record":
        known[_full_name(details)] = known[details["name"]] = details
    items = details.get("items", details.get("values"))
    return Column(
        name=name,
        type=details.get("connect.type") or _avro_type(inner),
        semantic=details.get("connect.name") or "",
        parameters=details.get("connect.parameters") or {},
        default=details.get("connect.default"),
        optional=isinstance(schema, list),
        items=None if items is None else from_avro(items, "", known),
        fields=tuple(_avro_field(inner, known) for inner in details.get("fields") or ()),
    )


def _avro_field(given: Mapping[str, Any], known: dict[str, Any]) -> Column:
    found = from_avro(given["type"], given["name"], known)
    if found.default is not None or found.type == "bytes":
        return found
    return replace(found, default=given.get("default"))  # without Connect's own attributes


def _full_name(schema: Mapping[str, Any]) -> str:
    return ".".join(filter(None, (schema.get("namespace"), schema["name"])))


def _not_null(schema: Any) -> Any:
    if not isinstance(schema, list):
        return schema
    kinds = [kind for kind in schema if kind != "null"]
    if len(kinds) != 1:
        raise TableError(f"An Avro union of {len(kinds)} types cannot be a column.")
    return kinds[0]


def _avro_type(inner: str) -> str:
    containers = {"record": "struct", "array": "array", "map": "map"}
    return containers.get(inner) or _AVRO_TYPES[inner]


def plain_avro(schema: Any) -> Any:
    """Return the schema without logical types, so that readers return unconverted values."""
    if isinstance(schema, list):
        return [plain_avro(item) for item in schema]
    if isinstance(schema, dict):
        return {key: plain_avro(item) for key, item in schema.items() if key != "logicalType"}
    return schema


def split_value_schema(value: Column) -> tuple[Form, RowSchema]:
    """Return whether a value's schema is an envelope or a row, and the columns of the row."""
    members = {inner.name: inner for inner in value.fields}
    if {"after", "op", "source"} <= members.keys():
        return "envelope", RowSchema(members["after"].fields)
    return "row", RowSchema(value.fields)


def key_names(key: bytes | None) -> tuple[str, ...]:
    """Return the columns of a JSON key, with a schema or without; empty without a key."""
    try:
        value = json.loads(key or b"null")
    except ValueError:
        return ()
    if not isinstance(value, dict):
        return ()
    if value.keys() == {"schema", "payload"}:
        schema = value["schema"] or {}
        return tuple(inner["field"] for inner in schema.get("fields") or ())
    return tuple(value)


def with_source_types(shape: RowSchema, defined: RowSchema) -> RowSchema:
    """Return the columns of a message with the source's types of the table's definition.

    Without ``column.propagate.source.type`` BIGINT UNSIGNED looks like any other INT64.
    """
    return RowSchema(
        tuple(_with_source_type(one, defined.column(one.name)) for one in shape.columns)
    )


def _with_source_type(column: Column, defined: Column | None) -> Column:
    if defined is None or SOURCE_TYPE in column.parameters:
        return column
    if (defined.type, defined.semantic) != (column.type, column.semantic):
        return column
    return replace(column, parameters={**defined.parameters, **column.parameters})


def filter_names(names: Iterable[str], include: list[str] | None, exclude: list[str]) -> list[str]:
    """Return the names that a table's settings include."""
    included = [name for name in names if include is None or name in include]
    return [name for name in included if name not in exclude]
