"""Random schemas, and random values of a schema, for property tests."""

from __future__ import annotations

import struct as binary
from typing import Any

from hypothesis import strategies as st

from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    Field,
    Schema,
    array,
    map_of,
)
from connector.data.semantic import (
    CONNECT_DATE,
    CONNECT_TIME,
    CONNECT_TIMESTAMP,
    JSON,
    MICRO_TIME,
    ZONED_TIMESTAMP,
    bits,
    decimal,
    enum,
)
from connector.names import CONNECT_DECIMAL

# Characters that converters treat in ways of their own are drawn more often.
TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from('"\\/\b\f\n\r\t\0\x1f\x7f\u2028é€\uffff😀𝄞'),
    ),
    max_size=12,
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
DOUBLES = st.one_of(
    st.floats(),
    st.integers(-(10**20), 10**20).map(float),
    st.integers(-(10**7), 10**7).map(lambda number: number / 1000),
)
FLOATS = st.one_of(
    st.floats(width=32),
    st.integers(-(10**7), 10**7).map(lambda number: to_width_32(number / 100)),
)
_PLAIN = [BOOLEAN, INT8, INT16, INT32, INT64, FLOAT32, FLOAT64, STRING, BYTES]
_NAMED = [CONNECT_DATE, CONNECT_TIME, CONNECT_TIMESTAMP, MICRO_TIME, JSON, ZONED_TIMESTAMP]


def to_width_32(value: float) -> float:
    return float(binary.unpack("<f", binary.pack("<f", value))[0])


_PLAIN_VALUES = {
    "boolean": st.booleans(),
    "int8": st.integers(-(1 << 7), (1 << 7) - 1),
    "int16": st.integers(-(1 << 15), (1 << 15) - 1),
    "int32": st.integers(-(1 << 31), (1 << 31) - 1),
    "int64": st.integers(-(1 << 63), (1 << 63) - 1),
    "float32": FLOATS,
    "float64": DOUBLES,
    "string": TEXT,
    "bytes": st.binary(max_size=12),
}
_NAMED_VALUES: dict[str | None, st.SearchStrategy[Any]] = {
    CONNECT_DECIMAL: st.integers(-(10**40), 10**40) | st.integers(-1000, 1000),
    # from the begin of the Gregorian calendar to the end of the year 9999
    CONNECT_DATE.name: st.integers(-141_427, 2_932_896),
    CONNECT_TIME.name: st.integers(0, 86_399_999),
    CONNECT_TIMESTAMP.name: st.integers(-12_219_292_800_000, 253_402_300_799_999),
}


@st.composite
def values_of(draw: st.DrawFn, schema: Schema) -> Any:
    """Values of a schema."""
    if schema.optional and draw(_SELDOM):
        return None
    if schema.type == "struct":
        return {field.name: draw(values_of(field.schema)) for field in schema.fields}
    if schema.type == "array":
        assert schema.items is not None
        return [draw(values_of(schema.items)) for _ in range(draw(_FEW))]
    if schema.type == "map":
        assert schema.keys is not None
        assert schema.items is not None
        keys = draw(st.lists(_PLAIN_VALUES[schema.keys.type], max_size=3, unique=True))
        return {key: draw(values_of(schema.items)) for key in keys}
    plain = _PLAIN_VALUES[schema.type]
    return draw(plain if schema.name is None else _NAMED_VALUES.get(schema.name, plain))


_FEW = st.integers(0, 3)
_SELDOM = st.integers(0, 3).map(lambda number: number == 3)
_LEAVES = st.one_of(
    st.sampled_from(_PLAIN),
    st.sampled_from(_NAMED),
    st.builds(decimal, st.integers(-3, 30), st.none() | st.integers(1, 65)),
    st.builds(bits, st.integers(1, 64)),
    st.builds(enum, TEXT),
)


@st.composite
def _leaves(draw: st.DrawFn) -> Schema:
    """Schemas without others inside, with everything that a schema can say."""
    schema = draw(_LEAVES)
    if draw(_SELDOM):
        schema = schema.with_changes(doc=draw(TEXT))
    if draw(_SELDOM):
        schema = schema.with_changes(default=draw(values_of(schema)))
    return schema.with_changes(optional=draw(st.booleans()))


@st.composite
def _structs(draw: st.DrawFn, members: st.SearchStrategy[Schema]) -> Schema:
    names = draw(st.lists(NAMES, max_size=5, unique=True))
    fields = tuple(Field(name, draw(members)) for name in names)
    version = draw(st.none() | st.integers(1, 3))
    return Schema("struct", draw(st.booleans()), draw(st.none() | NAMES), version, fields=fields)


def _containers(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    keys = st.sampled_from([STRING, STRING.as_optional(), INT32])
    return st.one_of(
        _structs(inner),
        st.builds(lambda items, optional: array(items, optional=optional), inner, st.booleans()),
        st.builds(
            lambda k, v, optional: map_of(k, v, optional=optional), keys, inner, st.booleans()
        ),
    )


SCHEMAS = st.recursive(_leaves(), _containers, max_leaves=6)
"""Any schema."""
ROWS = _structs(_leaves() | _leaves() | SCHEMAS)
"""Struct schemas as tables have them, now and then with a struct or an array inside."""


@st.composite
def schemas_with_values(draw: st.DrawFn) -> tuple[Schema, Any]:
    schema = draw(SCHEMAS)
    return schema, draw(values_of(schema))
