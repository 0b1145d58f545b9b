"""Partitions are the ones that the library chooses."""

from __future__ import annotations

import random

import pytest
from confluent_kafka import Message, Producer

from connector.kafka.partitioners import PARTITIONERS

COUNT = 4  # partitions of a topic of librdkafka's mock cluster


@pytest.mark.parametrize("name", sorted(PARTITIONERS.keys() - {"random"}))
def test_a_key_goes_where_the_library_sends_it(name: str) -> None:
    producer = Producer(
        {
            "test.mock.num.brokers": 1,
            "allow.auto.create.topics": True,
            "partitioner": name,
            "log_level": 0,
        }
    )
    keys = [random.Random(seed).randbytes(seed % 23 + 1) for seed in range(300)]
    keys += [] if name == "consistent_random" else [b""]
    expected = {key: PARTITIONERS[name](key, COUNT) for key in keys}
    found: dict[bytes | None, int | None] = {}

    def delivered(_: object, message: Message) -> None:
        found[message.key() or b""] = message.partition()

    for key in keys:
        producer.produce("topic", b"value", key, on_delivery=delivered)
    assert producer.flush(20) == 0
    assert found == expected


@pytest.mark.parametrize("name", ["random", "consistent_random", "murmur2_random", "fnv1a_random"])
def test_a_message_without_a_key_goes_anywhere(name: str) -> None:
    assert {PARTITIONERS[name](None, COUNT) for _ in range(200)} == set(range(COUNT))
