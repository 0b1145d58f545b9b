"""The text of a row identifies it exactly: values that differ by a microsecond are two values."""

from __future__ import annotations

import json
from typing import Any

from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows

MICROS = field("at", "int64", "io.debezium.time.MicroTimestamp")
FIRST, SECOND = 1_700_000_000_000_001, 1_700_000_000_000_002


def row(at: int, text: str) -> Row:
    return {"at": at, "v": text}


def test_rows_that_differ_by_a_microsecond_are_two_rows(sink: MakeSink, spark: Any) -> None:
    columns = [MICROS, field("v", "string")]
    keyless, keyed = (
        Topic("srv.shop.keyless", columns, ()),
        Topic("srv.shop.keyed", columns, ["at"]),
    )
    made = sink(nopk="bag_view", history={"enabled": True, "dedupe": "event_id", "before": "json"})
    same = [row(FIRST, "a"), row(SECOND, "a")]
    first = [
        keyless.change("c", 100, None, same[0]),
        keyless.change("c", 110, None, same[1]),
        keyless.change("d", 120, same[0], None),
        # All rows of a snapshot have one position: in a history the key distinguishes them.
        *(keyed.change("r", 100, None, one, snapshot="true") for one in same),
        keyed.change("d", 200, same[0], None),
    ]
    made.batches.apply(frame(spark, first), "app", 0)
    late = [keyed.change("u", 150, same[1], row(SECOND, "late"))]
    made.batches.apply(frame(spark, late), "app", 1)
    assert made.state.parked_tables() == {}
    [(kept, count)] = rows(made, "shop__keyless", "at", "__count")
    assert (kept.microsecond, count) == (2, 1)
    assert rows(made, "shop__keyed", "v") == [("late",)]
    history = rows(made, "shop__keyed__history", "__op", "__before")
    assert [op for op, _ in history] == ["d", "r", "r", "u"]
    assert json.loads(history[0][1]) == {"at": "2023-11-14T22:13:20.000001", "v": "a"}
