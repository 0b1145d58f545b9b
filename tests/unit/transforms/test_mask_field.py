"""MaskField: a masked decimal has the scale of its replacement, as Java's BigDecimal."""

from __future__ import annotations

import pytest

from connector.converters.avro.binary import decimal as avro_decimal
from connector.converters.json import JsonConverter
from connector.converters.protobuf.wire import logical
from connector.converters.string import StringConverter
from connector.data.record import Record
from connector.data.schema import struct
from connector.data.semantic import decimal
from connector.errors import ConversionError
from connector.transforms.cast import CastValue
from connector.transforms.mask_field import MaskFieldValue

ROW = struct("row", ("price", decimal(2, 10)))
MISMATCH = (
    "Decimal value has mismatching scale for given Decimal schema. Schema has scale 2, value has "
    "scale 0."
)


def mask_price(replacement: str | None = None) -> Record:
    config = {"fields": "price"} | ({"replacement": replacement} if replacement else {})
    return MaskFieldValue(config).apply(Record("t", None, None, None, ROW, {"price": 1250}))


@pytest.mark.parametrize(
    ("replacement", "text"), [(None, "0"), ("1.5", "1.5"), ("1.50", "1.50"), ("1e3", "1E+3")]
)
def test_a_masked_decimal_is_written_with_its_own_digits(
    replacement: str | None, text: str
) -> None:
    record = mask_price(replacement)
    numeric = JsonConverter({"schemas.enable": "false", "decimal.format": "NUMERIC"})
    written = numeric.from_connect("t", record.value_schema, record.value)
    assert written == f'{{"price":{text}}}'.encode()
    written = StringConverter().from_connect("t", record.value_schema, record.value)
    assert written == f"Struct{{price={text}}}".encode()
    assert CastValue({"spec": "price:string"}).apply(record).value == {"price": text}


def test_a_masked_decimal_is_cast_to_its_number() -> None:
    assert CastValue({"spec": "price:float64"}).apply(mask_price("1.5")).value == {"price": 1.5}
    assert CastValue({"spec": "price:int64"}).apply(mask_price("1.5")).value == {"price": 1}


def test_the_bytes_of_a_masked_decimal_need_the_scale_of_the_column() -> None:
    record = mask_price()
    with pytest.raises(ConversionError, match=MISMATCH):
        JsonConverter().from_connect("t", record.value_schema, record.value)
    with pytest.raises(ConversionError, match=MISMATCH):
        avro_decimal(record.value["price"])
    equal = mask_price("1.50")
    assert equal.value == {"price": 150}
    JsonConverter().from_connect("t", equal.value_schema, equal.value)


def test_protobuf_writes_the_scale_of_a_masked_decimal() -> None:
    own, whole = logical(decimal(2)), logical(decimal(0))
    assert own is not None
    assert whole is not None
    assert own(mask_price("15").value["price"]) == whole(15)
