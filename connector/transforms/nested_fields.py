"""Adds fields to structs by paths such as ``source.region``, as Debezium does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from connector.data.schema import Field, Schema, struct
from connector.errors import TransformError
from connector.transforms.field_checks import check_of
from connector.transforms.part import Values, struct_like, value_or_default

ROOT = "payload"


class NestedValue(NamedTuple):
    """A value to add, its schema and where."""

    path: str
    schema: Schema | None
    value: Any

    @property
    def steps(self) -> list[str]:
        """The names that the path consists of."""
        return self.path.split(".")


def schema_with(
    schema: Schema, entries: Sequence[NestedValue], name: str = ROOT, level: int = 0
) -> Schema:
    """Return the schema with the new fields."""
    nested = [entry for entry in entries if "." in entry.path]
    fields = [
        Field(field.name, schema_with(_struct(field, nested), entries, field.name, level + 1))
        if _leads_into(field.name, nested)
        else field
        for field in schema.fields
    ]
    for entry in entries:
        added = _name_at(entry, name, level)
        if added is not None and all(field.name != added for field in fields):
            if entry.schema is None:
                raise TransformError(f"The header for {entry.path} has no schema.")
            fields.append(Field(added, entry.schema))
    fields += (
        Field(parent, _parent(parent, nested, level))
        for parent in _parents(schema, nested, name, level)
    )
    return struct_like(schema, fields)


def values_with(
    schema: Schema,
    values: Values,
    new: Schema,
    entries: Sequence[NestedValue],
    name: str = ROOT,
    level: int = 0,
) -> Values:
    """Return the values with those added, for a schema that `schema_with` made."""
    nested = [entry for entry in entries if "." in entry.path]
    updated: Values = {}
    for field in schema.fields:
        value = value_or_default(field.schema, values.get(field.name))
        if value is not None and _leads_into(field.name, nested):
            inner = new.field(field.name)
            assert inner is not None
            value = values_with(field.schema, value, inner.schema, entries, field.name, level + 1)
        if value is not None:
            updated[field.name] = value
    for entry in entries:
        added = _name_at(entry, name, level)
        if added is not None:
            updated[added] = _fitting(entry, new.field(added), added)
    for parent in _parents(schema, nested, name, level):
        if new.field(parent) is not None:
            updated[parent] = {
                entry.steps[1]: entry.value for entry in _members(parent, nested, level)
            }
    return updated


def _fitting(entry: NestedValue, field: Field | None, name: str) -> Any:
    """Return the value of an entry; a field that existed before may have another type."""
    if field is None:
        raise TransformError(f"{name} is not a valid field name")
    if entry.schema is None or entry.schema is field.schema:
        return entry.value
    return check_of(entry.schema, field)(entry.value)


def _struct(field: Field, nested: Sequence[NestedValue]) -> Schema:
    if field.schema.type in ("struct", "array", "map"):
        return field.schema
    path = next(entry.path for entry in nested if f"{field.name}." in entry.path)
    raise TransformError(
        f"Field '{field.name}' is a primitive type, not a struct. Cannot add nested field '{path}'."
    )


def _leads_into(name: str, nested: Sequence[NestedValue]) -> bool:
    return any(f"{name}." in entry.path for entry in nested)


def _name_at(entry: NestedValue, name: str, level: int) -> str | None:
    """Return the name that an entry adds to the struct of that name and level."""
    steps = entry.steps
    if len(steps) == 1 and name == ROOT:
        return steps[0]
    if len(steps) == level + 1 and steps[max(level - 1, 0)] == name:
        return steps[level]
    return None


def _parents(schema: Schema, nested: Sequence[NestedValue], name: str, level: int) -> list[str]:
    """Return the structs that have to be made in the struct of that name and level."""
    there = {field.name for field in schema.fields}
    below = [
        entry.steps[level]
        for entry in nested
        if len(entry.steps) > level + 1
        and (name == ROOT if level == 0 else entry.steps[level - 1] == name)
    ]
    return [parent for parent in dict.fromkeys(below) if parent not in there]


def _members(parent: str, nested: Sequence[NestedValue], level: int) -> list[NestedValue]:
    """Return what a new struct holds: as in Debezium nothing, unless it is at the top."""
    return [] if level else [entry for entry in nested if entry.steps[0] == parent]


def _parent(parent: str, nested: Sequence[NestedValue], level: int) -> Schema:
    members = [
        (entry.steps[1], entry.schema)
        for entry in _members(parent, nested, level)
        if entry.schema is not None
    ]
    return struct(None, *members, optional=True)
