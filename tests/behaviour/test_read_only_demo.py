"""A table is added to a running connector and read again by a signal, without writing anything.

The steps are those of Debezium's demonstration of read-only incremental snapshots, with the
settings that Debezium 1.9 had, and the channel of signals, which Debezium needs since 2.3.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Producer

from tests.fixtures.capture import LONG, Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker

ORDERS = 12_000


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    made = Capture(millrace, topics, database, broker)
    config = made.config
    servers = config.pop("schema.history.internal.kafka.bootstrap.servers")
    topic = config.pop("schema.history.internal.kafka.topic")
    config |= {
        "database.server.name": config.pop("topic.prefix"),
        "database.history.kafka.bootstrap.servers": servers,
        "database.history.kafka.topic": topic,
        "table.include.list": f"{database.name}.customers",
        "read.only": "true",
        "incremental.snapshot.allow.schema.changes": "true",
        "incremental.snapshot.chunk.size": "5000",
        "signal.enabled.channels": "kafka",
        "signal.kafka.topic": f"{made.name}-signals",
        "signal.kafka.bootstrap.servers": broker.address,
        "signal.kafka.groupId": made.name,
        "signal.poll.interval.ms": "200",
    }
    topics.create(f"{made.name}-signals")
    yield made
    made.close()


@contextmanager
def activity(database: FreshDatabase) -> Iterator[list[int]]:
    """Insert customers meanwhile; the list holds how many there are at the end."""
    ended, count = threading.Event(), [0]

    def write() -> None:
        server = database.server
        with server.connect(database=database.name, autocommit=True) as session:
            for number in itertools.count(1):
                if ended.wait(0.003):  # some hundreds of rows a second
                    return
                session.cursor().execute(
                    f"INSERT INTO customers VALUES (DEFAULT, 'name{number}', 'email{number}')"
                )
                count[0] = number

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield count
    finally:
        ended.set()
        writer.join()


def ids(capture: Capture, table: str) -> list[int]:
    topic = f"{capture.name}.{capture.database.name}.{table}"
    return [message.payload()["after"]["id"] for message in capture.topics.read(topic)]


def test_a_table_is_added_and_read_while_another_is_captured(
    capture: Capture, broker: KafkaBroker
) -> None:
    database = capture.database
    numbers = ", ".join(f"({number}, {number})" for number in range(1, ORDERS + 1))
    database.execute(
        "CREATE TABLE customers (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(99), email TEXT)",
        "CREATE TABLE orders (id INT PRIMARY KEY, quantity INT)",
        f"INSERT INTO orders VALUES {numbers}",
    )
    capture.client.create(capture.name, capture.config)
    capture.client.wait_for(capture.name, "RUNNING")
    with activity(database) as customers:
        capture.rows("customers", 50)
        capture.config["table.include.list"] += f",{database.name}.orders"
        capture.client.call("PUT", f"connectors/{capture.name}/config", capture.config)
        capture.client.wait_for(capture.name, "RUNNING")
        capture.rows("customers", len(ids(capture, "customers")) + 50)
        assert ids(capture, "orders") == []
        data = {"data-collections": [f"{database.name}.orders"], "type": "INCREMENTAL"}
        signal = json.dumps({"type": "execute-snapshot", "data": data})
        producer = Producer({"bootstrap.servers": broker.address})
        producer.produce(f"{capture.name}-signals", signal, capture.name)
        assert not producer.flush(10)
        wait_for(lambda: ids(capture, "orders"), LONG, "the first orders")
        database.execute("ALTER TABLE orders ADD COLUMN note VARCHAR(9) DEFAULT 'none'")
        wait_for(lambda: set(ids(capture, "orders")) == {*range(1, ORDERS + 1)}, LONG, "all orders")
    capture.rows("customers", customers[0])
    assert ids(capture, "customers") == list(range(1, customers[0] + 1))
