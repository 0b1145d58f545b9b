"""Messages equal those of Protobuf's library, and missing values are what its readers see."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connector.converters.protobuf.encoder import MessageEncoder
from connector.converters.protobuf.schemas import ProtobufDialect, proto_file
from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    OPTIONAL_STRING,
    STRING,
    Schema,
    array,
    map_of,
    struct,
)
from connector.data.semantic import (
    CONNECT_DATE,
    CONNECT_TIME,
    CONNECT_TIMESTAMP,
    decimal,
)
from connector.errors import ConversionError
from tests.fixtures.protobuf_files import fill, message_class
from tests.fixtures.random_values import values_of

_SINGLE = (BOOLEAN, INT8, INT16, INT32, INT64, FLOAT32, FLOAT64, STRING, BYTES)
_NAMED = (decimal(3, 20), decimal(0, 9), CONNECT_DATE, CONNECT_TIME, CONNECT_TIMESTAMP)
_INNER = struct("a.Inner", *((f"i{n}", s.as_optional()) for n, s in enumerate(_SINGLE + _NAMED)))
_EMPTY = struct("a.Empty")
_KINDS = (*_SINGLE, *_NAMED, _INNER, _EMPTY)
_FIELDS = (
    *_KINDS,
    *(kind.as_optional() for kind in _KINDS),
    *(array(kind) for kind in (BOOLEAN, INT16, INT64, FLOAT32, STRING, BYTES, decimal(2), _INNER)),
    *(map_of(STRING, kind) for kind in (BOOLEAN, FLOAT64, CONNECT_DATE, _EMPTY)),
    map_of(INT32.as_optional(), map_of(STRING, array(INT64))),
    INT32.with_changes(optional=True, default=5),
    STRING.with_changes(default=""),
    FLOAT64.with_changes(optional=True, default=-0.0),
    decimal(2).with_changes(optional=True, default=150),
)
_ROW = struct("a.b.Value", *((f"f{number}", kind) for number, kind in enumerate(_FIELDS)))
_DIALECTS = (
    ProtobufDialect(),
    ProtobufDialect(optional=True),
    ProtobufDialect(wrappers=True),
    ProtobufDialect(optional=True, wrappers=True),
)
_CLASSES: dict[ProtobufDialect, Any] = {}


def _class(dialect: ProtobufDialect) -> Any:
    """Return the library's class for the row; it is compiled once."""
    if dialect not in _CLASSES:
        file = proto_file(_ROW, dialect)
        _CLASSES[dialect] = message_class(file.text, file.name)
    return _CLASSES[dialect]


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """Return a row in which some values are null, even of fields that do not allow it."""
    value: dict[str, Any] = draw(values_of(_ROW))
    missing = draw(st.sets(st.sampled_from(sorted(value))))
    return {name: None if name in missing else found for name, found in value.items()}


@settings(max_examples=60, deadline=None)
@given(rows(), st.sampled_from(_DIALECTS))
def test_messages_equal_those_of_the_library(
    value: dict[str, Any], dialect: ProtobufDialect
) -> None:
    expected = fill(_class(dialect)(), _ROW, value).SerializeToString()
    assert MessageEncoder(dialect).value(_ROW)(value) == expected


@settings(max_examples=20, deadline=None)
@given(rows(), st.sampled_from(_DIALECTS), st.lists(st.integers(0, len(_FIELDS)), max_size=4))
def test_a_message_may_be_written_in_parts(
    value: dict[str, Any], dialect: ProtobufDialect, inner: list[int]
) -> None:
    encoder, row = MessageEncoder(dialect), tuple(value.values())
    cuts = [0, *sorted(inner), len(_FIELDS)]
    parts = [encoder.part(_ROW, start, stop)(row) for start, stop in pairwise(cuts)]
    assert b"".join(parts) == encoder.row(_ROW)((*row, 7)) == encoder.value(_ROW)(value)


@pytest.mark.parametrize("dialect", _DIALECTS, ids=str)
@pytest.mark.parametrize(
    "value",
    [0, 1, 127, 128, 16383, 16384, (1 << 28) - 1, 1 << 28, (1 << 31) - 1, -1, -(1 << 31)],
)
def test_numbers_of_each_length(dialect: ProtobufDialect, value: int) -> None:
    fields = [(f"f{n}", INT32.as_optional() if n % 2 else INT64) for n in range(40)]
    schema = struct("V", *fields)
    row = dict.fromkeys(dict(fields), value)
    file = proto_file(schema, dialect)
    expected = fill(message_class(file.text, file.name)(), schema, row).SerializeToString()
    assert MessageEncoder(dialect).value(schema)(row) == expected


@pytest.mark.parametrize("dialect", _DIALECTS[:2], ids=str)
def test_tables_with_many_columns(dialect: ProtobufDialect) -> None:
    kinds = (INT32, STRING, BOOLEAN, FLOAT64.as_optional(), OPTIONAL_STRING, BYTES)
    schema = struct("V", *((f"f{n}", kinds[n % len(kinds)]) for n in range(4096)))
    values = (0, "", False, 0.0, "", b"", 7, "x", True, 1.5, None, b"x")
    row = {field.name: values[n % len(values)] for n, field in enumerate(schema.fields)}
    file = proto_file(schema, dialect)
    expected = fill(message_class(file.text, file.name)(), schema, row).SerializeToString()
    assert MessageEncoder(dialect).value(schema)(row) == expected


@pytest.mark.parametrize("size", [0, 1, 127, 128, 16384])
def test_texts_of_each_length(size: int) -> None:
    schema = struct("V", ("a", STRING), ("b", BYTES), ("c", array(STRING)), ("d", array(INT32)))
    row = {"a": "x" * size, "b": b"x" * size, "c": ["x" * size], "d": [1] * size}
    file = proto_file(schema, ProtobufDialect())
    expected = fill(message_class(file.text, file.name)(), schema, row).SerializeToString()
    assert MessageEncoder(ProtobufDialect()).value(schema)(row) == expected


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        # Java's calendar is the Julian one before October 1582, and knows no year zero.
        (CONNECT_DATE, -141_428, "08ae0c 100a 1804"),
        (CONNECT_DATE, -719_163, "0801 1001 1802"),
        (CONNECT_DATE, -719_529, "0801 1001 1802"),
        (CONNECT_TIME, 86_400_000, ""),
        (CONNECT_TIMESTAMP, -1, "08ffffffffffffffffff01 10c08faedc03"),
        (decimal(-2), -1200, "0a02fb50 1004 18feffffffffffffffff01"),
    ],
)
def test_dates_and_decimals_as_java_writes_them(schema: Schema, value: int, expected: str) -> None:
    content = bytes.fromhex(expected)
    written = MessageEncoder(ProtobufDialect()).value(struct("V", ("a", schema)))({"a": value})
    assert written == b"\x0a" + bytes((len(content),)) + content


@pytest.mark.parametrize(
    ("schema", "value", "reason"),
    [
        (INT32, 1 << 31, "does not fit"),
        (INT8, 200, "does not fit"),
        (INT64, "x", "TypeError"),
        (STRING, "\ud800", "UnicodeEncodeError"),
        (BOOLEAN, 5, "KeyError"),
        (CONNECT_TIME, -1, "24 hours"),
        (CONNECT_TIME, 86_400_001, "24 hours"),
        (CONNECT_TIMESTAMP, 253_402_300_800_000, "9999"),
        (array(STRING), ["a", None], "no null"),
        (array(INT32), [None], "TypeError"),
    ],
)
def test_errors_name_the_field(schema: Schema, value: Any, reason: str) -> None:
    row = struct("server.Value", ("id", INT32), ("a", schema))
    with pytest.raises(ConversionError, match=rf"Field a of server\.Value.*{reason}"):
        MessageEncoder(ProtobufDialect()).value(row)({"id": 1, "a": value})


def test_a_null_is_kept_where_defaults_are_not_written() -> None:
    schema = struct("V", ("a", INT32.with_changes(optional=True, default=5)))
    assert MessageEncoder(ProtobufDialect(), defaults=False).value(schema)({"a": None}) == b""
    assert MessageEncoder(ProtobufDialect()).value(schema)({"a": None}) == b"\x08\x05"


def test_only_optional_fields_distinguish_null_from_empty() -> None:
    schema = struct("V", ("a", OPTIONAL_STRING))
    assert MessageEncoder(ProtobufDialect()).value(schema)({"a": ""}) == b""
    assert MessageEncoder(ProtobufDialect(optional=True)).value(schema)({"a": ""}) == b"\x0a\x00"
    assert MessageEncoder(ProtobufDialect(wrappers=True)).value(schema)({"a": ""}) == b"\x0a\x00"
