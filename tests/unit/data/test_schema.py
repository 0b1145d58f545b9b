"""Schemas: variants, comparison by content, what is inside."""

from __future__ import annotations

import pytest
from hypothesis import given

from connector.data.schema import (
    BYTES,
    INT32,
    INT64,
    STRING,
    Field,
    Schema,
    array,
    map_of,
    struct,
    walk,
)
from tests.fixtures.random_values import SCHEMAS


def _copy(schema: Schema) -> Schema:
    """Build an equal schema that shares nothing with the first."""
    return schema.with_changes(
        parameters=None if schema.parameters is None else dict(schema.parameters),
        fields=tuple(Field(field.name, _copy(field.schema)) for field in schema.fields),
        keys=None if schema.keys is None else _copy(schema.keys),
        items=None if schema.items is None else _copy(schema.items),
    )


@given(SCHEMAS)
def test_a_schema_is_the_same_as_one_built_alike(schema: Schema) -> None:
    assert schema.same_as(_copy(schema))
    assert schema != _copy(schema)  # but another object: caches know a schema by identity


@pytest.mark.parametrize(
    "other",
    [
        struct("s", ("a", INT32), ("b", STRING), version=1),
        struct("t", ("a", INT32), ("b", STRING)),
        struct("s", ("a", INT32)),
        struct("s", ("b", INT32), ("a", STRING)),
        struct("s", ("a", INT64), ("b", STRING)),
        struct("s", ("a", INT32.as_optional()), ("b", STRING)),
        struct("s", ("a", INT32.with_changes(default=1)), ("b", STRING)),
        struct("s", ("a", INT32.with_changes(doc="d")), ("b", STRING)),
        struct("s", ("a", INT32.with_changes(parameters={"p": "1"})), ("b", STRING)),
        struct("s", ("a", INT32), ("b", STRING), optional=True),
        None,
    ],
)
def test_a_schema_differs_from_one_with_any_other_part(other: Schema | None) -> None:
    assert not struct("s", ("a", INT32), ("b", STRING)).same_as(other)


def test_containers_of_other_members_differ() -> None:
    assert not array(INT32).same_as(array(INT64))
    assert not map_of(STRING, INT32).same_as(map_of(INT32, INT32))
    assert not map_of(STRING, INT32).same_as(map_of(STRING, INT64))


def test_the_optional_variant_of_an_optional_schema_is_itself() -> None:
    optional = BYTES.as_optional()
    assert optional.optional
    assert not BYTES.optional
    assert optional.as_optional() is optional


def test_a_field_is_found_by_its_exact_name() -> None:
    schema = struct("s", ("a", INT32), ("A", STRING))
    assert [schema.field(name) for name in ("a", "A", "b")] == [*schema.fields, None]


def test_walking_meets_a_schema_before_what_is_inside() -> None:
    inner = struct("inner", ("x", INT64))
    outer = struct("outer", ("list", array(inner)), ("map", map_of(STRING, BYTES)))
    kinds = [schema.name or schema.type for schema in walk(outer)]
    assert kinds == ["outer", "array", "inner", "int64", "map", "string", "bytes"]
