"""A producer that stopped to send although Kafka is well is replaced.

Here a long ``linger.ms`` holds its messages back.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from connector.data.record import Message
from connector.errors import ClientFailedError
from connector.kafka.producer import Producer
from connector.kafka.topics import Topics as KafkaTopics
from connector.task.delivery_watch import DeliveryWatch
from connector.task.health import TaskHealth
from connector.task.metrics import TaskMetrics
from connector.worker.topic_creation import GroupTopicCreator
from tests.fixtures.topics import Topics
from tools.stack import KafkaBroker

HELD_BACK = {"linger.ms": 60_000}
PATIENCE = 1.0


class Watched:
    """A producer with one message, and its watch, which counts ``linger.ms`` as nothing."""

    def __init__(self, broker: KafkaBroker, topic: str, **config: Any) -> None:
        settings = {"bootstrap.servers": broker.address, **config}
        self.producer = Producer(settings)
        self.producer.linger = 0.0
        self.health = TaskHealth(lambda *_: None, TaskMetrics())
        creator = GroupTopicCreator(KafkaTopics(settings), [], enabled=False)
        self.watch = DeliveryWatch(self.producer, creator, self.health, patience=PATIENCE)
        self.producer.send([Message(topic, None, b"k", b"v")], lambda _: 1, lambda *_: None)

    def check_for(self, seconds: float, then: Callable[[], object] = lambda: None) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.producer.poll(0.05)
            self.watch.check()
            then()


@pytest.fixture
def topic(topics: Topics) -> str:
    name = f"stuck-{uuid.uuid4().hex[:8]}"
    topics.create(name)
    return name


def test_a_producer_that_sends_nothing_is_given_up(broker: KafkaBroker, topic: str) -> None:
    watched = Watched(broker, topic, **HELD_BACK)
    begun = time.monotonic()
    with pytest.raises(ClientFailedError, match="sends nothing"):
        watched.check_for(20)
    assert time.monotonic() - begun > PATIENCE
    assert "kafka" in watched.health
    watched.producer.close()


def test_errors_show_that_a_producer_tries(broker: KafkaBroker, topic: str) -> None:
    watched = Watched(broker, topic, **HELD_BACK)

    def fail() -> None:
        watched.producer.problem = "connection refused"

    watched.check_for(3 * PATIENCE, fail)
    watched.producer.close()


def test_a_topic_that_cannot_be_written_is_no_fault_of_the_producer(
    broker: KafkaBroker, topic: str, topics: Topics
) -> None:
    watched = Watched(broker, topic, **HELD_BACK)
    topics.delete([topic])
    watched.check_for(3 * PATIENCE)
    watched.producer.close()


def test_a_producer_that_delivered_all_is_not_stuck(broker: KafkaBroker, topic: str) -> None:
    watched = Watched(broker, topic)
    assert watched.producer.flush(60)
    watched.check_for(3 * PATIENCE)
    assert not len(watched.producer)
    watched.producer.close()
