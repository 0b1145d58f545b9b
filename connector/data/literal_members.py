"""Lists and maps in literals: the common type of their members (Connect's ``SchemaMerger``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, Final

from connector.data.java import to_float32
from connector.data.schema import Schema, array, map_of

Member = tuple[Schema | None, Any]

_NUMBERS: Final = ("int8", "int16", "int32", "int64", "float32", "float64")


class LiteralError(Exception):
    """A text is no literal of a list or a map."""


def list_member(members: Sequence[Member]) -> Member:
    """Return a list.

    :raises LiteralError: a member is null, and others are not.
    :raises ValueError: the members have no common type.
    """
    schema = _common(members)
    return array(schema), [_converted(value, schema) for _, value in members]


def map_member(pairs: Sequence[tuple[Member, Member]]) -> Member:
    """Return a map; raises as `list_member` does."""
    keys, values = _common([key for key, _ in pairs]), _common([value for _, value in pairs])
    if keys.type in ("array", "map"):
        raise _unsupported()
    found = {_converted(key, keys): _converted(value, values) for (_, key), (_, value) in pairs}
    return map_of(keys, values), found


def _common(members: Iterable[Member]) -> Schema:
    schemas = [schema for schema, _ in members if schema is not None]
    if not schemas:
        raise _unsupported()
    return reduce(_merged, schemas)


def _merged(one: Schema, other: Schema) -> Schema:
    if one.same_as(other):
        return other
    plain = one.name is None and other.name is None
    if plain and one.type in _NUMBERS and other.type in _NUMBERS:
        return max(one, other, key=lambda schema: _NUMBERS.index(schema.type))
    raise _unsupported()


def _converted(value: Any, schema: Schema) -> Any:
    if value is None:
        raise LiteralError
    if schema.type == "float32":
        return to_float32(float(value))
    return float(value) if schema.type == "float64" else value


def _unsupported() -> ValueError:
    return ValueError("lists and maps whose members have no common type are not supported")
