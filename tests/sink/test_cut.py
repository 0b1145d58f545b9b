"""A batch is a consistent cut where the tables hold whole transactions only."""

from __future__ import annotations

import json
import random
from argparse import Namespace
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame
from tests.sink.test_formats import avro

COLUMNS = [field("id", "int32")]
TOPIC = "srv.transaction"


class Log:
    """Writes the messages of two tables and of the transactions that change them."""

    def __init__(self) -> None:
        self.tables = [Topic(f"srv.shop.{name}", COLUMNS) for name in ("orders", "items")]
        self.topic = Topic(TOPIC)
        self._pos = 0

    def event(self, transaction: str, order: int, table: int, op: str = "c") -> dict[str, Any]:
        """Make an event; its schema lacks the transaction block, which is not needed."""
        self._pos += 1
        message = self.tables[table].change(op, self._pos, None, {"id": self._pos})
        value = _value(message)
        value["payload"]["transaction"] = {"id": transaction, "total_order": order}
        return {**message, "value64": None, "value": json.dumps(value, separators=(",", ":"))}

    def end(self, transaction: str, *counts: int, schema: bool = True) -> dict[str, Any]:
        names = ("orders", "items", "elsewhere")
        tables = [
            {"data_collection": f"shop.{name}", "event_count": count}
            for name, count in zip(names, counts, strict=False)
        ]
        value: Any = {"status": "END", "id": transaction, "event_count": sum(counts),
                      "data_collections": tables}  # fmt: skip
        if schema:
            value = {"schema": {"type": "struct"}, "payload": value}
        return self.topic.message({"id": transaction}, value)


def _value(message: dict[str, Any]) -> Any:
    import base64  # noqa: PLC0415

    return json.loads(base64.b64decode(message["value64"]))


@pytest.fixture
def log() -> Log:
    return Log()


SETTINGS: dict[str, Any] = {"source": {"transaction.topic": TOPIC, "topics.exclude": ".*elsewhere"}}


def cuts(made: Any) -> list[bool | None]:
    rows = made.state.table("commits").read().orderBy("batch").select("consistent").collect()
    return [row["consistent"] for row in rows]


def test_a_cut_holds_whole_transactions(
    sink: MakeSink, spark: Any, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    from sparksink.commands.subcommands import cut  # noqa: PLC0415
    from sparksink.state.transactions import OpenTransaction  # noqa: PLC0415

    made = sink(**SETTINGS)

    def apply(number: int, messages: Sequence[dict[str, Any]]) -> None:
        made.batches.apply(frame(spark, messages), "app", number, cut=True)

    first, second = log.event("a", 1, 0), log.event("a", 2, 1)
    apply(0, [first, log.end("a", 1, 1, 5)])  # five of a table that is not read
    made = sink(**SETTINGS)  # another process
    assert made.state.transactions.open == {"a": OpenTransaction([(1, 1)], 2)}
    apply(1, [first, log.event("b", 1, 0)])  # what comes again is no other event
    assert made.state.transactions.open.keys() == {"a", "b"}
    apply(2, [second, log.end("b", 1, schema=False)])
    apply(3, [log.end("a", 1, 1)])  # redelivered after a restart of the connector
    assert cuts(made) == [False, False, True, True]
    cut(made, Namespace())
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines[1:]] == ["shop.items", "shop.orders"]


@pytest.mark.slow
def test_dead_letters_and_half_a_snapshot_are_no_cut(sink: MakeSink, spark: Any, log: Log) -> None:
    from sparksink.commands.stored_messages import dlq  # noqa: PLC0415

    made = sink(**SETTINGS)
    number = iter(range(9))

    def apply(*messages: dict[str, Any]) -> None:
        made.batches.apply(frame(spark, messages), "app", next(number), cut=True)

    orders, items = log.tables
    apply(orders.change("r", 1, None, {"id": 1}, snapshot="last_in_data_collection"))
    apply(items.change("r", 1, None, {"id": 1}, snapshot="last"))
    apply(log.event("a", 1, 0), log.event("a", 2, 1, op="?"), log.end("a", 1, 1))
    assert cuts(made) == [False, True, False]
    apply(log.event("b", 1, 0), log.end("b", 1))
    assert made.state.transactions.open.keys() == {"a"}  # of which an event is a dead letter
    dlq(made, Namespace(action="purge"))
    made = sink(**SETTINGS)
    apply(log.event("c", 1, 0), log.end("c", 1))
    assert cuts(made)[-1]
    assert not made.state.transactions.open


@pytest.mark.slow
def test_events_of_a_paused_table_have_not_arrived(sink: MakeSink, spark: Any, log: Log) -> None:
    from sparksink.commands.stored_messages import park  # noqa: PLC0415

    made = sink(**SETTINGS)

    def apply(number: int, *messages: dict[str, Any]) -> None:
        made.batches.apply(frame(spark, messages), "app", number, cut=True)

    apply(0, log.event("a", 1, 0), log.event("a", 2, 1), log.end("a", 1, 1))
    made.state.park("shop.items", "a test")
    apply(1, log.event("b", 1, 0), log.event("b", 2, 1), log.end("b", 1, 1))
    apply(2, log.event("c", 1, 0), log.end("c", 1))
    assert cuts(made) == [True, False, False]
    assert made.state.transactions.open.keys() == {"b"}
    park(made, Namespace(action="replay", table=".*"))
    assert not made.state.transactions.open
    apply(3, log.event("d", 1, 0), log.end("d", 1))
    assert cuts(made)[-1]


@pytest.mark.slow
def test_any_number_of_open_transactions_is_followed(sink: MakeSink, spark: Any, log: Log) -> None:
    given = {"limits": {"open_limit": 2}, **SETTINGS}
    made = sink(**given)

    def apply(number: int, *messages: dict[str, Any]) -> None:
        made.batches.apply(frame(spark, messages), "app", number, cut=True)

    late = [log.event(str(n), 2, 1) for n in range(5)]
    apply(
        0, *(log.event(str(n), 1, 0) for n in range(5)), *(log.end(str(n), 1, 1) for n in range(5))
    )
    made = sink(**given)  # another process
    assert made.state.transactions.stored == ("app", 0)
    apply(1, *late[:2])
    assert made.state.transactions.stored == ("app", 1)
    made.state.compact(168, None)
    assert {row["batch"] for row in made.state.table("transactions").read().collect()} == {1}
    apply(2, *late[2:4])
    assert made.state.transactions.open.keys() == {"4"}
    apply(3, late[4])
    assert cuts(made) == [False, False, False, True]


def test_numbers_of_events_are_joined_whatever_their_order(spark: Any) -> None:
    from sparksink.state.transactions import _merge_ranges  # noqa: PLC0415

    chance = random.Random(7)
    given = {
        str(n): [(first, first + chance.randrange(4)) for first in chance.choices(range(30), k=6)]
        for n in range(60)
    }
    rows = [(name, *one) for name, ranges in given.items() for one in ranges]
    merged = _merge_ranges(spark.createDataFrame(rows, "id string, first bigint, last bigint"))
    found = {row["id"]: row for row in merged.collect()}
    for name, ranges in given.items():
        numbers = {number for first, last in ranges for number in range(first, last + 1)}
        joined = [tuple(one) for one in found[name]["ranges"]]
        assert {n for first, last in joined for n in range(first, last + 1)} == numbers
        assert found[name]["seen"] == len(numbers)
        assert all(first > before + 1 for (_, before), (first, _) in pairwise(joined))


def test_every_form_names_its_transaction(spark: Any) -> None:
    from sparksink.decode.batch_summary import summarize  # noqa: PLC0415
    from sparksink.decode.message_schemas import MessageSchemas  # noqa: PLC0415
    from sparksink.decode.transactions import events  # noqa: PLC0415

    order = {"name": "total_order", "type": "long"}
    block = {"type": "record", "name": "block", "fields": [{"name": "id", "type": "string"}, order]}
    snapshot = {"name": "snapshot", "type": ["null", "string"]}
    source = {"type": "record", "name": "source", "fields": [snapshot]}
    field = {"name": "id", "type": "int"}
    after = {"type": "record", "name": "row", "fields": [field]}
    schemas = {
        7: [{"name": "after", "type": after}, {"name": "transaction", "type": ["null", block]},
            {"name": "op", "type": "string"}, {"name": "source", "type": source}],
        8: [{"name": "__transaction_id", "type": "string"}, {"name": "op", "type": "string"},
            {"name": "__op", "type": "string"}, {**order, "name": "__transaction_total_order"}],
        9: [{"name": "transaction", "type": "string"}],
    }  # fmt: skip
    written = {n: {"type": "record", "name": "v", "fields": each} for n, each in schemas.items()}
    row, cloud = Topic("srv.shop.rows"), Topic("srv.shop.cloud")
    envelope, lines, other = (Topic(f"srv.shop.avro{number}") for number in schemas)
    messages = [
        row.message(None, {"id": 1, "__transaction_id": "a", "__transaction_total_order": 1,
                           "op": "a column", "__op": "r", "__source_snapshot": "last"}),
        cloud.message(None, {"specversion": "1.0", "iodebeziumtxid": "a", "iodebeziumop": "r",
                             "iodebeziumsnapshot": "true", "iodebeziumtxtotalorder": "2"}),
        envelope.message(None, avro(written[7], 7, {
            "after": {"id": 1}, "transaction": {"id": "a", "total_order": 3}, "op": "r",
            "source": {"snapshot": "first"}})),
        envelope.message(None, avro(written[7], 7, {
            "after": {"id": 2}, "transaction": None, "op": "r", "source": {"snapshot": None}})),
        lines.message(None, avro(written[8], 8, {"__transaction_id": "a", "op": "a column",
                                                 "__op": "c", "__transaction_total_order": 4})),
        other.message(None, avro(written[9], 9, {"transaction": "a column"})),
    ]  # fmt: skip
    layouts = MessageSchemas(lambda _: None, lambda number: json.dumps(written[number]))
    marked, counts = summarize(frame(spark, messages), layouts)
    found = events(marked, layouts.avro({(one.topic, one.mark) for one in counts}))
    named = found.where("id IS NOT NULL").select("id", "total_order", "op", "snapshot").collect()
    marked.unpersist()
    assert sorted(map(tuple, named)) == [
        ("a", 1, "r", "last"), ("a", 2, "r", "true"), ("a", 3, "r", "first"), ("a", 4, "c", None),
    ]  # fmt: skip


def test_without_the_topic_there_is_no_cut(sink: MakeSink, spark: Any, log: Log) -> None:
    from sparksink.commands.subcommands import cut  # noqa: PLC0415
    from sparksink.errors import SinkError  # noqa: PLC0415

    made = sink()
    made.batches.apply(frame(spark, [log.event("a", 1, 0)]), "app", 0, cut=True)
    made.batches.apply(frame(spark, []), "app", 1, cut=True)  # heartbeats alone
    assert cuts(made) == [None]
    with pytest.raises(SinkError, match="No transaction metadata"):
        cut(made, Namespace())


@pytest.mark.slow
def test_the_stream_has_the_topic_and_nothing_else_has(
    sink: MakeSink, tmp_path: Path, log: Log
) -> None:
    made = sink(source={"transaction.topic": TOPIC, "topics": r"srv\.shop\..*"})
    lines = [log.event("a", 1, 0), log.end("a", 1)]
    (tmp_path / "in" / "0.json").write_text("\n".join(map(json.dumps, lines)))
    assert {row["topic"] for row in made.messages.between().collect()} == {"srv.shop.orders"}
    query = made.messages.stream().writeStream.format("memory").queryName("read")
    query.trigger(availableNow=True).start().awaitTermination()
    found = made.spark.sql("SELECT DISTINCT topic FROM read").collect()
    assert {row["topic"] for row in found} == {"srv.shop.orders", TOPIC}
