"""Positions of another log park their table; positions of redelivered changes do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows

COLUMNS = [field("id", "int32"), field("v", "string")]
Change = tuple[int, int]
"""The position of a change, and its time in seconds."""


def written(topic: Topic, changes: Iterable[Change], partition: int = 0) -> list[Row]:
    """Return changes in the order in which a connector writes them to one partition."""
    messages = [
        topic.change(
            "u", pos, None, {"id": pos, "v": "v"}, ts_ms=1_700_000_000_000 + 1000 * at
        )
        for pos, at in changes
    ]  # fmt: skip
    return [{**message, "partition": partition} for message in messages]


def apply(made: Any, spark: Any, number: int, *batch: Sequence[Row]) -> None:
    made.batches.apply(frame(spark, [one for part in batch for one in part]), "app", number)


OLD = [(900, 10), (950, 11), (1000, 12)]
OTHERS = {
    "restarts": [(4, 20), (80, 21)],
    "overtakes": [(4, 20), (1200, 21)],
    "within": [(940, 20), (960, 21)],
}
"""Changes of another binlog, where the later change of a row would lose."""


def test_another_binlog_parks_the_table(sink: MakeSink, spark: Any) -> None:
    """The first batch has the switch, or ends with it."""
    made = sink()
    topics = [Topic(f"srv.shop.{name}_{n}", COLUMNS) for name in OTHERS for n in (1, 2)]
    old = [written(topic, OLD) for topic in topics]
    new = [written(topic, OTHERS[topic.name[9:-2]]) for topic in topics]
    apply(made, spark, 0, *old, *new[::2])
    assert sorted(made.state.parked_tables()) == [
        "shop.overtakes_1",
        "shop.restarts_1",
        "shop.within_1",
    ]
    apply(made, spark, 1, *new[1::2])
    parked = made.state.parked_tables()
    assert sorted(parked) == sorted(topic.name[4:] for topic in topics)
    for reason in parked.values():
        assert "binlog positions went back" in reason
        assert "ignore" not in reason


@pytest.mark.slow
def test_a_later_process_knows_each_partition(sink: MakeSink, spark: Any) -> None:
    """A partition that lags is no regression; one that restarts is, whatever others have read."""
    topic = Topic(columns=COLUMNS)
    others = [written(topic, [(5000, 20)], partition=number) for number in range(1, 6)]
    apply(sink(), spark, 0, written(topic, OLD), *others)
    made = sink()
    apply(made, spark, 1, written(topic, [(1010, 25)]))  # a long transaction in the other partition
    assert made.state.parked_tables() == {}
    made = sink()
    apply(made, spark, 2, written(topic, [(1005, 30), (6000, 31)]))
    assert "binlog positions went back" in made.state.parked_tables()["shop.orders"]
    assert rows(made, "shop__orders", "id") == [(1000,), (1010,), (5000,), (900,), (950,)]


INVERTED = [(900, 10), (950, 15), (1000, 12), (1050, 13)]
"""The time of a change is that of its statement: a long transaction is later in the binlog."""


def test_redelivered_changes_and_snapshots_park_no_table(sink: MakeSink, spark: Any) -> None:
    """A connector that restarts writes changes again, from any position on."""
    made = sink(mirror={"sweep": False})
    topics = [(Topic(f"srv.shop.t{first}_{cut}", COLUMNS), first, cut)
              for first in range(4) for cut in (4, 6)]  # fmt: skip
    parts = [(written(topic, [*INVERTED, *INVERTED[first:], (1100, 14)]), cut)
             for topic, first, cut in topics]  # fmt: skip
    # Rows of a snapshot have the position at which it began, and the time at which it was read.
    orders = Topic(columns=COLUMNS)
    chunk = orders.change("r", 890, None, {"id": 7, "v": "chunk"}, snapshot="incremental",
                          ts_ms=1_700_000_500_000)  # fmt: skip
    snapshot = [*written(orders, OLD[:1]), chunk, *written(orders, OLD[1:])]
    apply(made, spark, 0, snapshot, *(messages[:cut] for messages, cut in parts))
    apply(made, spark, 1, *(messages[cut:] for messages, cut in parts))
    made.batches.apply(
        frame(spark, [one for part, _ in parts for one in part]), "backfill:again", 0
    )
    assert made.state.parked_tables() == {}
    for topic, *_ in topics:
        found = rows(made, topic.name[4:].replace(".", "__"), "id")
        assert found == [(1000,), (1050,), (1100,), (900,), (950,)]


@pytest.mark.slow
def test_a_history_without_redelivered_changes_is_checked(sink: MakeSink, spark: Any) -> None:
    """It skips positions that go back, so the changes of another binlog would be missing."""
    made = sink(mirror={"enabled": False}, history={"enabled": True, "dedupe": "replay"})
    apply(made, spark, 0, written(Topic(columns=COLUMNS), [*OLD, (4, 20)]))
    assert "binlog positions went back" in made.state.parked_tables()["shop.orders"]
    assert made.state.table("parked").read().count() == 4


@pytest.mark.slow
def test_replayed_dead_letters_are_older(sink: MakeSink, spark: Any) -> None:
    from sparksink.commands.replay import replay_dead_letters  # noqa: PLC0415 - needs Spark

    made = sink()
    [letter, *others] = written(Topic(columns=COLUMNS), [(900, 15), (950, 11), (1000, 12)])
    apply(made, spark, 0, [{**letter, "value64": "AQ=="}, *others])
    letters = made.state.table("dead_letter")
    assert letters.read().count() == 1
    letters.run(f"UPDATE {{table}} SET value = unbase64('{letter['value64']}')")
    replay_dead_letters(made)
    assert made.state.parked_tables() == {}
    assert rows(made, "shop__orders", "id") == [(1000,), (900,), (950,)]


KAFKA: dict[str, Any] = {
    "ordering": {"mode": "kafka"},
    "mirror": {"truncate": "ignore", "sweep": False},
    "columns": {"types": {"id": "int", "v": "varchar(9)"}},
}


def stored(message: Row, offset: int, timestamp: int) -> Row:
    return {**message, "offset": offset, "timestamp": timestamp}


def test_offsets_of_a_recreated_topic_park_the_table(sink: MakeSink, spark: Any) -> None:
    """Also if its first messages are those of a snapshot, or rows without a time of the source."""
    orders, rows_alone, snapshot = (Topic(f"srv.shop.{n}") for n in ("orders", "plain", "read"))
    first = [
        *(stored(orders.change("c", 90 + n, None, {"id": n, "v": "a"}), 1000 + n, 5000 + n)
          for n in (1, 2)),
        stored(rows_alone.message({"id": 1}, {"id": 1, "v": "a"}), 1000, 5000),
        stored(snapshot.change("c", 90, None, {"id": 1, "v": "a"}), 0, 5000),
    ]  # fmt: skip
    apply(sink(**KAFKA), spark, 0, first)
    made = sink(**KAFKA)
    made.batches.apply(frame(spark, first), "again", 0)  # another checkpoint
    assert made.state.parked_tables() == {}
    again = [
        stored(orders.change("u", 100, None, {"id": 1, "v": "b"}), 3, 9000),
        stored(orders.change("d", 110, {"id": 2, "v": "a"}, None), 4, 9001),
        stored(rows_alone.message({"id": 1}, {"id": 1, "v": "b"}), 3, 9000),
        stored(snapshot.change("r", 100, None, {"id": 1, "v": "b"}, snapshot="last"), 0, 9000),
    ]
    made.batches.apply(frame(spark, again), "again", 1)
    parked = made.state.parked_tables()
    assert sorted(parked) == ["shop.orders", "shop.plain", "shop.read"]
    assert all("the topic was created again" in reason for reason in parked.values())
    assert all("epoch" not in reason for reason in parked.values())
    assert made.state.table("parked").read().count() == 4


@pytest.mark.slow
def test_later_offsets_of_a_topic_are_applied(sink: MakeSink, spark: Any) -> None:
    """Whatever the times of messages are, which a producer sets."""
    topic = Topic()
    values = [("c", 5000), ("u", 4000), ("u", 6000), ("u", 4500)]
    messages = [
        stored(topic.change(op, 100, None, {"id": 1, "v": str(n)}), 10 + n, timestamp)
        for n, (op, timestamp) in enumerate(values)
    ]
    for number, part in enumerate((messages[:2], messages[1:3], messages[3:])):
        made = sink(**KAFKA)
        apply(made, spark, number, part)
    assert made.state.parked_tables() == {}
    assert rows(made, "shop__orders", "v") == [("3",)]
