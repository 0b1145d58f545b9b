"""What the header millrace.position adds: epochs, tombstones that count, ends of snapshots."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

COLUMNS = [
    field("id", "int32"),
    field("day", "int32", "io.debezium.time.Date"),
    field("v", "string"),
]
HEADER = {"ordering": {"epoch": "header"}}


def row(number: int, value: str) -> dict[str, Any]:
    return {"id": number, "day": number, "v": value}


@pytest.fixture
def topic() -> Topic:
    return Topic(columns=COLUMNS, keys=["id", "day"])


def at(message: dict[str, Any], place: str) -> dict[str, Any]:
    return {**message, "position": place}


@pytest.mark.slow
def test_nothing_but_tombstones_comes_after_a_start(
    sink: MakeSink, spark: Any, topic: Topic
) -> None:
    made = sink(**HEADER, history={"enabled": True})
    changes = [topic.change("c", 100 + n, None, row(n, "a")) for n in range(3)]
    placed = [at(one, f"0/bin.000001/{100 + n}/0") for n, one in enumerate(changes)]
    made.batches.apply(frame(spark, placed), "app", 0)
    again = sink(**HEADER, history={"enabled": True})  # another process: it has seen no value
    key = {"id": 1, "day": 1}
    newer = topic.message(key, None, position="0/bin.000001/200/0")
    late = topic.message({"id": 2, "day": 2}, None, position="0/bin.000001/50/0")
    again.batches.apply(frame(spark, [newer, late]), "app", 1)
    assert rows(again, "shop__orders", "id") == [(0,), (2,)]
    assert again.state.parked_tables() == {}
    ops = rows(again, "shop__orders__history", "__op")
    assert ops == [("c",)] * 3 + [("d",)] * 2


@pytest.mark.slow
def test_tombstones_of_a_missing_table_are_ignored(
    sink: MakeSink, spark: Any, topic: Topic
) -> None:
    made = sink(**HEADER)
    lost = topic.message({"id": 1, "day": 1}, None, position="0/bin.000001/50/0")
    made.batches.apply(frame(spark, [lost]), "app", 0)
    assert made.state.parked_tables() == {}
    assert made.lake.table("shop__orders").columns() is None


@pytest.mark.slow
def test_a_snapshot_without_rows_sweeps_a_table(sink: MakeSink, spark: Any, topic: Topic) -> None:
    made = sink(**HEADER)
    older = at(topic.change("c", 100, None, row(1, "old")), "0/bin.000001/100/0")
    made.batches.apply(frame(spark, [older]), "app", 0)
    empty = at(
        topic.change("t", 300, snapshot="last_in_data_collection"), "0/bin.000001/300/0/empty"
    )
    newer = at(topic.change("c", 400, None, row(2, "new")), "0/bin.000001/400/0")
    # The mark alone, to a job that knows nothing; a change from before it comes late.
    again = sink(**HEADER)
    again.batches.apply(frame(spark, [empty]), "app", 1)
    assert rows(again, "shop__orders", "v") == []
    late = at(topic.change("u", 200, row(1, "old"), row(1, "late")), "0/bin.000001/200/0")
    again.batches.apply(frame(spark, [newer, late]), "app", 2)
    assert rows(again, "shop__orders", "v") == [("new",)]


@pytest.mark.slow
def test_a_table_that_was_always_empty_is_not_made(
    sink: MakeSink, spark: Any, topic: Topic
) -> None:
    made = sink(**HEADER, nopk="fail")
    empty = at(topic.change("t", 300), "0/bin.000001/300/0/empty")
    made.batches.apply(frame(spark, [empty]), "app", 0)
    assert made.state.parked_tables() == {}
    assert made.lake.table("shop__orders__history").columns() is None


@pytest.mark.slow
def test_the_header_has_priority_over_the_snapshot_field(
    sink: MakeSink, spark: Any, topic: Topic
) -> None:
    """A first table with one row has the mark ``first``; a part of a table has that of an end."""
    made = sink(**HEADER)
    ghosts = [topic.change("c", 100 + n, None, row(n, "old")) for n in (1, 2)]
    made.batches.apply(frame(spark, [at(one, "0/b.1/100/0") for one in ghosts]), "app", 0)
    part = topic.change("r", 200, None, row(1, "part"), snapshot="last_in_data_collection")
    made.batches.apply(frame(spark, [at(part, "0/b.1/200/0")]), "app", 1)
    assert rows(made, "shop__orders", "v") == [("old",), ("part",)]
    whole = topic.change("r", 300, None, row(1, "whole"), snapshot="first")
    made.batches.apply(frame(spark, [at(whole, "0/b.1/300/0/end")]), "app", 2)
    assert rows(made, "shop__orders", "v") == [("whole",)]


@pytest.mark.slow
def test_messages_from_before_the_header_belong_to_the_first_binlog(
    sink: MakeSink, spark: Any, topic: Topic
) -> None:
    made = sink(**HEADER)
    without = topic.change("c", 900, None, row(1, "without"))
    update = topic.change("u", 10, row(1, "without"), row(1, "with"), ts_ms=1_800_000_000_000)
    header = at(update, "1/bin.000001/10/0")
    made.batches.apply(frame(spark, [header]), "app", 0)
    made.batches.apply(frame(spark, [without]), "app", 1)
    assert rows(made, "shop__orders", "v", "__seq_hi") == [("with", (1 << 32) + 1)]
    assert made.state.parked_tables() == {}


@pytest.mark.slow
def test_unwrapped_rows_take_their_place_from_the_header(sink: MakeSink, spark: Any) -> None:
    topic = Topic()
    made = sink(**HEADER, columns={"types": {"id": "INT", "v": "VARCHAR(9)"}})
    messages = [
        topic.message({"id": 1}, {"id": 1, "v": text}, position=f"0/bin.000001/{pos}/0")
        for text, pos in (("second", 20), ("first", 10))
    ]
    made.batches.apply(frame(spark, messages), "app", 0)
    assert rows(made, "shop__orders", "v") == [("second",)]
