"""Connect schemas: what a value is, independent of how it is written to bytes.

Values of a schema, as used everywhere in Millrace:

=============== =====================================================================
type            Python value
=============== =====================================================================
int8 … int64    int
float32/float64 float (a float32 value is one that survives the round trip to 32 bits)
boolean         bool
string          str
bytes           bytes
array / map     list / dict
struct          dict from field name to value
Decimal         the *unscaled* int; the scale stands in the schema's parameters
Date/Time/…     the int of the underlying type (days, milliseconds …)
=============== =====================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

Type = Literal[
    "boolean",
    "int8",
    "int16",
    "int32",
    "int64",
    "float32",
    "float64",
    "string",
    "bytes",
    "array",
    "map",
    "struct",
]


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """One Connect schema. Compared by identity; build each of them once and keep it."""

    type: Type
    optional: bool = False
    name: str | None = None
    version: int | None = None
    doc: str | None = None
    parameters: Mapping[str, str] | None = None
    default: Any = None
    fields: tuple[Field, ...] = ()
    keys: Schema | None = None
    items: Schema | None = None

    def with_changes(self, **changes: Any) -> Self:
        """Return a copy with some attributes changed."""
        return replace(self, **changes)

    def as_optional(self) -> Schema:
        """Return the optional variant of this schema."""
        return self if self.optional else replace(self, optional=True)

    def field(self, name: str) -> Field | None:
        """Return the field of that name, None when there is none."""
        return next((field for field in self.fields if field.name == name), None)

    def same_as(self, other: Schema | None) -> bool:
        """Compare by content: equal schemas give equal bytes."""
        if self is other:
            return True
        return other is not None and self.parts() == other.parts()

    def parts(self) -> tuple[Any, ...]:
        """Return the content: equal for equal schemas, and hashable."""
        return _parts(self)


@dataclass(frozen=True, slots=True)
class Field:
    """A named member of a struct schema."""

    name: str
    schema: Schema


def _parts(schema: Schema) -> tuple[Any, ...]:
    return (
        schema.type,
        schema.optional,
        schema.name,
        schema.version,
        schema.doc,
        tuple((schema.parameters or {}).items()),
        _frozen(schema.default),
        tuple((field.name, *_parts(field.schema)) for field in schema.fields),
        _parts(schema.keys) if schema.keys else None,
        _parts(schema.items) if schema.items else None,
    )


def _frozen(value: Any) -> Any:
    """Return a default as something hashable: those of arrays, maps and structs are none."""
    if isinstance(value, Mapping):
        return tuple((name, _frozen(member)) for name, member in value.items())
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


BOOLEAN = Schema("boolean")
INT8 = Schema("int8")
INT16 = Schema("int16")
INT32 = Schema("int32")
INT64 = Schema("int64")
FLOAT32 = Schema("float32")
FLOAT64 = Schema("float64")
STRING = Schema("string")
BYTES = Schema("bytes")
OPTIONAL_INT32 = INT32.as_optional()
OPTIONAL_INT64 = INT64.as_optional()
OPTIONAL_STRING = STRING.as_optional()
OPTIONAL_BOOLEAN = BOOLEAN.as_optional()


def struct(
    name: str | None,
    *fields: tuple[str, Schema],
    version: int | None = None,
    optional: bool = False,
    doc: str | None = None,
) -> Schema:
    """Build a struct schema from ``(field name, schema)`` pairs, in order."""
    members = tuple(Field(field, schema) for field, schema in fields)
    return Schema("struct", optional, name, version, doc, fields=members)


def array(items: Schema, *, optional: bool = False, name: str | None = None) -> Schema:
    """Build an array schema."""
    return Schema("array", optional, name, items=items)


def map_of(keys: Schema, values: Schema, *, optional: bool = False) -> Schema:
    """Build a map schema; ``items`` of the result are the values' schema."""
    return Schema("map", optional, keys=keys, items=values)


def walk(schema: Schema) -> Iterator[Schema]:
    """Yield the schema and every schema inside it."""
    yield schema
    for field in schema.fields:
        yield from walk(field.schema)
    for inner in (schema.keys, schema.items):
        if inner is not None:
            yield from walk(inner)
