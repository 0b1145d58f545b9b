"""Errors of transforms reach logs and REST answers: they show no values of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from connector.data.record import Record
from connector.data.schema import STRING, Schema, struct
from connector.errors import TransformError
from connector.transforms.cast import CastValue
from connector.transforms.timestamp_converter import TimestampConverterValue
from connector.transforms.timezone_converter import TimezoneConverter

SECRET = "4111-1111"
ZONED = Schema("string", name="io.debezium.time.ZonedTimestamp")
ROW = struct("db.t.Value", ("name", STRING))
SOURCE = struct("source", ("table", STRING))
ENVELOPE = struct("db.t.Envelope", ("after", struct("Value", ("name", ZONED))), ("source", SOURCE))


@pytest.mark.parametrize(
    ("apply", "schema", "value"),
    [
        (CastValue({"spec": "name:int32"}).apply, ROW, {"name": SECRET}),
        (
            TimestampConverterValue(
                {"field": "name", "target.type": "unix", "format": "dd.MM.yyyy"}
            ).apply,
            ROW,
            {"name": SECRET},
        ),
        (
            TimezoneConverter({"converted.timezone": "+02:00"}).apply,
            ENVELOPE,
            {"after": {"name": SECRET}, "source": {"table": "t"}},
        ),
    ],
    ids=["cast", "timestamp", "timezone"],
)
def test_the_value_is_not_shown(
    apply: Callable[[Record], Record], schema: Schema, value: Any
) -> None:
    with pytest.raises(TransformError) as raised:
        apply(Record("t", None, None, None, schema, value))
    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None
