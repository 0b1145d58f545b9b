"""What the producer releases is in the topic: after retries, crashes, fatal errors and a purge."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

import pytest

from connector.data.record import Message
from connector.errors import BrokerUnavailableError, ClientFailedError
from connector.kafka.producer import Producer
from deploy.stack import Workspace
from tests.fixtures.proxied_broker import ProxiedBroker
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def proxied(workspace: Workspace) -> Iterator[ProxiedBroker]:
    with ProxiedBroker(workspace) as broker:
        yield broker


class Receipt:
    """Goes with one message; counts the reports of its failure."""

    def __init__(self, failed: list[int], number: int) -> None:
        self._failed = failed
        self._number = number

    def __call__(self, error: Any, _: Any) -> None:
        self._failed += [self._number] if error is not None else []


class Sender:
    """Sends numbered messages and knows which are not released."""

    def __init__(self, broker: ProxiedBroker, **more: Any) -> None:
        self.topics = Topics(broker.address)
        self.topic = f"delivery-{uuid.uuid4().hex[:8]}"
        self.topics.create(self.topic)
        settings = {name.replace("_", "."): value for name, value in more.items()}
        quick = {"socket.timeout.ms": 2000, "log_level": 0}
        address = {"bootstrap.servers": broker.proxy.address}
        self.producer = Producer({**address, **quick, **settings})
        self.held: WeakValueDictionary[int, Receipt] = WeakValueDictionary()
        self.failed: list[int] = []
        self.sent = 0

    def send(self, count: int) -> None:
        for _ in range(count):
            self.sent += 1
            receipt = Receipt(self.failed, self.sent)
            self.held[self.sent] = receipt
            message = Message(self.topic, 0, None, str(self.sent).encode().rjust(500))
            while self.producer.send([message], lambda _: 1, receipt) is not None:
                self.producer.poll(0.05)
            del receipt
            self.producer.poll(0)

    def check(self) -> None:
        """Compare what was released until now with the topic; read it afterwards."""
        released = set(range(1, self.sent + 1)) - set(self.held) - set(self.failed)
        found = {int(message.value or b"") for message in self.topics.read(self.topic)}
        assert released <= found, sorted(released - found)[:5]

    def finish(self) -> None:
        assert self.producer.flush(60)
        wait_for(lambda: not self.held, 5, "all receipts released")
        self.check()
        assert self.failed == []
        self.producer.close()


def test_retries_and_lost_connections(proxied: ProxiedBroker) -> None:
    sender = Sender(proxied)
    for fault in (proxied.proxy.cut, proxied.proxy.half_open, proxied.proxy.cut):
        sender.send(2000)
        fault()
        sender.send(2000)
        sender.check()
    sender.finish()


@pytest.mark.parametrize("crash", [True, False])
def test_a_broker_that_goes_and_comes_back_as_leader(proxied: ProxiedBroker, crash: bool) -> None:
    sender = Sender(proxied)
    sender.send(2000)
    (proxied.kill if crash else proxied.stop)()
    sender.send(500)
    time.sleep(1)
    assert len(sender.held) >= 500
    proxied.start()
    sender.check()
    sender.finish()


def test_an_outage_longer_than_the_delivery_timeout(proxied: ProxiedBroker) -> None:
    sender = Sender(proxied, delivery_timeout_ms=2000, request_timeout_ms=1000)
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
    sender = Sender(proxied)
    sender.send(100)
    assert sender.producer.flush(20)
    proxied.proxy.blackhole()
    sender.send(100)
    sender.producer.close()
    proxied.proxy.heal()
    assert not sender.held
    assert len(sender.failed) == 100
    sender.check()


def test_a_fatal_error(proxied: ProxiedBroker) -> None:
    """Another producer with the same transactional id fences this one."""
    name = {"transactional_id": uuid.uuid4().hex, "delivery_timeout_ms": 20_000}
    sender, other = Sender(proxied, **name), Sender(proxied, **name)
    sender.producer._producer.init_transactions(20)
    sender.producer._producer.begin_transaction()
    sender.send(50)
    assert sender.producer.flush(20)
    other.producer._producer.init_transactions(20)

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
