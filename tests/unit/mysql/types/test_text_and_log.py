"""A value is the same from a snapshot and from the log, in every mode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from connector.capture.columns import ColumnCodec
from connector.data.schema import Schema
from connector.errors import ConversionError, SchemaMismatchError
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.fields_as_bytes import bitmap
from tests.unit.mysql.binlog.images import codec_for
from tests.unit.mysql.binlog.kind import Kind
from tests.unit.mysql.binlog.kinds import KINDS
from tests.unit.mysql.binlog.kinds_of_times import DATE, DATETIMES, TIMESTAMPS

MODES = st.builds(
    TypeOptions,
    time_precision=st.sampled_from(
        ["adaptive_time_microseconds", "connect", "isostring", "microseconds", "nanoseconds"]
    ),
    decimal=st.sampled_from(["precise", "double", "string"]),
    unsigned_bigint=st.sampled_from(["long", "precise"]),
    binary=st.sampled_from(["bytes", "base64", "base64-url-safe", "hex"]),
    adjust_years=st.booleans(),
    exact=st.booleans(),
)


def codec(kind: Kind, options: TypeOptions, *, optional: bool = True) -> ColumnCodec:
    return codec_for(replace(kind.column, optional=optional), options)


def from_text(column: ColumnCodec, data: bytes) -> Any:
    return column.from_text.then(column.after).function()(data)


def from_log(column: ColumnCodec, kind: Kind, data: bytes) -> Any:
    field = column.from_log(kind.wire)
    raw, end = field.read(b"before" + data, 6)
    assert end == 6 + len(data)
    return field.convert.then(column.after).function()(raw)


@pytest.mark.parametrize("kind", KINDS, ids=repr)
@settings(max_examples=25)
@given(data=st.data(), options=MODES, optional=st.booleans())
def test_snapshot_and_log_give_the_same(
    kind: Kind, data: st.DataObject, options: TypeOptions, optional: bool
) -> None:
    value = data.draw(kind.values)
    # in the year zero Debezium's two ways differ: see test_dates
    assume(options.exact or kind not in (DATE, *DATETIMES) or value[0])
    column = codec(kind, options, optional=optional)
    try:
        streamed = from_log(column, kind, kind.encode(value))
    except ConversionError:  # the mode has no form for it, nor is it null
        assert not optional
        with pytest.raises(ConversionError, match="cannot be written"):
            from_text(column, kind.text(value))
        return
    read = from_text(column, kind.text(value))
    if kind in TIMESTAMPS and not options.exact:  # only the log has zeros at the end
        streamed, read = _short(streamed), _short(read)
    assert repr(read) == repr(streamed)
    assert fits(column.schema, streamed)


def _short(text: str | None) -> str | None:
    if text is None or "." not in text:
        return text
    return text.removesuffix("Z").rstrip("0").rstrip(".") + "Z"


_TYPES: dict[str, tuple[type, ...]] = {
    "boolean": (bool,),
    "string": (str,),
    "bytes": (bytes, int),  # a Decimal is its unscaled number
    "array": (list,),
    "struct": (dict,),
    "float32": (float,),
    "float64": (float,),
}


def fits(schema: Schema, value: Any) -> bool:
    """Whether a value is one of its schema."""
    if value is None:
        return schema.optional
    if schema.type.startswith("int"):
        bits = int(schema.type[3:]) - 1
        return type(value) is int and -(1 << bits) <= value < 1 << bits
    return isinstance(value, _TYPES[schema.type])


@pytest.mark.parametrize("kind", KINDS, ids=repr)
@pytest.mark.parametrize("flavor", ["mysql", "mariadb"])
def test_a_column_without_null_has_a_stand_in_of_its_schema(kind: Kind, flavor: Any) -> None:
    for precision in ("connect", "isostring", "microseconds", "nanoseconds"):
        for decimals in ("precise", "double", "string"):
            options = TypeOptions(precision, decimals, binary="hex", flavor=flavor)
            column = codec(kind, options, optional=False)
            assert column.absent is not None
            assert fits(column.schema, column.absent)
            assert codec(kind, options).absent is None


@pytest.mark.parametrize("kind", KINDS, ids=repr)
def test_a_column_of_another_wire_type_is_refused(kind: Kind) -> None:
    """Every kind is distinguished from those that have another type in the log."""
    column = codec(kind, TypeOptions())
    strange = [other for other in KINDS if _group(other) != _group(kind)]
    assert strange
    for other in strange:
        with pytest.raises(SchemaMismatchError, match="its definition was changed"):
            column.from_log(other.wire)


_BYTE_STRINGS = {15, 252, 255, 242, 245}


def _group(kind: Kind) -> int:
    """All types of bytes behind their length are one group, as are the integers."""
    if kind.type in _BYTE_STRINGS or (kind.type == 254 and kind.meta[0] not in (247, 248)):
        return 15
    if kind.type == 254:
        return kind.meta[0]
    return {1: 3, 2: 3, 9: 3, 8: 3, 4: 5}.get(kind.type, kind.type)


def test_the_bitmap_of_the_tests_is_that_of_the_log() -> None:
    assert bitmap([True, False, True]) == b"\x05"
