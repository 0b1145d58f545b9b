"""A producer with numbered messages, each with a receipt."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from confluent_kafka import Producer as KafkaProducer

from connector.data.record import Message
from connector.kafka.producer import Producer
from connector.kafka.python_client import PythonClient
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for


class Receipt:
    """Goes with one message; counts the reports of its failure."""

    def __init__(self, failed: list[int], number: int) -> None:
        self._failed = failed
        self._number = number

    def __call__(self, error: Any, _: Any) -> None:
        self._failed += [self._number] if error is not None else []


class Sender:
    """Sends numbered messages to a topic and knows which are not released.

    The producer connects to ``address``, with more settings of its own; ``topics`` reads.
    """

    def __init__(
        self, topics: Topics, topic: str, address: str, *, native: bool = True, **more: Any
    ) -> None:
        self.topics = topics
        self.topic = topic
        settings = {name.replace("_", "."): value for name, value in more.items()}
        quick = {"socket.timeout.ms": 2000, "log_level": 0}
        everything = {"bootstrap.servers": address, **quick, **settings}
        self.producer = Producer(everything, native=native)
        self.held: WeakValueDictionary[int, Receipt] = WeakValueDictionary()
        self.failed: list[int] = []
        self.sent = 0

    @property
    def library(self) -> KafkaProducer:
        """The producer of confluent-kafka, unless the native core sends."""
        assert isinstance(self.producer._client, PythonClient)
        return self.producer._client._producer

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
        """Compare what was released until now with the topic; read it afterwards.

        A new leader shows the last messages only when it knows that the others have them.
        """
        released = set(range(1, self.sent + 1)) - set(self.held) - set(self.failed)

        def missing() -> list[int]:
            return sorted(released - set(self.arrived()))[:5]

        wait_for(lambda: not missing(), 20, "all released messages")

    def arrived(self) -> list[int]:
        """Return the numbers of the messages in the topic."""
        return [int(message.value or b"") for message in self.topics.read(self.topic)]

    def finish(self) -> None:
        assert self.producer.flush(60)
        wait_for(lambda: not self.held, 5, "all receipts released")
        self.check()
        assert self.failed == []
        self.producer.close()
