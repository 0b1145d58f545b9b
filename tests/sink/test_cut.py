"""A batch is a consistent cut where the tables hold whole transactions only."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.sink.recorded import Topic, field, frame
from tests.sink.test_formats import avro

COLUMNS = [field("id", "int32")]
TOPIC = "srv.transaction"


class Log:
    """Writes the messages of two tables and of the transactions that change them."""

    def __init__(self) -> None:
        self.tables = [Topic(f"srv.shop.{name}", COLUMNS) for name in ("orders", "items")]
        self.topic = Topic(TOPIC)
        self._pos = 0

    def event(self, transaction: str, order: int, table: int) -> dict[str, Any]:
        """Make an event; its schema tells nothing of the transaction block, as nothing needs to."""
        self._pos += 1
        message = self.tables[table].change("c", self._pos, None, {"id": self._pos})
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


def cuts(made: Any) -> list[bool | None]:
    rows = made.state.table("commits").read().orderBy("batch").select("consistent").collect()
    return [row["consistent"] for row in rows]


def test_a_cut_holds_whole_transactions(
    sink: Callable[..., Any], spark: Any, log: Log, capsys: pytest.CaptureFixture[str]
):
    from sparksink.commands.entries import cut  # noqa: PLC0415
    from sparksink.state.transactions import Open  # noqa: PLC0415

    options = {"source": {"transaction.topic": TOPIC, "topics.exclude": ".*elsewhere"}}
    made = sink(**options)

    def apply(number: int, messages: Sequence[dict[str, Any]]) -> None:
        made.batches.apply(frame(spark, messages), "app", number, cut=True)

    first, second = log.event("a", 1, 0), log.event("a", 2, 1)
    apply(0, [first, log.end("a", 1, 1, 5)])  # five of a table that is not read
    made = sink(**options)  # another process
    assert made.state.transactions.open == {"a": Open(((1, 1),), 2)}
    apply(1, [first, log.event("b", 1, 0)])  # what comes again is no other event
    assert made.state.transactions.open.keys() == {"a", "b"}
    apply(2, [second, log.end("b", 1, schema=False)])
    apply(3, [log.end("a", 1, 1)])  # told again after a restart of the connector
    assert cuts(made) == [False, False, True, True]
    cut(made, Namespace())
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in told[1:]] == ["shop.items", "shop.orders"]


def test_every_form_names_its_transaction(spark: Any):
    from sparksink.decode.census import read  # noqa: PLC0415
    from sparksink.decode.layouts import Layouts  # noqa: PLC0415
    from sparksink.decode.transactions import events  # noqa: PLC0415

    order = {"name": "total_order", "type": "long"}
    block = {"type": "record", "name": "block", "fields": [{"name": "id", "type": "string"}, order]}
    schemas = {
        7: [{"name": "after", "type": "int"}, {"name": "transaction", "type": ["null", block]}],
        8: [{"name": "__transaction_id", "type": "string"},
            {**order, "name": "__transaction_total_order"}],
        9: [{"name": "transaction", "type": "string"}],
    }  # fmt: skip
    written = {n: {"type": "record", "name": "v", "fields": each} for n, each in schemas.items()}
    row, cloud = Topic("srv.shop.rows"), Topic("srv.shop.cloud")
    envelope, lines, other = (Topic(f"srv.shop.avro{number}") for number in schemas)
    messages = [
        row.message(None, {"id": 1, "__transaction_id": "a", "__transaction_total_order": 1}),
        cloud.message(None, {"specversion": "1.0", "iodebeziumtxid": "a",
                             "iodebeziumtxtotalorder": "2"}),
        envelope.message(None, avro(written[7], 7, {"after": 1, "transaction":
                                                    {"id": "a", "total_order": 3}})),
        envelope.message(None, avro(written[7], 7, {"after": 2, "transaction": None})),
        lines.message(None, avro(written[8], 8, {"__transaction_id": "a",
                                                 "__transaction_total_order": 4})),
        other.message(None, avro(written[9], 9, {"transaction": "a column"})),
    ]  # fmt: skip
    layouts = Layouts(lambda _: None, lambda number: json.dumps(written[number]))
    marked, counts = read(frame(spark, messages), layouts, lambda *_: None)
    found = events(marked, layouts.avro({(one.topic, one.mark) for one in counts})).collect()
    marked.unpersist()
    assert sorted(map(tuple, found)) == [("a", 1), ("a", 2), ("a", 3), ("a", 4)]


def test_without_the_topic_there_is_no_cut(sink: Callable[..., Any], spark: Any, log: Log):
    from sparksink.commands.entries import cut  # noqa: PLC0415
    from sparksink.errors import SinkError  # noqa: PLC0415

    made = sink()
    made.batches.apply(frame(spark, [log.event("a", 1, 0)]), "app", 0, cut=True)
    made.batches.apply(frame(spark, []), "app", 1, cut=True)  # heartbeats alone
    assert cuts(made) == [None]
    with pytest.raises(SinkError, match="Nothing tells of transactions"):
        cut(made, Namespace())


@pytest.mark.slow
def test_the_stream_has_the_topic_and_nothing_else_has(
    sink: Callable[..., Any], tmp_path: Path, log: Log
):
    made = sink(source={"transaction.topic": TOPIC, "topics": r"srv\.shop\..*"})
    lines = [log.event("a", 1, 0), log.end("a", 1)]
    (tmp_path / "in" / "0.json").write_text("\n".join(map(json.dumps, lines)))
    assert {row["topic"] for row in made.messages.between().collect()} == {"srv.shop.orders"}
    query = made.messages.stream().writeStream.format("memory").queryName("read")
    query.trigger(availableNow=True).start().awaitTermination()
    found = made.spark.sql("SELECT DISTINCT topic FROM read").collect()
    assert {row["topic"] for row in found} == {"srv.shop.orders", TOPIC}
