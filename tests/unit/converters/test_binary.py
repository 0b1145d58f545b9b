"""Bytes that are passed on, and what Debezium's converters delegate."""

from __future__ import annotations

import pytest

from connector.converters.binary import (
    BinaryDataConverter,
    ByteArrayConverter,
    DebeziumByteArrayConverter,
)
from connector.data.schema import BYTES, INT32, STRING, struct
from connector.data.semantic import bits, decimal
from connector.errors import ConfigError, ConversionError

DELEGATE = "delegate.converter.type"
JSON = {
    DELEGATE: "org.apache.kafka.connect.json.JsonConverter",
    f"{DELEGATE}.schemas.enable": "false",
}
ROW = struct("r", ("id", INT32))


def test_bytes_are_written_as_they_are() -> None:
    for converter in (ByteArrayConverter(), BinaryDataConverter()):
        for schema in (None, BYTES, bits(8)):
            assert converter.from_connect("t", schema, b"\x00\xff") == b"\x00\xff"
        assert converter.from_connect("t", None, None) is None
        assert converter.from_connect("t", BYTES.as_optional(), None) is None


def test_kafka_refuses_other_types() -> None:
    converter = ByteArrayConverter()
    with pytest.raises(ConversionError, match="Invalid schema type for ByteArrayConverter: STRING"):
        converter.from_connect("t", STRING, "x")
    with pytest.raises(ConversionError, match=r"objects of type class java\.math\.BigDecimal"):
        converter.from_connect("t", decimal(2), 150)


def test_what_is_not_binary_is_delegated() -> None:
    converter = BinaryDataConverter(JSON)
    assert converter.from_connect("t", ROW, {"id": 1}) == b'{"id":1}'
    assert converter.from_connect("t", BYTES, b"raw") == b"raw"
    assert converter.from_connect("t", None, "text") == b'"text"'


def test_byte_arrays_are_not_buffers() -> None:
    converter = DebeziumByteArrayConverter(JSON)
    assert converter.from_connect("t", bits(8), b"\x05") == b"\x05"
    assert converter.from_connect("t", BYTES, b"raw") == b'"cmF3"'


def test_an_error_without_a_delegate_shows_no_value() -> None:
    with pytest.raises(ConversionError, match="configured") as caught:
        BinaryDataConverter().from_connect("topic", STRING, "secret")
    assert "secret" not in str(caught.value)


def test_headers_are_not_delegated() -> None:
    converter = BinaryDataConverter({**JSON, "converter.type": "header"})
    with pytest.raises(ConversionError, match="configured"):
        converter.from_header("h", STRING, "x")


def test_an_unknown_delegate_is_refused() -> None:
    with pytest.raises(ConfigError, match="not supported"):
        BinaryDataConverter({DELEGATE: "com.example.Converter"})
