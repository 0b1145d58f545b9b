"""The sweep behind a snapshot waits for the partitions of a topic in Kafka."""

from __future__ import annotations

import base64
import re
import time

import pytest
from confluent_kafka import Producer

from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, rows
from tests.fixtures.topics import Topics
from tests.sink.test_streaming import ONCE
from tools.stack import KafkaBroker

COLUMNS = [field("id", "int32"), field("v", "string")]


def produce(broker: KafkaBroker, partition: int, messages: list[Row]) -> None:
    producer = Producer({"bootstrap.servers": broker.address})
    for message in messages:
        key, value = (base64.b64decode(message[part]) for part in ("key64", "value64"))
        producer.produce(message["topic"], key=key, value=value, partition=partition)
    assert producer.flush(30) == 0


@pytest.mark.slow
def test_rows_of_a_partition_that_lags_are_in_every_version(
    broker: KafkaBroker, topics: Topics, sink: MakeSink
) -> None:
    """Each batch makes a version of the table; none lacks a row that the snapshot has."""
    from sparksink.commands.subcommands import run  # noqa: PLC0415 - needs Spark

    name = f"sweep{time.time_ns()}.shop.orders"
    topics.create(name, 2)
    topic = Topic(name, COLUMNS)
    source = {
        "kind": "kafka", "bootstrap.servers": broker.address, "topics": re.escape(name),
        "max.offsets.per.trigger": 40,
    }  # fmt: skip

    def insert(key: int, pos: int) -> Row:
        return topic.change("c", pos, None, {"id": key, "v": "a"})

    produce(broker, 0, [insert(1, 10), insert(3, 11)])  # row 3 goes without a message
    produce(broker, 1, [insert(2, 12)])
    run(sink(source=source), ONCE)
    row = {"id": 2, "v": "a"}
    filler = [topic.change("u", 20 + n, row, row) for n in range(120)]
    rest = topic.change("r", 500, None, row, snapshot="true")
    produce(broker, 1, [*filler, rest])
    end = topic.change("r", 500, None, {"id": 1, "v": "a"}, snapshot="last")
    produce(broker, 0, [end])
    made = sink(source=source)
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == [(1,), (2,)]
    batches = len(rows(made, "_cdc/commits", "batch"))
    assert batches > 3
    path, last = made.lake.table("shop__orders").identifier, int(made.lake.version("shop__orders"))
    kept = [
        {row["id"] for row in made.spark.sql(f"SELECT id FROM {path} VERSION AS OF {n}").collect()}
        for n in range(last + 1)
    ]
    filled = kept[next(n for n, ids in enumerate(kept) if ids) :]
    assert all({1, 2} <= ids for ids in filled)
    assert sum(3 in ids for ids in filled) >= batches - 1
    assert made.state.pending_sweeps() == []
