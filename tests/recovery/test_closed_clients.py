"""A client of Kafka that is dropped ends neither the process nor the thread that drops it."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid

import pytest
from confluent_kafka import KafkaException

from tests.fixtures.topics import Topics
from tests.recovery.sender import Sender
from tools.stack import KafkaBroker

REQUESTS = 400
SCRIPT = f"""
import logging, sys
from connector.kafka.admin_requests import AdminRequests

names = [f"topic-{{number}}" for number in range(20)]
for _ in range(5):
    client = AdminRequests({{"bootstrap.servers": sys.argv[1]}}, logging.getLogger("kafka"))
    requests = [client.describe_topics(names, 60)[names[0]] for _ in range({REQUESTS})]
    requests[0].exception(30)
    del client
    print(sum(request.done() for request in requests))
    assert all(request.exception(60).args[0].name() for request in requests)
"""


def test_answers_arrive_after_a_client_was_dropped(broker: KafkaBroker) -> None:
    command = [sys.executable, "-c", SCRIPT, broker.address]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert min(map(int, done.stdout.split())) < REQUESTS, "all were answered before"


def fenced(topics: Topics, broker: KafkaBroker) -> Sender:
    """Return a sender whose producer has met a fatal error, which it has not raised yet.

    Only confluent-kafka raises it.
    """
    topic = f"fenced-{uuid.uuid4().hex[:8]}"
    topics.create(topic)
    shared = {"transactional_id": uuid.uuid4().hex, "delivery_timeout_ms": 20_000}
    sender, other = (Sender(topics, topic, broker.address, native=False, **shared) for _ in "ab")
    sender.library.init_transactions(20)
    sender.library.begin_transaction()
    other.library.init_transactions(20)
    other.producer.close()
    sender.send(1)
    time.sleep(1)  # the library learns it in a thread of its own
    return sender


def test_a_fatal_error_that_was_not_raised_before_is_not_raised_by_closing(
    topics: Topics, broker: KafkaBroker
) -> None:
    with pytest.raises(KafkaException, match="FATAL"):
        fenced(topics, broker).library.poll(0)
    fenced(topics, broker).producer.close()
