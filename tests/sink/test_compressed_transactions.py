"""Events of a compressed transaction have one position, and each numbers its rows from 0."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows

COLUMNS = [field("id", "int32"), field("v", "int32")]
HEADER = {"ordering": {"epoch": "header"}}
Event = Sequence[tuple[str, Row | None, Row | None]]
"""The rows of one event: operation, row before and row after."""


def row(key: int, value: int) -> Row:
    return {"id": key, "v": value}


def transaction(topic: Topic, pos: int, *events: Event, header: bool = True) -> list[Row]:
    """Return the messages of a transaction that the server compressed into one event."""
    messages = []
    for offset, event in enumerate(events):
        for number, (op, before, after) in enumerate(event):
            message = topic.change(op, pos, before, after, row=number, ts_ms=1_700_000_000_000)
            if header:
                message["position"] = f"0/bin.000001/{pos}/{100 * offset + number}"
            messages.append(message)
    return messages


def test_the_last_change_in_a_transaction_wins(sink: MakeSink, spark: Any) -> None:
    """Also if the transaction is read in two batches."""
    made = sink(**HEADER)
    topic = Topic(columns=COLUMNS)
    messages = transaction(
        topic,
        500,
        [("c", None, row(1, 0)), ("c", None, row(2, 0)), ("c", None, row(3, 0))],
        [("d", row(1, 0), None)],
        [("u", row(2, 0), row(2, 1)), ("u", row(3, 0), row(3, 1))],
        [("u", row(3, 1), row(3, 2))],
        [("u", row(2, 1), row(2, 2))],
        [("u", row(2, 2), row(2, 3))],
    )
    made.batches.apply(frame(spark, messages[:-1]), "app", 0)
    assert rows(made, "shop__orders", "id", "v") == [(2, 2), (3, 2)]
    made.batches.apply(frame(spark, messages[-1:]), "app", 1)
    assert rows(made, "shop__orders", "id", "v") == [(2, 3), (3, 2)]
    assert made.state.parked_tables() == {}


@pytest.mark.slow
def test_every_change_of_a_transaction_is_kept(sink: MakeSink, spark: Any) -> None:
    """By versions, and by histories without redelivered events."""
    events: list[Event] = [
        [("c", None, row(1, 0))],
        [("u", row(1, 0), row(1, 1))],
        [("u", row(1, 1), row(1, 0))],
        [("u", row(1, 0), row(1, 1))],
    ]
    made = sink(
        **HEADER,
        mirror={"scd": 2},
        history={"enabled": True, "dedupe": "replay"},
        tables=[{"match": "shop.events", "history": {"dedupe": "event_id"}}],
    )
    topics = [Topic(columns=COLUMNS), Topic("srv.shop.events", COLUMNS)]
    parts = [transaction(topic, 500, *events) for topic in topics]
    repeated = [[{**one, "offset": one["offset"] + 4} for one in part] for part in parts]
    made.batches.apply(frame(spark, [one for part in parts for one in part[:2]]), "app", 0)
    rest = [one for part in parts for one in part[2:]]
    made.batches.apply(frame(spark, rest + repeated[0] + repeated[1]), "app", 1)
    for name in ("shop__orders", "shop__events"):
        versions = made.lake.table(name).read().orderBy("__seq_lo").select("v", "__current")
        assert [tuple(one) for one in versions.collect()] == [
            (0, False), (1, False), (0, False), (1, True),
        ]  # fmt: skip
        assert rows(made, f"{name}__history", "v", "__op") == [
            (0, "c"), (0, "u"), (1, "u"), (1, "u"),
        ]  # fmt: skip


@pytest.mark.slow
def test_equal_rows_of_a_keyless_table_are_counted(sink: MakeSink, spark: Any) -> None:
    made = sink(**HEADER, nopk="bag_view")
    topic = Topic(columns=COLUMNS, keys=())
    same: Event = [("c", None, row(1, 0))]
    messages = transaction(topic, 500, same, same, [("d", row(1, 0), None)], same)
    again = [{**one, "offset": one["offset"] + 4} for one in messages]
    made.batches.apply(frame(spark, messages + again), "app", 0)
    assert rows(made, "shop__orders", "id", "v", "__count") == [(1, 0, 2)]


@pytest.mark.slow
def test_headers_of_a_large_transaction_stay_in_order(sink: MakeSink, spark: Any) -> None:
    """Their numbers count bytes, which are more than the bits of a row hold."""
    made = sink(**HEADER)
    topic = Topic(columns=COLUMNS)
    messages = []
    for value, (pos, number) in enumerate([(500, 1 << 20), (500, 1 << 33), (500 + (1 << 14), 0)]):
        message = topic.change("u", pos, None, row(1, value))
        messages.append({**message, "position": f"0/bin.000001/{pos}/{number}"})
    for number, message in enumerate((messages[1], messages[0], messages[2])):
        made.batches.apply(frame(spark, [message]), "app", number)
        assert rows(made, "shop__orders", "v") == [(2 if number == 2 else 1,)]


@pytest.mark.slow
def test_rows_that_are_redelivered_to_other_partitions_park_no_table(
    sink: MakeSink, spark: Any
) -> None:
    """Messages without a key go to any partition, and those of one may be read later."""
    made = sink(nopk="bag_view")
    topic = Topic(columns=COLUMNS, keys=())
    event: Event = [("c", None, row(1, number)) for number in range(4)]
    messages = transaction(topic, 500, event, header=False)
    first = [{**one, "partition": number % 2} for number, one in enumerate(messages)]
    again = [
        {**one, "offset": one["offset"] + 4, "partition": 1 - number % 2}
        for number, one in enumerate(messages)
    ]
    made.batches.apply(frame(spark, [first[1], first[3], again[0], again[2]]), "app", 0)
    assert made.state.parked_tables() == {}
    made.batches.apply(frame(spark, [first[0], first[2], again[1], again[3]]), "app", 1)
    assert made.state.parked_tables() == {}
    expected = [(1, number, 1) for number in range(4)]
    assert rows(made, "shop__orders", "id", "v", "__count") == expected


AMBIGUOUS: dict[str, Sequence[Event]] = {
    "deleted": [[("c", None, row(1, 0))], [("d", row(1, 0), None)]],
    "behind": [
        [("u", row(1, 0), row(1, 1)), ("u", row(2, 0), row(2, 1))],
        [("u", row(2, 1), row(2, 2))],
    ],
    "same": [[("u", row(1, 0), row(1, 1))], [("u", row(1, 1), row(1, 2))]],
}
"""Transactions whose changes have no order without headers."""
WRITERS: dict[str, dict[str, Any]] = {
    "kept": {"columns": {"null.updates": "keep"}},
    "versions": {"mirror": {"scd": 2}},
    "events": {"history": {"enabled": True, "dedupe": "event_id"}},
    "replays": {"mirror": {"enabled": False}, "history": {"enabled": True, "dedupe": "replay"}},
    "keyless": {"nopk": "bag_view"},
}


UNLIKE_ROWS: dict[str, Sequence[Event]] = {
    "keyless_inserts": [[("c", None, row(1, 0))], [("c", None, row(2, 0))]],
    "keyless_updates": [[("u", row(1, 0), row(3, 0))], [("u", row(2, 0), row(3, 0))]],
    "keyless_deletes": [[("d", row(1, 0), None)], [("d", row(2, 0), None)]],
}
"""Transactions whose changes of other rows have one position, in several partitions."""


def test_without_headers_ambiguous_changes_park_the_table(sink: MakeSink, spark: Any) -> None:
    rules = [{"match": f"shop.{name}", **given} for name, given in WRITERS.items()]
    rules += [{"match": "shop.keyless_.*", "nopk": "bag_view"}]
    made = sink(tables=rules)
    messages = []
    for name in (*AMBIGUOUS, *WRITERS):
        keys = () if name == "keyless" else ("id",)
        events = AMBIGUOUS.get(name, AMBIGUOUS["same"])
        messages += transaction(
            Topic(f"srv.shop.{name}", COLUMNS, keys), 500, *events, header=False
        )
    for name, events in UNLIKE_ROWS.items():
        given = transaction(Topic(f"srv.shop.{name}", COLUMNS, ()), 500, *events, header=False)
        messages += [{**one, "partition": number} for number, one in enumerate(given)]
    made.batches.apply(frame(spark, messages), "app", 0)
    parked = made.state.parked_tables()
    assert sorted(parked) == sorted(f"shop.{name}" for name in (*AMBIGUOUS, *WRITERS, *UNLIKE_ROWS))
    for reason in parked.values():
        assert "millrace.position.headers" in reason
        assert "binlog_transaction_compression" in reason


def shifted(topic: Topic, pos: int) -> list[Row]:
    """Return the messages of an event that gives each row the key of the next one."""
    keys = [3, 2, 1]
    return [
        message
        for number, key in enumerate(keys)
        for message in (
            topic.change("d", pos, row(key, key), None, row=number),
            topic.message({"id": key}, None),
            topic.change("c", pos, None, row(key + 1, key), row=number),
        )
    ]


@pytest.mark.slow
def test_redelivered_changes_of_one_event_park_no_table(sink: MakeSink, spark: Any) -> None:
    """Wherever the first batch ends, and whatever is redelivered."""
    made = sink(
        tables=[{"match": "shop.version.*", "mirror": {"scd": 2}}],
        mirror={"truncate": "ignore", "sweep": False},
    )
    chance = random.Random(7)
    batches: list[list[Row]] = [[], [], []]
    for number in range(6):
        topic = Topic(f"srv.shop.{'version' if number % 2 else 'row'}{number}", COLUMNS)
        messages = [topic.change("c", 400, None, row(key, key), row=key) for key in (1, 2, 3)]
        messages += shifted(topic, 500)
        for _ in range(2):
            first = chance.randrange(len(messages))
            for one in messages[first:]:
                topic.offset += 1
                messages.append({**one, "offset": topic.offset})
        cuts = sorted(chance.randrange(len(messages)) for _ in range(2))
        for batch, start, end in zip(batches, [0, *cuts], [*cuts, len(messages)], strict=True):
            batch.extend(messages[start:end])
    for number, delivered in enumerate(batches):
        made.batches.apply(frame(spark, delivered), "app", number)
        assert made.state.parked_tables() == {}
    for number in range(0, 6, 2):
        assert rows(made, f"shop__row{number}", "id", "v") == [(2, 1), (3, 2), (4, 3)]


def changed(chance: random.Random, table: dict[int, int]) -> Iterator[Event]:
    """Yield the events of a transaction that changes a table."""
    for _ in range(chance.randint(1, 4)):
        event: list[tuple[str, Row | None, Row | None]] = []
        for key in chance.sample(range(1, 5), chance.randint(1, 3)):
            before = row(key, table[key]) if key in table else None
            if before and chance.random() < 0.4:
                del table[key]
                event.append(("d", before, None))
                continue
            table[key] = chance.randrange(1000)
            event.append(("u" if before else "c", before, row(key, table[key])))
        yield event


@pytest.mark.slow
def test_a_table_that_is_not_parked_equals_its_source(sink: MakeSink, spark: Any) -> None:
    made = sink()
    sources: dict[str, dict[int, int]] = {}
    messages = []
    for seed in range(12):
        chance = random.Random(seed)
        name, table = f"t{seed}", dict[int, int]()
        topic = Topic(f"srv.shop.{name}", COLUMNS)
        for pos in range(100, 300, 100):
            messages += transaction(topic, pos, *changed(chance, table), header=False)
        sources[name] = table
    made.batches.apply(frame(spark, messages), "app", 0)
    parked = {name.removeprefix("shop.") for name in made.state.parked_tables()}
    assert 2 < len(parked) < 12
    for name in sources.keys() - parked:
        assert rows(made, f"shop__{name}", "id", "v") == sorted(sources[name].items()), name
