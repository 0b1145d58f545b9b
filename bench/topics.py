"""Topics of the broker: made with the broker's own times, measured, and thrown away."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

_TIMEOUT_SECONDS: Final = 30.0
# The time of a record is that of the broker's append, whatever the producer says; and the
# broker keeps each side's compression.
_CONFIG: Final = {"message.timestamp.type": "LogAppendTime", "compression.type": "producer"}


Content = tuple[bytes | None, bytes | None, Any]
"""Key, value and headers of a record."""


class Topics:
    """Topics of one partition each."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self._admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        self._ends = self._consumer()

    def close(self) -> None:
        """Close the connections."""
        self._ends.close()

    def create(self, topic: str) -> None:
        """Create a topic."""
        created = self._admin.create_topics([NewTopic(topic, 1, 1, config=_CONFIG)])
        created[topic].result(_TIMEOUT_SECONDS)

    def end(self, topic: str) -> int:
        """Return how many records were ever appended."""
        partition = TopicPartition(topic, 0)
        return int(self._ends.get_watermark_offsets(partition, _TIMEOUT_SECONDS)[1])

    def appended(self, topic: str, offset: int) -> tuple[float, int]:
        """Return when a record was appended, in seconds, and the size of its value in bytes."""
        with self._consumer() as consumer:
            consumer.assign([TopicPartition(topic, 0, offset)])
            message = _check(consumer.poll(_TIMEOUT_SECONDS))
            return message.timestamp()[1] / 1000, len(message.value() or b"")

    def records(self, topic: str, offset: int, count: int) -> list[Content]:
        """Return so many records from an offset on."""
        with self._consumer() as consumer:
            consumer.assign([TopicPartition(topic, 0, offset)])
            found = (_check(consumer.poll(_TIMEOUT_SECONDS)) for _ in range(count))
            return [(message.key(), message.value(), message.headers()) for message in found]

    def read(self, topic: str, first: int, last: int) -> Iterator[tuple[float, bytes]]:
        """Yield the values from an offset to another one, with the seconds of their appends."""
        with self._consumer() as consumer:
            consumer.assign([TopicPartition(topic, 0, first)])
            for _ in range(first, last):
                message = _check(consumer.poll(_TIMEOUT_SECONDS))
                yield message.timestamp()[1] / 1000, message.value() or b""

    def rows(self, topic: str, until: threading.Event) -> Iterator[tuple[float, dict[str, Any]]]:
        """Yield each row that arrives from now on, with the time of its arrival, in seconds."""
        with self._consumer() as consumer:
            consumer.assign([TopicPartition(topic, 0, self.end(topic))])
            while not until.is_set():
                message = consumer.poll(0.05)
                if message is not None:
                    now = time.time()
                    value = json.loads(_check(message).value() or b"{}")
                    yield now, value.get("payload", value)["after"]

    def delete(self, part: str) -> None:
        """Delete the topics that have ``part`` in their name."""
        names = [name for name in self._admin.list_topics(timeout=30).topics if part in name]
        if names:
            for deleted in self._admin.delete_topics(names).values():
                deleted.result(_TIMEOUT_SECONDS)

    def _consumer(self) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": "bench",
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 5,
                "log_level": 0,
            }
        )


def _check(message: Any) -> Any:
    """Return a message; an error is raised."""
    if message is None:
        raise TimeoutError(f"The broker has not answered for {_TIMEOUT_SECONDS:.0f} s.")
    if message.error():
        raise KafkaException(message.error())
    return message
