"""What Kafka has deleted is noticed, and only what has all of it makes up for it."""

from __future__ import annotations

import argparse
import base64
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, rows
from tests.fixtures.topics import Topics
from tools.stack import KafkaBroker

ONCE = argparse.Namespace(once=True)
REBUILD = argparse.Namespace(table=".*", force=False)


class Orders:
    """A topic with one partition, from which messages are deleted."""

    def __init__(self, broker: KafkaBroker, topics: Topics) -> None:
        self.name = f"lost{time.time_ns()}.shop.orders"
        topics.create(self.name)
        self.source = {"kind": "kafka", "bootstrap.servers": broker.address,
                       "topics": re.escape(self.name)}  # fmt: skip
        self._topic = Topic(self.name, [field("id", "int32")])
        self._client: dict[str, Any] = {"bootstrap.servers": broker.address}

    def insert(self, *keys: int) -> None:
        self._produce([self._topic.change("c", 100 * key, None, {"id": key}) for key in keys])

    def snapshot(self, pos: int, *keys: int) -> None:
        marks = ["first", *["true"] * (len(keys) - 2), "last_in_data_collection"]
        self._produce(
            [
                self._topic.change("r", pos, None, {"id": key}, snapshot=mark)
                for key, mark in zip(keys, marks, strict=True)
            ]
        )

    def delete_before(self, offset: int) -> None:
        place = TopicPartition(self.name, 0, offset)
        admin = AdminClient(self._client)  # its answers need it alive
        admin.delete_records([place])[place].result(30)

    def _produce(self, messages: list[Row]) -> None:
        producer = Producer(self._client)
        for message in messages:
            key, value = (base64.b64decode(message[part]) for part in ("key64", "value64"))
            producer.produce(self.name, key=key, value=value)
        assert producer.flush(30) == 0


@pytest.fixture
def orders(broker: KafkaBroker, topics: Topics) -> Orders:
    return Orders(broker, topics)


def gap(made: Any) -> list[tuple[Any, ...]]:
    return rows(made, "_cdc/gaps", "source_table", "partition", "expected", "earliest")


@pytest.mark.slow
def test_a_snapshot_of_which_a_part_was_lost_does_not_fill_the_gap(
    sink: MakeSink, orders: Orders
) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415 - needs Spark

    made = sink(source={**orders.source, "on.data.loss": "continue"})
    orders.insert(1)
    run(made, ONCE)
    orders.insert(2)
    orders.snapshot(500, 1, 2, 3, 4)
    orders.delete_before(4)
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == [(3,), (4,)]
    assert gap(made) == [("shop.orders", 0, 1, 4)]
    assert list(made.state.gaps()) == ["shop.orders"]
    orders.snapshot(900, 1, 2, 3, 4)
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == [(1,), (2,), (3,), (4,)]
    assert made.state.gaps() == {}


@pytest.mark.slow
def test_a_lost_checkpoint_hides_no_lost_messages(
    sink: MakeSink, orders: Orders, tmp_path: Path
) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415 - needs Spark
    from sparksink.errors import DataLossError  # noqa: PLC0415

    orders.insert(1, 2)
    run(sink(source=orders.source), ONCE)
    orders.insert(3, 4, 5)
    shutil.rmtree(tmp_path / "checkpoint")
    with pytest.raises(DataLossError, match=r"messages 2 to 4 .*checkpoint was lost"):
        run(sink(source={**orders.source, "starting.offsets": "latest"}), ONCE)
    orders.delete_before(4)
    with pytest.raises(DataLossError, match=r"messages 2 to 3 .*checkpoint was lost"):
        run(sink(source=orders.source), ONCE)
    made = sink(source={**orders.source, "on.data.loss": "continue"})
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == [(1,), (2,), (5,)]
    assert gap(made) == [("shop.orders", 0, 2, 4)]
    assert list(made.state.gaps()) == ["shop.orders"]
    run(sink(source=orders.source), ONCE)  # the new checkpoint has it


@pytest.mark.parametrize(
    ("starting", "offset"),
    [
        ("earliest", 4),
        ("latest", 9),
        ("timestamp:2026-01-01T00:00:00Z", 4),
        ('{"t": {"0": 6, "1": 1}}', 6),
        ('{"t": {"0": -1}}', 9),
        ('{"t": {"0": -2}}', 4),
        ('{"u": {"0": 6}}', 4),
    ],
)
def test_a_stream_starts_where_it_is_configured(starting: str, offset: int) -> None:
    from sparksink.commands.lost_messages import start_offset  # noqa: PLC0415 - needs Spark

    assert start_offset(starting, "t", 0, (4, 9)) == offset


@pytest.mark.slow
def test_a_table_is_not_rebuilt_from_a_part_of_a_snapshot(sink: MakeSink, orders: Orders) -> None:
    from sparksink.commands.subcommands import rebuild  # noqa: PLC0415 - needs Spark
    from sparksink.errors import TableError  # noqa: PLC0415

    made = sink(source=orders.source)
    orders.insert(7)
    orders.snapshot(900, 1, 2, 3)
    orders.delete_before(1)
    rebuild(made, REBUILD)  # the snapshot begins with the first message
    assert rows(made, "shop__orders", "id") == [(1,), (2,), (3,)]
    orders.delete_before(2)
    with pytest.raises(TableError, match="first messages of partition 0 are gone, perhaps with"):
        rebuild(made, REBUILD)
    assert rows(made, "shop__orders", "id") == [(1,), (2,), (3,)]
    orders.snapshot(950, 1, 2)
    rebuild(made, REBUILD)
    assert rows(made, "shop__orders", "id") == [(1,), (2,)]
