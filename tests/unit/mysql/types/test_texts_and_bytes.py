"""Texts, bytes, options, documents, geometries and MariaDB's own types."""

from __future__ import annotations

import base64
import json
import socket
import struct
import uuid
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.errors import ConversionError, SchemaMismatchError
from connector.mysql.types import FAMILIES, codec_of, fields
from connector.mysql.types.compressed import uncompress
from connector.mysql.types.fields import Prefixed, Wire, layout
from connector.mysql.types.type_options import BinaryMode, TypeOptions
from tests.fixtures import fields_as_bytes as write
from tests.unit.mysql.binlog.kind import column
from tests.unit.mysql.binlog.kinds import KINDS
from tests.unit.mysql.types.binary_documents import document
from tests.unit.mysql.types.columns import codec, default, log, text

EXACT = TypeOptions(exact=True)
BLOB, LONG_BLOB = (fields.BLOB, 2), (fields.BLOB, 4)


@pytest.mark.parametrize(
    ("charset", "data", "value"),
    [
        (None, "é€😀".encode(), "é€😀"),
        ("utf8mb4", "é€😀".encode(), "é€😀"),
        ("utf8mb3", "é€".encode(), "é€"),
        ("latin1", b"\xe9\x80", "é€"),
        ("latin2", "łó".encode("iso8859-2"), "łó"),
        ("cp1251", "Юя".encode("cp1251"), "Юя"),
        ("koi8r", "Юя".encode("koi8_r"), "Юя"),
        ("greek", "αβ".encode("iso8859-7"), "αβ"),
        ("sjis", "かな".encode("shift_jis"), "かな"),
        ("ujis", "かな".encode("euc_jp"), "かな"),
        ("gbk", "中文".encode("gbk"), "中文"),
        ("ucs2", "é中".encode("utf-16-be"), "é中"),
        ("utf16", "é😀".encode("utf-16-be"), "é😀"),
        ("utf16le", "é😀".encode("utf-16-le"), "é😀"),
        ("utf32", "é😀".encode("utf-32-be"), "é😀"),
        ("UTF8MB4", b"a", "a"),
    ],
)
def test_a_text_of_the_log_is_in_the_charset_of_its_column(
    charset: str | None, data: bytes, value: str
) -> None:
    column_ = codec("VARCHAR", charset=charset, length=20)
    assert log(column_, (fields.VARCHAR, 80), write.prefixed(data, 1)) == value
    assert text(column_, value) == value


def test_bytes_that_are_no_text_are_replaced() -> None:
    for data in (b"a\xffb", b"\xc3"):
        found = log(codec("TEXT", charset="utf8mb4"), BLOB, write.prefixed(data, 2))
        assert "�" in found


MODES: dict[BinaryMode, Any] = {
    "bytes": bytes,
    "base64": lambda data: base64.b64encode(data).decode(),
    "base64-url-safe": lambda data: base64.urlsafe_b64encode(data).decode(),
    "hex": bytes.hex,
}


@pytest.mark.parametrize("mode", MODES)
@given(data=st.binary(max_size=40))
def test_binaries_in_every_mode(mode: BinaryMode, data: bytes) -> None:
    options = TypeOptions(binary=mode)
    for type_name in ("VARBINARY", "BLOB", "LONG VARBINARY"):
        column_ = codec(type_name, options, length=100)
        assert column_.schema.type == ("bytes" if mode == "bytes" else "string")
        assert text(column_, data) == MODES[mode](data)
        assert log(column_, BLOB, write.prefixed(data, 2)) == MODES[mode](data)


@pytest.mark.parametrize("mode", MODES)
def test_zeros_at_the_end_of_a_binary_are_put_back(mode: BinaryMode) -> None:
    column_ = codec("BINARY", TypeOptions(binary=mode), length=5)
    stored = write.prefixed(b"a\0b", 1)
    assert log(column_, (fields.STRING, 0x05FE), stored) == MODES[mode](b"a\0b\0\0")
    assert text(column_, b"a\0b\0\0") == MODES[mode](b"a\0b\0\0")


def test_defaults_of_texts_are_kept_as_they_are() -> None:
    assert default("VARCHAR", " a ", jdbc_type=12) == " a "
    assert default("VARCHAR", "_utf8mb4'a''", jdbc_type=12) == "a'"
    assert default("VARBINARY", "abc", jdbc_type=-3) == b"abc"
    assert default("VARBINARY", "abc", jdbc_type=-3, options=TypeOptions(binary="hex")) == "616263"


ENUM_1, ENUM_2 = (fields.STRING, 0x01F7), (fields.STRING, 0x02F7)


def test_labels_of_an_enum() -> None:
    labels = ("'a'", "'it''s'", "'b,c'", "''", "'é'")
    column_ = codec("ENUM", enum_values=labels)
    assert (column_.schema.parameters or {})["allowed"] == "a,it's,b\\,c,,é"
    found = [log(column_, ENUM_1, bytes([index])) for index in range(6)]
    assert found == ["", "a", "it's", "b\\,c", "", "é"]
    assert text(column_, "it's") == "it's"
    assert log(column_, ENUM_1, b"\x07") is None  # no such label: its definition was changed
    assert log(codec("ENUM", enum_values=labels, optional=False), ENUM_1, b"\x07") == ""
    assert log(column_, ENUM_2, b"\x02\0") == "it's"


@given(st.integers(0, (1 << 64) - 1), st.sampled_from([1, 2, 3, 4, 8]))
def test_options_of_a_set(value: int, size: int) -> None:
    value &= (1 << 8 * size) - 1
    names = [f"o{number}" for number in range(8 * size)]
    column_ = codec("SET", enum_values=tuple(f"'{name}'" for name in names))
    expected = ",".join(name for bit, name in enumerate(names) if value >> bit & 1)
    wire = (fields.STRING, size << 8 | fields.SET)
    assert log(column_, wire, value.to_bytes(size, "little")) == expected
    assert text(column_, expected) == expected


def test_a_set_remembers_a_bounded_number_of_combinations() -> None:
    column_ = codec("SET", enum_values=tuple(f"'{number}'" for number in range(16)))
    wire = (fields.STRING, 2 << 8 | fields.SET)
    for value in range(2000):
        expected = ",".join(str(bit) for bit in range(16) if value >> bit & 1)
        assert log(column_, wire, value.to_bytes(2, "little")) == expected


@pytest.mark.parametrize("value", [{"b": [1, None, 2.5]}, [], {}, "text", 7, None])
def test_documents(value: Any) -> None:
    column_ = codec("JSON")
    streamed = log(column_, (fields.JSON, 4), write.prefixed(document(value), 4))
    assert streamed == json.dumps(value, separators=(",", ":"))
    assert json.loads(text(column_, json.dumps(value))) == json.loads(streamed)


def test_an_empty_document_is_what_stands_for_null() -> None:
    """MySQL writes no bytes for NULL in a column without NULL, made by UPDATE IGNORE."""
    empty = write.prefixed(b"", 4)
    assert log(codec("JSON"), (fields.JSON, 4), empty) is None
    assert log(codec("JSON", optional=False), (fields.JSON, 4), empty) == "{}"


def test_mariadb_stores_documents_as_text() -> None:
    assert log(codec("LONGTEXT"), LONG_BLOB, write.prefixed(b'{"a": 1}', 4)) == '{"a": 1}'


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("srid", [0, 4326])
def test_points(order: str, srid: int) -> None:
    wkb = struct.pack(f"{order}BIdd", int(order == "<"), 1, 1.5, -2.0)
    data = srid.to_bytes(4, "little") + wkb
    expected = {"x": 1.5, "y": -2.0, "wkb": wkb, "srid": srid or None}
    assert log(codec("POINT"), (fields.GEOMETRY, 4), write.prefixed(data, 4)) == expected
    assert text(codec("POINT"), data) == expected


def test_a_point_of_another_size_is_refused() -> None:
    with pytest.raises(ConversionError, match="it has 20 bytes instead of 21"):
        text(codec("POINT", optional=False), bytes(24))
    assert text(codec("POINT", optional=True), bytes(24)) is None


@pytest.mark.parametrize("type_name", ["GEOMETRY", "LINESTRING", "GEOMCOLLECTION"])
def test_geometries(type_name: str) -> None:
    wkb = bytes.fromhex("010700000000000000")
    data = (4326).to_bytes(4, "little") + wkb
    assert text(codec(type_name), data) == {"wkb": wkb, "srid": 4326}
    assert codec(type_name).schema.name == "io.debezium.data.geometry.Geometry"


def test_vectors() -> None:
    numbers = [1.5, -0.25, 3.0]
    data = struct.pack("<3f", *numbers)
    assert log(codec("VECTOR"), (fields.VECTOR, 4), write.prefixed(data, 4)) == numbers
    assert text(codec("VECTOR"), data) == numbers
    assert codec("VECTOR").schema.name == "io.debezium.data.FloatVector"


@given(st.uuids(), st.binary(min_size=4, max_size=4), st.binary(min_size=16, max_size=16))
def test_identifiers_of_mariadb(number: uuid.UUID, v4: bytes, v6: bytes) -> None:
    shown = {
        "UUID": (number.bytes, str(number)),
        "INET4": (v4, socket.inet_ntop(socket.AF_INET, v4)),
        "INET6": (v6, socket.inet_ntop(socket.AF_INET6, v6)),
    }
    for type_name, (data, expected) in shown.items():
        wire = (fields.STRING, len(data) << 8 | fields.STRING)
        stored = write.prefixed(data.rstrip(b"\0"), 1)  # the log leaves out zeros at the end
        assert log(codec(type_name, EXACT), wire, stored) == expected
        assert text(codec(type_name), expected) == expected


def test_zeros_at_the_end_of_a_uuid_come_to_its_front_as_with_debezium() -> None:
    number = uuid.UUID("11223344-5566-7788-99aa-bbccddee0000")
    wire = (fields.STRING, 16 << 8 | fields.STRING)
    stored = write.prefixed(number.bytes[:14], 1)
    assert log(codec("UUID"), wire, stored) == "00001122-3344-5566-7788-99aabbccddee"
    assert log(codec("UUID", EXACT), wire, stored) == str(number)


def stored_compressed(data: bytes, *, raw: bool) -> bytes:
    """MariaDB: the method, whether zlib's header is left out, the bytes of the length."""
    size = len(data).to_bytes(4, "big").lstrip(b"\0") or b"\0"
    squeeze = zlib.compressobj(wbits=-15 if raw else 15)
    body = squeeze.compress(data) + squeeze.flush()
    return bytes([8 << 4 | 8 * raw | len(size)]) + size + body


@given(st.binary(max_size=300), st.booleans())
def test_compressed_columns_of_mariadb(data: bytes, raw: bool) -> None:
    assert uncompress(stored_compressed(data, raw=raw)) == data
    assert uncompress(b"\0" + data) == data
    assert uncompress(b"") == b""
    for kind, meta, width in (
        (fields.BLOB_COMPRESSED, 3, 3),
        (fields.VARCHAR_COMPRESSED, 400, 2),
        (fields.VARCHAR_COMPRESSED, 100, 1),
    ):
        small = data[:100]
        stored = write.prefixed(stored_compressed(small, raw=raw), width)
        assert log(codec("BLOB"), (kind, meta), stored) == small
        found = log(codec("TEXT", charset="latin1"), (kind, meta), stored)
        assert len(found) == len(small)


def test_damaged_compressed_values_are_refused_without_showing_them() -> None:
    whole = stored_compressed(b"secret" * 20, raw=False)
    for data in (whole[:-3], whole[:3], b"\x81\x01secret"):
        with pytest.raises(ConversionError, match="damaged") as caught:
            uncompress(data)
        assert "secret" not in str(caught.value)
    with pytest.raises(ConversionError, match="unknown column compression method 9"):
        uncompress(b"\x91\1x")


def test_a_field_of_any_kind_can_be_stepped_over() -> None:
    for kind in KINDS:
        passed = layout(kind.wire)
        described = codec_of(kind.column, TypeOptions())
        assert described is not None
        field = described.from_log(kind.wire)
        assert isinstance(passed, Prefixed) == isinstance(field, Prefixed)
        if isinstance(passed, Prefixed):
            assert passed.width == field.width
        else:
            assert struct.calcsize("<" + passed.format) == struct.calcsize("<" + field.format)


def test_a_wire_type_that_is_not_known_is_refused() -> None:
    with pytest.raises(SchemaMismatchError, match="wire type 99"):
        layout(Wire(99))


@pytest.mark.parametrize("type_name", sorted(FAMILIES))
def test_every_type_name_has_a_codec(type_name: str) -> None:
    for spelled in (type_name, type_name.lower()):
        found = codec_of(column(spelled, length=10, enum_values=("'a'",)), TypeOptions())
        assert found is not None
        assert found.column.type_name == spelled


@pytest.mark.parametrize("type_name", ["XMLTYPE", "ROW", "SYS_REFCURSOR"])
def test_a_type_that_is_not_known_has_none(type_name: str) -> None:
    assert codec_of(column(type_name), TypeOptions()) is None


def test_the_comment_of_a_column_is_the_doc_of_its_schema() -> None:
    assert codec("INT", comment="how many").schema.doc == "how many"
    assert codec("POINT").schema.doc == "Geometry (POINT)"
    assert codec("INT").schema.doc is None


def test_an_unreadable_default_is_left_out_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert default("INT", "secret") is None
    assert "The default value of column c (INT) cannot be read" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("length", [1, 255, 256, 300, 511, 512, 767, 768, 1020])
def test_the_length_of_a_char_is_found_in_its_metadata(length: int) -> None:
    """Two bits of a length above 255 stand inverted in the byte of the type."""
    first = fields.STRING ^ (length >> 8 & 3) << 4
    wire = Wire(fields.STRING, first | (length & 0xFF) << 8)
    assert fields.real_string_type(wire) == (fields.STRING, length)
