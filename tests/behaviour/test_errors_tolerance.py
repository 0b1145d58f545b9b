"""What Kafka refuses: sent again in smaller batches, or it fails the task, or is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.fixtures.connectors import basic_config
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import ConnectClient, KafkaBroker, MillraceWorker


@pytest.fixture
def client(millrace: MillraceWorker) -> Iterator[ConnectClient]:
    with closing(ConnectClient(millrace.url)) as made:
        yield made


@pytest.fixture
def config(broker: KafkaBroker, database: FreshDatabase) -> dict[str, str]:
    name = database.name
    database.execute("CREATE TABLE t (id INT PRIMARY KEY, note LONGTEXT)")
    return {
        **basic_config(database.server, broker, f"prefix-{name}"),
        "database.include.list": name,
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
        "topic.creation.default.max.message.bytes": "50000",
        "producer.override.compression.type": "none",
    }


ROWS = (
    "INSERT INTO t VALUES (1, 'small')",
    "INSERT INTO t VALUES (2, REPEAT('large', 20000))",
    "INSERT INTO t VALUES (3, 'small again')",
)


def streams(client: ConnectClient, name: str) -> bool:
    """Whether a restart goes on in the log: one within the snapshot repeats the rows."""
    offsets = client.call("GET", f"/connectors/{name}/offsets")["offsets"]
    return bool(offsets) and "snapshot" not in offsets[0]["offset"]


def is_behind(client: ConnectClient, name: str, source: dict[str, Any]) -> bool:
    """Whether the stored offset is behind the transaction of an event."""
    offset = client.call("GET", f"/connectors/{name}/offsets")["offsets"][0]["offset"]
    return bool((offset["file"], offset["pos"]) > (source["file"], source["pos"]))


def test_a_message_too_large_for_its_topic_fails_the_task(
    client: ConnectClient, config: dict[str, str], database: FreshDatabase
) -> None:
    client.create(database.name, config)
    client.wait_for(database.name, "RUNNING")
    database.execute(*ROWS)
    state, trace = wait_for(
        lambda: found if (found := client.state(database.name))[0] == "FAILED" else None, 60
    )
    client.delete(database.name)
    assert state == "FAILED"
    assert trace.startswith("RefusedMessageError: a message for topic")
    assert "max.message.bytes" in trace.splitlines()[0]
    assert "large" not in trace.replace("too large", "").replace("Too large", "").lower()


def test_a_batch_that_is_too_large_is_sent_again_in_smaller_ones(
    client: ConnectClient, config: dict[str, str], database: FreshDatabase, topics: Topics
) -> None:
    """librdkafka does not split it; messages in flight behind it are redelivered."""
    name, topic = database.name, f"prefix-{database.name}.{database.name}.t"
    client.create(name, config)
    client.wait_for(name, "RUNNING")
    rows = ", ".join(f"({number}, REPEAT('x', 2000))" for number in range(100))
    database.execute(f"INSERT INTO t VALUES {rows}")  # 200 kB, and a batch may have 50

    def the_last() -> list[int]:
        found = topics.read(topic)[-100:]
        return [message.payload()["after"]["id"] for message in found]

    wait_for(lambda: the_last() == [*range(100)], 30, "all rows, in their order")
    state = client.state(name)[0]
    client.delete(name)
    assert state == "RUNNING"


@pytest.mark.parametrize("stage", ["compiled", "general"])
def test_with_tolerance_it_is_skipped(
    client: ConnectClient,
    config: dict[str, str],
    database: FreshDatabase,
    topics: Topics,
    stage: str,
) -> None:
    name = database.name
    if stage == "general":
        config |= {
            "transforms": "same",
            "transforms.same.type": "org.apache.kafka.connect.transforms.RegexRouter",
            "transforms.same.regex": "no such topic",
            "transforms.same.replacement": "never",
        }
    client.create(name, config | {"errors.tolerance": "all"})
    wait_for(lambda: streams(client, name), 30, "an offset behind the snapshot")
    database.execute(*ROWS)
    topic = f"prefix-{name}.{name}.t"

    def ids() -> list[int]:
        return [message.payload()["after"]["id"] for message in topics.read(topic)]

    # While the second may be in one batch with others, all three are sent again.
    wait_for(lambda: ids()[-1:] == [3], 30, "the third")
    third = topics.read(topic)[-1].payload()["source"]
    wait_for(lambda: is_behind(client, name, third), 30, "an offset behind all three")
    assert client.state(name)[0] == "RUNNING"
    sent = ids()
    assert set(sent) == {1, 3}
    client.put(name, "stop")
    client.wait_for(name, "STOPPED")
    client.put(name, "resume")
    client.wait_for(name, "RUNNING")
    database.execute("INSERT INTO t VALUES (4, 'last')")
    wait_for(lambda: 4 in ids(), 30, "the last")
    client.delete(name)
    assert ids() == [*sent, 4]
