"""Cast of a whole key or value keeps the name of its schema, as Kafka Connect's does."""

from __future__ import annotations

from typing import Any

import pytest

from connector.converters.json import JsonConverter
from connector.converters.simple_header import SimpleHeaderConverter
from connector.converters.string import StringConverter
from connector.data.record import Record
from connector.data.schema import Schema, struct
from connector.data.semantic import CONNECT_DATE, CONNECT_TIME, CONNECT_TIMESTAMP, decimal
from connector.errors import ConversionError
from connector.transforms.cast import CastValue
from connector.transforms.hoist_field import HoistFieldValue

VALUES = [
    (decimal(2), 1250, "string", "12.50", "Decimal, expected BigDecimal but was", "String"),
    (decimal(2), 1250, "int64", "12", "Decimal, expected BigDecimal but was", "Long"),
    (decimal(2), 1250, "float64", "12.5", "Decimal, expected BigDecimal but was", "Double"),
    (CONNECT_DATE, 1, "string", "1970-01-02", "Date, expected Date but was", "String"),
    (CONNECT_TIME, 5, "int64", "5", "Time, expected Date but was", "Long"),
    (CONNECT_TIMESTAMP, 5, "int32", "5", "Timestamp, expected Date but was", "Integer"),
]


def cast(schema: Schema, value: Any, target: str) -> Record:
    return CastValue({"spec": target}).apply(Record("t", None, None, None, schema, value))


@pytest.mark.parametrize(("schema", "value", "target", "text"), [listed[:4] for listed in VALUES])
def test_a_cast_value_is_written_as_plain_text(
    schema: Schema, value: Any, target: str, text: str
) -> None:
    record = cast(schema, value, target)
    written = StringConverter().from_connect("t", record.value_schema, record.value)
    assert written == text.encode()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("schema", "value", "target", "reason", "kind"),
    [(*listed[:3], *listed[4:]) for listed in VALUES],
)
def test_a_cast_value_is_no_json(
    schema: Schema, value: Any, target: str, reason: str, kind: str, whole: bool
) -> None:
    record = cast(schema, value, target)
    if not whole:
        record = HoistFieldValue({"field": "x"}).apply(record)
    with pytest.raises(ConversionError) as caught:
        JsonConverter().from_connect("t", record.value_schema, record.value)
    assert str(caught.value) == f"Invalid type for {reason} class java.lang.{kind}"


def test_compiled_fields_refuse_what_the_generic_path_refuses() -> None:
    schema = struct("row", ("x", decimal(2).with_changes(type="string")))
    converter = JsonConverter()
    for encode in (converter.row(schema), converter.part(schema, 0, 1)):
        with pytest.raises(ConversionError, match="expected BigDecimal but was class"):
            encode(["12.50"])
    assert converter.native_write(schema.fields[0].schema) is None


@pytest.mark.parametrize(("schema", "target"), [(CONNECT_DATE, "int32"), (CONNECT_TIME, "int32")])
def test_a_date_that_is_cast_to_its_number_is_written_as_number(
    schema: Schema, target: str
) -> None:
    record = cast(schema, 7, target)
    assert StringConverter().from_connect("t", record.value_schema, record.value) == b"7"


def test_members_of_a_map_have_the_order_of_java() -> None:
    transform = CastValue({"spec": "id:int16,c:int16,d:float64"})
    record = transform.apply(Record("t", None, None, None, None, {"a": None}))
    assert list(record.value) == ["a", "c", "id", "d"]


@pytest.mark.parametrize(
    ("schema", "value", "text"),
    [
        (CONNECT_DATE, -719528, "00:00:00.000Z"),  # the date 0000-01-01
        (CONNECT_DATE, 19675925, "55840-11-08"),
        (CONNECT_DATE, 2147483647, "5881580-07-11"),
        (CONNECT_TIMESTAMP, 1700000000123456, "55840-11-08T22:15:23.456Z"),
        (CONNECT_TIMESTAMP, -1700000000123456, "01:44:36.544Z"),
        (CONNECT_TIMESTAMP, 9223372036854775807, "292278994-08-17T07:12:55.807Z"),
    ],
)
def test_dates_beyond_four_digits_of_a_year_have_a_text(
    schema: Schema, value: int, text: str
) -> None:
    assert cast(schema, value, "string").value == text
    assert SimpleHeaderConverter().from_header("h", schema, value) == text.encode()
