"""MySQL → Millrace → Kafka → Delta: the table holds what the database holds."""

from __future__ import annotations

import argparse
import base64
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from deploy.stack import CAPTURE, ConnectClient, KafkaBroker, MillraceWorker
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.sink.recorded import Topic, field, rows

ONCE = argparse.Namespace(once=True)


def connector(database: FreshDatabase, broker: KafkaBroker, schemas: str) -> dict[str, str]:
    return {
        "connector.class": "io.debezium.connector.mysql.MySqlConnector",
        "database.hostname": database.server.host,
        "database.port": str(database.server.port),
        "database.user": CAPTURE.user,
        "database.password": CAPTURE.password,
        "database.server.id": str(time.time_ns() % 1_000_000_000 + 1),
        "topic.prefix": f"srv-{database.name}",
        "database.include.list": database.name,
        "schema.history.internal.kafka.bootstrap.servers": broker.address,
        "schema.history.internal.kafka.topic": f"history-{database.name}",
        "key.converter.schemas.enable": schemas,
        "value.converter.schemas.enable": schemas,
        "topic.creation.default.partitions": "3",
        "topic.creation.default.replication.factor": "1",
    }


@pytest.mark.parametrize("schemas", ["true", "false"])
def test_a_delta_table_equals_its_source(
    database: FreshDatabase,
    broker: KafkaBroker,
    millrace: MillraceWorker,
    sink: Callable[..., Any],
    tmp_path: Path,
    schemas: str,
):
    from sparksink.commands import run  # noqa: PLC0415

    database.execute(
        "CREATE TABLE orders (id INT PRIMARY KEY, name VARCHAR(20), price DECIMAL(10,2),"
        " at DATETIME(6), seen TIMESTAMP NULL)",
        *(f"INSERT INTO orders VALUES ({n}, 'n{n}', {n}.25, '2024-01-0{n} 10:00:00.5',"
          f" '2024-01-0{n} 10:00:00')" for n in range(1, 6)),
    )  # fmt: skip
    client, name = ConnectClient(millrace.url), f"sink-{database.name}"
    client.create(name, connector(database, broker, schemas))
    try:
        client.wait_for(name, "RUNNING")
        topic = f"srv-{database.name}.{database.name}.orders"
        Topics(broker.address).wait_for(topic, 5)
        database.execute(
            "UPDATE orders SET price = -price WHERE id < 3",
            "DELETE FROM orders WHERE id = 4",
            "UPDATE orders SET id = 50 WHERE id = 5",
            "ALTER TABLE orders ADD COLUMN stock INT NOT NULL DEFAULT 7",
            "INSERT INTO orders VALUES (60, 'sixty', NULL, NULL, NULL, 1)",
        )
        # 5 rows, 2 updates, a delete and a changed key with their tombstones, an insert.
        Topics(broker.address).wait_for(topic, 5 + 2 + 2 + 3 + 1)
    finally:
        client.delete(name)
        client.close()
    made = sink(
        source={
            "kind": "kafka",
            "bootstrap.servers": broker.address,
            "topics": rf"srv-{database.name}\..*",
            "ddl.topic": f"srv-{database.name}",
        }
    )
    run(made, ONCE)
    run(made, ONCE)  # nothing is new, nothing changes
    columns = ["id", "name", "CAST(price AS STRING)", "CAST(at AS STRING)", "stock"]
    table = made.lake.table(f"{database.name}__orders").read()
    found = sorted(tuple(row) for row in table.selectExpr(*columns).collect())
    wanted = [
        (key, text, None if price is None else str(price),
         None if at is None else f"{at:%Y-%m-%d %H:%M:%S}.5", stock)
        for key, text, price, at, stock in database.query(
            "SELECT id, name, price, at, stock FROM orders"
        )
    ]  # fmt: skip
    assert found == sorted(wanted)
    assert rows(made, f"{database.name}__orders", "id")[0] == (1,)


def test_messages_that_are_gone_before_they_were_read_stop_the_job(
    broker: KafkaBroker, topics: Topics, sink: Callable[..., Any]
):
    from sparksink.commands import run  # noqa: PLC0415
    from sparksink.errors import DataLossError  # noqa: PLC0415

    name = f"lost{time.time_ns()}.shop.orders"
    topics.create(name)
    topic = Topic(name, [field("id", "int32")])
    source = {"kind": "kafka", "bootstrap.servers": broker.address, "topics": re.escape(name)}
    produce(broker, topic, [1, 2])
    run(sink(source=source), ONCE)
    produce(broker, topic, [3, 4, 5])
    place = TopicPartition(name, 0, 4)
    admin = AdminClient({"bootstrap.servers": broker.address})  # its answers need it alive
    admin.delete_records([place])[place].result(30)
    with pytest.raises(DataLossError, match="gone from Kafka"):
        run(sink(source=source), ONCE)
    made = sink(source={**source, "on.data.loss": "continue"})
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == [(1,), (2,), (5,)]


def produce(broker: KafkaBroker, topic: Topic, keys: list[int]) -> None:
    producer = Producer({"bootstrap.servers": broker.address})
    for key in keys:
        message = topic.change("c", 100 * key, None, {"id": key})
        parts = [base64.b64decode(message[part]) for part in ("key64", "value64")]
        producer.produce(topic.name, key=parts[0], value=parts[1])
    assert producer.flush(30) == 0
