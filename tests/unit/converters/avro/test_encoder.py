"""Avro's bytes: those that fastavro writes for the same values, and that it reads back."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.converters.avro.encoder import Encoder, present
from connector.converters.avro.schemas import AvroDialect, AvroSchemaWriter
from connector.data.decimals import unscaled_bytes
from connector.data.java_hashes import hash_map_order
from connector.data.schema import (
    BOOLEAN,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)
from connector.errors import ConversionError
from connector.names import CONNECT_DECIMAL
from tests.fixtures.random_values import ROWS, SCHEMAS, values_of

DIALECTS = st.builds(AvroDialect, metadata=st.booleans())


def with_avro_names(schema: Schema, numbers: Iterator[int]) -> Schema:
    """Give structs and fields names that Avro allows, each once."""
    changes: dict[str, Any] = {}
    if schema.type == "struct":
        changes["name"] = f"space.n{next(numbers)}" if schema.name else None
        changes["fields"] = tuple(
            replace(field, name=f"f{number}", schema=with_avro_names(field.schema, numbers))
            for number, field in enumerate(schema.fields)
        )
    if schema.items is not None:
        changes["items"] = with_avro_names(schema.items, numbers)
    if schema.keys is not None and (schema.keys.type != "string" or schema.keys.optional):
        changes["name"] = f"space.n{next(numbers)}"
    if schema.keys is not None:
        changes["keys"] = with_avro_names(schema.keys, numbers)
    return schema.with_changes(**changes)


def avro_value(schema: Schema, value: Any) -> Any:
    """Return what fastavro takes for a value; defaults stand for nulls."""
    value = schema.default if value is None else value
    if value is None:
        return None
    if schema.name == CONNECT_DECIMAL:
        return unscaled_bytes(value)
    if schema.type == "struct":
        return {
            field.name: avro_value(field.schema, member)
            for field, member in zip(schema.fields, value.values(), strict=True)
        }
    if schema.type == "array":
        assert schema.items is not None
        return [avro_element(schema.items, item) for item in value]
    if schema.type == "map":
        assert schema.keys is not None
        assert schema.items is not None
        pairs = [
            (avro_element(schema.keys, k), avro_element(schema.items, v)) for k, v in value.items()
        ]
        if schema.keys.type == "string" and not schema.keys.optional:
            found = dict(pairs)
            return {key: found[key] for key in hash_map_order(found)}
        return [{"key": key, "value": item} for key, item in pairs]
    return value


def avro_element(schema: Schema, value: Any) -> Any:
    """Return what fastavro takes for a value in an array or map, where a null stays null."""
    return None if value is None else avro_value(schema, value)


def plain(avro: Any) -> Any:
    """Return an Avro schema without logical types: values are those of the types below."""
    if isinstance(avro, list):
        return [plain(part) for part in avro]
    if isinstance(avro, dict):
        return {key: plain(part) for key, part in avro.items() if key != "logicalType"}
    return avro


def fastavro_schema(schema: Schema, dialect: AvroDialect) -> Any:
    return fastavro.parse_schema(plain(json.loads(AvroSchemaWriter(dialect).text(schema))))


def fastavro_bytes(schema: Schema, dialect: AvroDialect, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro_schema(schema, dialect), avro_value(schema, value))
    return out.getvalue()


@st.composite
def cases(draw: st.DrawFn, schemas: st.SearchStrategy[Schema]) -> tuple[Schema, Any]:
    original = draw(schemas)
    value = draw(values_of(original))
    return with_avro_names(original, count()), _rewith_avro_names(original, value)


def _rewith_avro_names(schema: Schema, value: Any) -> Any:
    if value is None:
        return None
    if schema.type == "struct":
        members = zip(schema.fields, value.values(), strict=True)
        return {
            f"f{n}": _rewith_avro_names(field.schema, v) for n, (field, v) in enumerate(members)
        }
    if schema.type == "array":
        assert schema.items is not None
        return [_rewith_avro_names(schema.items, item) for item in value]
    if schema.type == "map":
        assert schema.items is not None
        return {key: _rewith_avro_names(schema.items, item) for key, item in value.items()}
    return value


@given(DIALECTS, cases(SCHEMAS))
def test_a_value_has_the_bytes_of_fastavro(dialect: AvroDialect, case: tuple[Schema, Any]) -> None:
    schema, value = case
    written = Encoder(dialect).value(schema)(value)
    assert written == fastavro_bytes(schema, dialect, value)
    stream = io.BytesIO(written)
    fastavro.schemaless_reader(stream, fastavro_schema(schema, dialect))
    assert stream.tell() == len(written)


@given(DIALECTS, cases(ROWS.map(lambda schema: schema.with_changes(optional=False))), st.data())
def test_a_row_may_be_written_in_parts(
    dialect: AvroDialect, case: tuple[Schema, Any], data: st.DataObject
) -> None:
    schema, value = case
    encoder, row = Encoder(dialect), tuple(value.values())
    whole = encoder.value(schema)(value)
    assert encoder.row(schema)((*row, "more")) == whole
    inner = data.draw(st.lists(st.integers(0, len(row)), max_size=3))
    cuts = [0, *sorted(inner), len(row)]
    assert b"".join(encoder.part(schema, *cut)(row) for cut in pairwise(cuts)) == whole


@pytest.mark.parametrize("number", [0, 63, 64, 8191, 8192, *(1 << n for n in range(63))])
def test_numbers(number: int) -> None:
    encoder = Encoder(AvroDialect())
    for value in (number, number - 1, -number, -number - 1):
        assert encoder.value(INT64)(value) == fastavro_bytes(INT64, AvroDialect(), value)


def test_a_null_becomes_the_default_or_the_branch_of_null() -> None:
    optional = INT32.as_optional()
    default = optional.with_changes(default=5)
    encoder, without = Encoder(AvroDialect()), Encoder(AvroDialect(), defaults=False)
    assert encoder.value(optional)(None) == b"\x00"
    assert encoder.value(default)(None) == b"\x00\x0a"
    assert without.value(default)(None) == b"\x02"
    assert without.value(default)(1) == b"\x00\x02"
    assert (present(optional), present(default), present(INT32)) == (b"\x02", b"\x00", b"")


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INT32, 1 << 31),
        (INT64, 1 << 63),
        (INT16, 1 << 15),
        (INT8, 200),
        (INT32, None),
        (BOOLEAN, None),
        (STRING, None),
        (STRING, "\ud800"),
        (STRING, 5),
        (INT32, "secret"),
    ],
)
def test_an_error_names_the_field_and_no_value(schema: Schema, value: Any) -> None:
    row = struct("server.table.Value", ("first", INT32), ("wrong", schema))
    with pytest.raises(ConversionError, match=r"Field wrong of server\.table\.Value") as caught:
        Encoder(AvroDialect()).row(row)((1, value))
    assert "secret" not in str(caught.value)


_BITS = (6, 7, 12, 13, 14, 26, 27, 28, 40, 41, 42, 54, 55, 56, 63)
_NUMBERS = sorted(
    {sign * (1 << bits) + by for bits in _BITS for sign in (1, -1) for by in (-1, 0, 1)}
)


@pytest.mark.parametrize(("schema", "bits"), [(INT16, 15), (INT32, 31), (INT64, 63)])
@pytest.mark.parametrize("optional", [False, True])
def test_numbers_at_the_bounds_of_their_groups(schema: Schema, bits: int, optional: bool) -> None:
    row = struct("s.V", ("a", schema.with_changes(optional=optional)))
    avro = fastavro.parse_schema(plain(AvroSchemaWriter(AvroDialect()).write(row, None)))
    encode = Encoder(AvroDialect()).row(row)
    for number in _NUMBERS:
        if -(1 << bits) <= number < 1 << bits:
            stream = io.BytesIO()
            fastavro.schemaless_writer(stream, avro, {"a": number})
            assert encode((number,)) == stream.getvalue(), number
        else:
            with pytest.raises(ConversionError, match="does not fit into"):
                encode((number,))


def test_decimals_of_any_size() -> None:
    schema = INT64.with_changes(type="bytes", name=CONNECT_DECIMAL, optional=True)
    row = struct("s.V", ("a", schema))
    encode = Encoder(AvroDialect()).row(row)
    avro = fastavro.parse_schema(plain(AvroSchemaWriter(AvroDialect()).write(row, None)))
    for number in (*_NUMBERS, 10**64, -(10**64), 1 << 8 * 9_000):
        read: Any = fastavro.schemaless_reader(io.BytesIO(encode((number,))), avro)
        assert read["a"] == unscaled_bytes(number)


def test_a_null_in_an_array_or_map_stays_null() -> None:
    number = INT32.with_changes(optional=True, default=7)
    encoder = Encoder(AvroDialect())
    assert encoder.value(array(number))([None, 1]) == bytes.fromhex("04 02 00 02 00")
    assert encoder.value(map_of(STRING, number))({"a": None}) == bytes.fromhex("02 02 61 02 00")
    with pytest.raises(ConversionError, match="null value"):
        encoder.value(array(INT32.with_changes(default=7)))([None])


def test_the_pairs_of_a_map_are_in_the_order_of_a_hash_map() -> None:
    schema = map_of(STRING, INT32)
    encode = Encoder(AvroDialect()).value(schema)
    avro = fastavro.parse_schema(plain(AvroSchemaWriter(AvroDialect()).write(schema, None)))
    for names in (
        ["additional", "connector_name", "table_name", "total_rows_scanned", "status"],
        "kk ll mm nn oo pp a b c d e f g h i j".split(),  # what Java prints for such maps
    ):
        written = encode(dict.fromkeys(sorted(names), 1))
        read: Any = fastavro.schemaless_reader(io.BytesIO(written), avro)
        assert list(read) == names
