"""A broker that rejects a request and takes the next one: nothing is lost, the order stays."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from connector.data.record import Message
from connector.kafka.ordered_topic import OrderedTopic
from connector.kafka.producer import Producer
from tests.fixtures.request_proxy import RequestProxy
from tests.fixtures.topics import Topics
from tools.stack import KafkaBroker, Workspace

VALUES = [b"number %d" % number for number in range(10)]


class RejectingBroker(KafkaBroker):
    """A broker behind a proxy that damages requests."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, heap="512m")
        self.proxy = RequestProxy(self.host, self.proxied_port)
        self.advertise(self.proxy.address)

    def __exit__(self, *_: object) -> None:
        self.proxy.close()
        self.kill()


@pytest.fixture(scope="module")
def rejecting(workspace: Workspace) -> Iterator[RejectingBroker]:
    with RejectingBroker(workspace) as broker:
        yield broker


def test_the_first_message_of_a_topic_is_not_lost(rejecting: RejectingBroker) -> None:
    """A broker takes any sequence number from a producer that is new to a partition.

    It then refuses the request that it had rejected before, and librdkafka takes the answer to
    the later request for an acknowledgement of the earlier one.
    """
    topics = Topics(rejecting.address)
    topics.create("other")
    topics.create("first")
    producer = Producer({"bootstrap.servers": rejecting.proxy.address})
    failures: list[object] = []

    def send(topic: str, value: bytes) -> None:
        while producer.send((Message(topic, None, b"key", value),), lambda _: 1, failed):
            producer.poll(0.05)
        producer.poll(0.05)

    def failed(error: object, _: object) -> None:
        failures.append(error)

    send("other", b"the producer has its id")
    assert producer.flush(30)
    rejecting.proxy.damage(b"number 0")
    for value in VALUES:
        send("first", value)
    assert producer.flush(30)
    producer.close()
    assert [message.value for message in topics.read("first")] == [
        b"number %d" % n for n in range(10)
    ]
    assert not [error for error in failures if error is not None]


def test_the_order_of_a_history_stays(rejecting: RejectingBroker) -> None:
    """Without idempotence a rejected request is sent again behind the one that follows it."""
    topics = Topics(rejecting.address)
    topics.create("history")
    servers = {"bootstrap.servers": rejecting.proxy.address}
    history = OrderedTopic("history", servers, servers)
    history.write([b"the writer is connected"])
    rejecting.proxy.damage(b"number 0")
    history.post(VALUES[0])
    time.sleep(0.1)
    history.write(VALUES[1:])
    history.close()
    assert [message.value for message in topics.read("history")][1:] == VALUES
