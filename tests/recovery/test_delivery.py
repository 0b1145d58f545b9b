"""What the producer releases is in the topic: after retries, crashes, fatal errors and a purge."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import KafkaError

from connector.data.record import Message
from connector.errors import BrokerUnavailableError, ClientFailedError, TransientError
from connector.kafka.followed_topic import FollowedTopic
from connector.kafka.log import LogWriter
from tests.fixtures.fault_proxy import Direction
from tests.fixtures.proxied_broker import ProxiedBroker
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tests.recovery.sender import Sender
from tools.stack import Workspace

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def proxied(workspace: Workspace) -> Iterator[ProxiedBroker]:
    with ProxiedBroker(workspace) as broker:
        yield broker


def sender_to(broker: ProxiedBroker, **more: Any) -> Sender:
    topics, topic = Topics(broker.address), f"delivery-{uuid.uuid4().hex[:8]}"
    topics.create(topic, max_message_bytes=1_000_000)
    return Sender(topics, topic, broker.proxy.address, **more)


def test_retries_and_lost_connections(proxied: ProxiedBroker) -> None:
    sender = sender_to(proxied)
    for fault in (proxied.proxy.cut, proxied.proxy.half_open, proxied.proxy.cut):
        sender.send(2000)
        fault()
        sender.send(2000)
        sender.check()
    sender.finish()


@pytest.mark.parametrize("crash", [True, False])
def test_a_broker_that_goes_and_comes_back_as_leader(proxied: ProxiedBroker, crash: bool) -> None:
    sender = sender_to(proxied)
    sender.send(2000)
    (proxied.kill if crash else proxied.stop)()
    sender.send(500)
    time.sleep(1)
    assert len(sender.held) >= 500
    proxied.start()
    sender.check()
    sender.finish()


def test_an_outage_longer_than_the_delivery_timeout(proxied: ProxiedBroker) -> None:
    sender = sender_to(proxied, delivery_timeout_ms=2000, request_timeout_ms=1000)
    sender.send(100)
    assert sender.producer.flush(20)
    proxied.proxy.blackhole()
    sender.send(100)

    def all_failed() -> bool:
        sender.producer.poll(0.1)
        return len(sender.failed) == 100

    wait_for(all_failed, 20)
    proxied.proxy.heal()
    assert not sender.held
    sender.check()
    sender.producer.close()


def test_a_purge(proxied: ProxiedBroker) -> None:
    sender = sender_to(proxied)
    sender.send(100)
    assert sender.producer.flush(20)
    proxied.proxy.blackhole()
    sender.send(100)
    sender.producer.close()
    proxied.proxy.heal()
    assert not sender.held
    assert len(sender.failed) == 100
    sender.check()


@pytest.mark.parametrize("native", [True, False])
def test_a_fatal_error(proxied: ProxiedBroker, native: bool) -> None:
    """Where no gap is allowed, a message that the broker refuses for good ends the producer."""
    sender = sender_to(proxied, native=native, enable_gapless_guarantee=True)
    sender.send(50)
    assert sender.producer.flush(20)
    large = Message(sender.topic, 0, None, random.randbytes(2_000_000))
    failed: list[Any] = []
    sender.producer.send([large], lambda _: 1, lambda error, _: failed.append(error))
    with pytest.raises(ClientFailedError, match="gap-less"):
        sender.producer.flush(20)
    with pytest.raises(ClientFailedError):
        sender.producer.flush(5)
    with pytest.raises(ClientFailedError):
        sender.send(1)
    sender.producer.close()
    assert not sender.held
    assert {error.code() for error in failed} == {KafkaError.MSG_SIZE_TOO_LARGE}
    assert len(sender.arrived()) == 50


def test_a_producer_that_is_fenced(proxied: ProxiedBroker) -> None:
    """Another producer with the same transactional id fences this one, of confluent-kafka."""
    name = {"transactional_id": uuid.uuid4().hex, "delivery_timeout_ms": 20_000}
    sender, other = (sender_to(proxied, native=False, **name) for _ in "ab")
    sender.library.init_transactions(20)
    sender.library.begin_transaction()
    sender.send(50)
    assert sender.producer.flush(20)
    other.library.init_transactions(20)

    def fenced() -> bool:
        try:
            sender.send(10)
            return not sender.producer.flush(0.2)
        except BrokerUnavailableError:
            return True

    wait_for(fenced, 20)
    with pytest.raises(ClientFailedError):
        sender.producer.flush(5)
    sender.producer.close()
    assert not sender.held
    assert sender.failed
    other.producer.close()


def test_a_log_goes_on_with_another_producer_after_an_outage(
    proxied: ProxiedBroker,
) -> None:
    """The first may have forgotten its broker."""
    topics, topic = Topics(proxied.address), f"log-{uuid.uuid4().hex[:8]}"
    topics.create(topic)
    writer = LogWriter({"bootstrap.servers": proxied.proxy.address}, 2.0)
    writer.write(topic, [(b"a", b"1")])
    first = writer._producer
    proxied.proxy.blackhole(Direction.BOTH)
    with pytest.raises(TransientError):
        writer.write(topic, [(b"b", b"2")])
    assert writer._producer is not first
    proxied.proxy.heal()
    # The other one may have a connection whose first bytes were swallowed: it needs a second try.
    wait_for(lambda: _written(writer, topic, b"c"), 30, "an acknowledgement")
    first_key, *others = [message.key for message in topics.read(topic)]
    assert first_key == b"a"
    assert {*others} == {b"c"}
    writer.close()


def _written(writer: LogWriter, topic: str, key: bytes) -> bool:
    try:
        writer.write(topic, [(key, b"")])
    except TransientError:
        return False
    return True


def test_a_followed_topic_goes_on_with_another_consumer_after_an_outage(
    proxied: ProxiedBroker,
) -> None:
    """The first may have forgotten its broker; the other begins behind what was read."""
    topics, topic = Topics(proxied.address), f"followed-{uuid.uuid4().hex[:8]}"
    topics.create(topic)
    writer = LogWriter({"bootstrap.servers": proxied.address})
    writer.write(topic, [(b"a", b"1")])
    config = {"bootstrap.servers": proxied.proxy.address, "group.id": topic}
    followed = FollowedTopic(topic, config, 0.1, 0.5)
    assert [key for _, key, _ in wait_for(followed.read, 30)] == [b"a"]
    first = followed._consumer
    proxied.stop()
    wait_for(lambda: followed.read() or followed._consumer is not first, 60, "another consumer")
    assert followed.fault
    proxied.start()
    writer = LogWriter({"bootstrap.servers": proxied.address})
    writer.write(topic, [(b"b", b"2")])
    assert [key for _, key, _ in wait_for(followed.read, 60)] == [b"b"]
    wait_for(lambda: not followed.read() and not followed.fault, 30, "recovery")
    followed.close()
