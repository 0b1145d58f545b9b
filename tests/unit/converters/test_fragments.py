"""What is put together from fragments equals what is written as a whole, byte for byte."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.converters.json import JsonConverter
from connector.data.fragments import Fragments
from connector.data.schema import INT32, Schema, struct
from tests.fixtures.random_values import ROWS, SCHEMAS, TEXT, values_of

CONVERTERS = st.builds(
    lambda schemas_enabled, decimals, defaults: JsonConverter(
        {
            "schemas.enable": schemas_enabled,
            "decimal.format": decimals,
            "replace.null.with.default": defaults,
        }
    ),
    st.sampled_from(["true", "false"]),
    st.sampled_from(["BASE64", "NUMERIC"]),
    st.sampled_from(["true", "false"]),
)


@st.composite
def structs_with_values(draw: st.DrawFn) -> tuple[Schema, dict[str, Any]]:
    schema = draw(ROWS).with_changes(optional=False)
    return schema, draw(values_of(schema))


def _framed(converter: Fragments, schema: Schema, payload: bytes) -> bytes:
    before, after = converter.frame(schema, "t")
    return before + payload + after


@given(CONVERTERS, structs_with_values(), st.lists(st.integers(), max_size=2))
def test_a_row_is_the_struct_of_its_first_values(
    converter: JsonConverter, case: tuple[Schema, dict[str, Any]], more: list[int]
) -> None:
    schema, value = case
    row = (*value.values(), *more)
    framed = _framed(converter, schema, converter.row(schema)(row))
    assert framed == converter.from_connect("t", schema, value)


@pytest.mark.parametrize("count", [255, 256, 300, 4096])
def test_a_row_has_as_many_columns_as_a_table_may_have(count: int) -> None:
    schema = struct("v", *((f"c{number}", INT32) for number in range(count)))
    value = {f"c{number}": number for number in range(count)}
    converter = JsonConverter({"schemas.enable": "false"})
    for more in ((), (7,)):
        row = (*value.values(), *more)
        assert converter.row(schema)(row) == converter.from_connect("t", schema, value)


@given(CONVERTERS, structs_with_values(), st.data())
def test_a_struct_may_be_written_in_parts(
    converter: JsonConverter, case: tuple[Schema, dict[str, Any]], data: st.DataObject
) -> None:
    schema, value = case
    count = len(schema.fields)
    inner = data.draw(st.lists(st.integers(0, count), max_size=4))
    cuts = [0, *sorted(inner), count]
    row = tuple(value.values())
    parts = [converter.part(schema, start, stop)(row) for start, stop in pairwise(cuts)]
    opening = b"" if count else b"{"
    framed = _framed(converter, schema, opening + b"".join(parts) + converter.close(schema))
    assert framed == converter.from_connect("t", schema, value)


@given(CONVERTERS, structs_with_values())
def test_a_struct_may_be_written_field_by_field(
    converter: JsonConverter, case: tuple[Schema, dict[str, Any]]
) -> None:
    inner, value = case
    optional = inner.with_changes(optional=True)
    outer = struct("outer", ("a\x1fé😀", optional), ("b", optional))
    written = (
        converter.label(outer, 0)
        + converter.present(optional)
        + converter.row(optional)(tuple(value.values()))
        + converter.label(outer, 1)
        + converter.null(optional)
        + converter.close(outer)
    )
    whole = converter.from_connect("t", outer, {"a\x1fé😀": value, "b": None})
    assert _framed(converter, outer, written) == whole


@given(CONVERTERS, SCHEMAS.map(lambda schema: schema.with_changes(optional=True)))
def test_an_absent_value_is_written_alone_as_it_is_inside(
    converter: JsonConverter, schema: Schema
) -> None:
    outer = struct("outer", ("a", schema))
    written = converter.label(outer, 0) + converter.null(schema) + converter.close(outer)
    whole = converter.from_connect("t", outer, {"a": None})
    assert _framed(converter, outer, written) == whole


@pytest.mark.parametrize("count", [0, 1, 40])
def test_names_are_no_part_of_the_compiled_source(count: int) -> None:
    hostile = [f"v[0], __import__('os'){{}}'%d%\"\\{number}" for number in range(count)]
    schema = struct(None, *((name, _INT) for name in hostile))
    row = tuple(range(count))
    converter = JsonConverter()
    framed = _framed(converter, schema, converter.row(schema)(row))
    assert framed == converter.from_connect("t", schema, dict(zip(hostile, row, strict=True)))


_INT = Schema("int32")


@given(TEXT)
def test_a_compiled_string_is_the_plain_one(text: str) -> None:
    schema = struct(None, ("s", Schema("string")))
    converter = JsonConverter({"schemas.enable": "false"})
    assert converter.row(schema)((text,)) == converter.from_connect("t", schema, {"s": text})
