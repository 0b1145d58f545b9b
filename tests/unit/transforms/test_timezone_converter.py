"""TimezoneConverter: the records of a changed primary key share their source block."""

from __future__ import annotations

from typing import Any

from connector.data.record import Record
from connector.data.schema import INT64, STRING, struct
from connector.transforms.timezone_converter import TimezoneConverter

SOURCE = struct("source", ("table", STRING), ("ts_ms", INT64))
EVENT = struct("srv.shop.t.Envelope", ("source", SOURCE), ("op", STRING))
HOUR = 3_600_000


def test_the_second_record_of_a_changed_key_is_converted_twice() -> None:
    config = {"converted.timezone": "+01:00", "include.list": "source:t:source.ts_ms"}
    convert = TimezoneConverter(config).apply
    source: dict[str, Any] = {"table": "t", "ts_ms": 0}
    times = []
    for op in "dc":
        record = Record("srv.shop.t", None, None, None, EVENT, {"source": source, "op": op})
        times.append(convert(record).value["source"]["ts_ms"])
    assert times == [HOUR, 2 * HOUR]
