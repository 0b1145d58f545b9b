from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tools.demo.feed import plain

PRICE = {
    "type": "bytes",
    "name": "org.apache.kafka.connect.data.Decimal",
    "parameters": {"scale": "2"},
}
DATE = {"type": "int32", "name": "io.debezium.time.Date"}


@pytest.mark.parametrize(
    ("wire", "schema", "value"),
    [
        (None, PRICE, None),
        ("CbI=", PRICE, Decimal("24.82")),
        ("/w==", PRICE, Decimal("-0.01")),
        (0, DATE, date(1970, 1, 1)),
        (20778, DATE, date(2026, 11, 21)),
        ("Ada", {"type": "string"}, "Ada"),
    ],
)
def test_a_value_is_as_the_database_driver_gives_it(wire: Any, schema: Any, value: Any) -> None:
    assert plain(wire, schema) == value


def test_a_struct_is_decoded_by_its_fields() -> None:
    fields = [{"field": "price", **PRICE}, {"field": "ordered", **DATE}]
    row = {"type": "struct", "fields": fields}
    envelope = {"type": "struct", "fields": [{"field": "after", **row}, {"field": "before", **row}]}
    wire = {"before": None, "after": {"price": "AA==", "ordered": 1}}
    assert plain(wire, envelope) == {
        "before": None,
        "after": {"price": Decimal("0.00"), "ordered": date(1970, 1, 2)},
    }
