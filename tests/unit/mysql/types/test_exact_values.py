"""compat.mode=exact: one value from both ways, and the right one."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.columns import ColumnCodec
from connector.codegen import Expression
from connector.errors import ConversionError
from connector.mysql.binlog.json_diff import apply_diffs
from connector.mysql.types import fields
from connector.mysql.types.server_json import SERVER, double_text, server_text
from connector.mysql.types.type_options import TypeOptions
from tests.unit.mysql.types.binary_documents import Opaque, document
from tests.unit.mysql.types.columns import codec, log, text

EXACT = TypeOptions(exact=True)
ENUM_1, SET_1 = (fields.STRING, 0x01F7), (fields.STRING, 0x01F8)


def selected(column: ColumnCodec, data: bytes) -> Any:
    """Return a value of a SELECT as it is written for the column."""
    return text(column.as_selected(), data)


@pytest.mark.parametrize(
    ("literal", "label"),
    [
        ("'a,b'", "a,b"),
        (r"'back\\slash'", r"back\slash"),
        (r"'it\'s'", "it's"),
        ("'it''s'", "it's"),
        (r"'\'''", "''"),
        ("\"it''s\"", "it''s"),
        ('"say ""hi"""', 'say "hi"'),
        (r"'a\nb\tc\0d\Ze'", "a\nb\tc\0d\x1ae"),
        (r"'100\%\_\x'", r"100\%\_x"),
        ("'tail  '", "tail"),
        ("x'6162'", "ab"),
        ("0x616", "\x06\x16"),
        ("b'1100001'", "a"),
        ("''", ""),
    ],
)
def test_labels_are_those_of_the_server(literal: str, label: str) -> None:
    option = codec("ENUM", EXACT, enum_values=(literal, "'z'"))
    options = codec("SET", EXACT, enum_values=(literal, "'z'"))
    assert log(option, ENUM_1, b"\x01") == label == text(option, label)
    assert log(options, SET_1, b"\x03") == f"{label},z"


def test_commas_within_labels_are_marked_in_the_list_of_them_alone() -> None:
    column = codec("ENUM", EXACT, enum_values=("'a,b'", "'c'"))
    assert (column.schema.parameters or {})["allowed"] == r"a\,b,c"


@given(st.integers(0, 255))
def test_a_year(stored: int) -> None:
    column = codec("YEAR", EXACT)
    expected = stored + 1900 if stored else 0
    assert log(column, (fields.YEAR, 0), bytes([stored])) == expected
    assert text(column, f"{expected:04d}") == expected
    assert text(column, "70") == 1970


@pytest.mark.parametrize("adjusts", [True, False])
def test_days_of_the_year_0(*, adjusts: bool) -> None:
    options = TypeOptions(exact=True, adjust_years=adjusts, time_precision="isostring")
    year = "2000" if adjusts else "0000"
    for stored, shown in ((5 << 5 | 6, "0000-05-06"), (0, "0000-00-00"), (6, "0000-00-06")):
        expected = f"{year}-05-06" if stored > 31 else None
        data = stored.to_bytes(3, "little")
        found = log(codec("DATE", options), (fields.DATE, 0), data)
        assert found == text(codec("DATE", options), shown) == (expected and f"{expected}Z")
        packed = 1 << 39 | (stored >> 5) << 22 | (stored & 31) << 17
        time = codec("DATETIME", options)
        found = log(time, (fields.DATETIME2, 0), packed.to_bytes(5, "big"))
        assert found == text(time, f"{shown} 00:00:00")
        assert found == (expected and f"{expected}T00:00:00Z")


@pytest.mark.parametrize("flavor", ["mysql", "mariadb"])
def test_a_timestamp_has_all_its_digits(flavor: Any) -> None:
    column = codec("TIMESTAMP", TypeOptions(exact=True, flavor=flavor), length=3)
    wire = (fields.TIMESTAMP2, 3)
    data = struct.pack(">IH", 86400, 5000)
    expected = "1970-01-02T00:00:00.500Z"
    assert log(column, wire, data) == text(column, "1970-01-02 00:00:00.500") == expected
    assert log(column, wire, bytes(6)) is None
    assert text(column, "0000-00-00 00:00:00.000") is None


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
@pytest.mark.parametrize("name", ["FLOAT", "FLOAT4"])
def test_a_float_is_read_as_a_double(name: str, value: float) -> None:
    column = codec(name, EXACT)
    assert column.schema.type == "float32"
    assert column.sql("`f`") == "`f` * 1e0"
    assert selected(column, repr(value).encode()) == value
    assert log(column, (fields.FLOAT, 4), struct.pack("<f", value)) == value


def test_synonyms_are_the_types_that_the_server_shows() -> None:
    real = codec("REAL", EXACT, jdbc_type=7)
    assert real.schema.type == "float64"
    assert selected(real, b"0.1") == log(real, (fields.DOUBLE, 8), struct.pack("<d", 0.1)) == 0.1
    boolean = codec("BOOL", EXACT, has_default=True, default="TRUE", optional=False)
    assert (boolean.schema.type, boolean.schema.default) == ("int16", 1)
    assert text(boolean, "-1") == log(boolean, (fields.TINY, 0), b"\xff") == -1


@pytest.mark.parametrize(
    ("charset", "stored", "shown"),
    [
        ("latin1", "80818d", "€\x81\x8d"),
        ("armscii8", "41b2b4", "AԱԲ"),
        ("swe7", "405b7e", "ÉÄü"),
        ("koi8u", "a4b4", "єЄ"),
        ("cp1250", "81", "�"),
        ("sjis", "83658358", "テス"),
    ],
)
def test_texts_are_read_as_bytes(charset: str, stored: str, shown: str) -> None:
    column = codec("VARCHAR", EXACT, charset=charset, length=99)
    data = bytes.fromhex(stored)
    assert column.sql("`v`") == "CAST(`v` AS BINARY)"
    assert selected(column, data) == shown
    assert log(column, (fields.VARCHAR, 99), bytes([len(data)]) + data) == shown
    assert text(column, shown) == shown  # in a SELECT of the user's own


def test_texts_in_unicode_need_no_cast() -> None:
    for charset in ("utf8mb4", "utf8mb3", "utf8", None):
        assert codec("TEXT", EXACT, charset=charset).sql("`v`") == "`v`"
    assert codec("TEXT", charset="latin1").sql("`v`") == "`v`"


def test_another_reading_is_not_undone_by_a_select() -> None:
    column = codec("TEXT", EXACT, charset="latin1").with_changes(from_text=Expression("'***'"))
    assert (column.sql("`v`"), selected(column, b"secret")) == ("`v`", "***")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"b": [1, None, True], "a": {}}, '{"a": {}, "b": [1, null, true]}'),
        ([], "[]"),
        ('\x01\x1f"\\\b\f\n\r\t/\x7fé😀', '"\\u0001\\u001f\\"\\\\\\b\\f\\n\\r\\t/\x7fé😀"'),
        (2.0, "2.0"),
        (1e15, "1e15"),
        (1e14, "100000000000000.0"),
        (1234567890123456.5, "1234567890123456.5"),
        (1.234567890123456e15, "1.234567890123456e15"),
        (1e-15, "0.000000000000001"),
        (1e-16, "1e-16"),
        (-1.5e300, "-1.5e300"),
        (5e-324, "5e-324"),
        (Opaque(246, bytes((4, 2, 0x80 + 12, 50)), ""), "12.50"),
        (Opaque(15, b"ab", ""), '"base64:type15:YWI="'),
        (Opaque(252, bytes(60), ""), f'"base64:type252:{"A" * 76}\\n{"A" * 4}"'),
        (Opaque(253, b'a"b', ""), r'"a\"b"'),
    ],
)
def test_documents_are_the_text_of_the_server(value: Any, shown: str) -> None:
    assert server_text(document(value)) == shown


@pytest.mark.parametrize(
    ("kind", "packed", "shown"),
    [
        (10, ((2024 * 13 + 2) << 5 | 29) << 41, "2024-02-29"),
        (12, (((2024 * 13 + 2) << 5 | 29) << 17 | 23 << 12 | 59 << 6 | 58) << 24 | 7,
         "2024-02-29 23:59:58.000007"),
        (11, (838 << 12 | 59 << 6 | 58) << 24, "838:59:58.000000"),
        (11, -((12 << 12 | 34 << 6 | 56) << 24 | 500_000), "-12:34:56.500000"),
    ],
)  # fmt: skip
def test_times_within_documents(kind: int, packed: int, shown: str) -> None:
    value = Opaque(kind, packed.to_bytes(8, "little", signed=True), "")
    assert server_text(document([value])) == f'["{shown}"]'


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_within_a_document_can_be_read_again(value: float) -> None:
    assert float(double_text(value)) == value
    assert isinstance(json.loads(double_text(value)), float)


def test_a_column_of_documents() -> None:
    column = codec("JSON", EXACT)
    value = document({"a": [1, 2]})
    found = log(column, (fields.JSON, 4), struct.pack("<I", len(value)) + value)
    assert found == text(column, '{"a": [1, 2]}') == '{"a": [1, 2]}'
    assert log(column, (fields.JSON, 4), bytes(4)) == "null"
    with pytest.raises(ConversionError):
        server_text(b"\x00\x05")


def test_a_document_after_a_difference() -> None:
    replaced = document("x")
    diff = b"\x00\x03$.a" + bytes([len(replaced)]) + replaced
    assert apply_diffs(document({"a": 1, "b": 1e20}), diff, SERVER) == '{"a": "x", "b": 1e20}'
