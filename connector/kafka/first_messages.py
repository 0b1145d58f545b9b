"""The first message to a partition is sent alone; others follow its acknowledgement.

A broker takes any sequence number from a producer that is new to a partition, or was silent there
for ``producer.id.expiration.ms`` (`ProducerAppendInfo.checkSequence` in Kafka). If it rejects the
first request (it leads the partition only now, or has too few replicas) and takes the second, it
will never take the first; and librdkafka, which has both in flight as long as the first has
fewer than five messages, reads the answer to the second as an acknowledgement of both
(`rd_kafka_dr_implicit_ack`). So messages would be lost without any error.
"""

from __future__ import annotations

from typing import Any, Final
from weakref import ref

from connector.kafka.client import Failed
from connector.kafka.partitioners import Partitioner

BY_KEY: Final = -1  # the library chooses the partition


class FirstMessages:
    """The partitions that know one producer. Used by the thread that owns the producer.

    ``known`` has where messages of a topic go whose partitions all know the producer: 0 if it has
    only one, `BY_KEY` otherwise. Messages of other topics need `admit`.
    """

    def __init__(self, partitioner: Partitioner) -> None:
        self._partitioner = partitioner
        self.known: dict[str, int] = {}
        self._topics: dict[str, _Partitions] = {}

    @property
    def topics(self) -> list[str]:
        """The topics to which the producer wrote."""
        return list(self._topics)

    def admit(
        self, topic: str, partition: int | None, key: bytes | None, count: int, failed: Failed
    ) -> tuple[int, Failed] | None:
        """Return where a message goes, and its delivery callback, which calls ``failed``.

        None while the first message to its partition is in flight.
        """
        partitions = self._topics.get(topic)
        if partitions is None:
            partitions = self._topics[topic] = _Partitions(count)
        at = self._partitioner(key, count) if partition is None else partition
        if at in partitions.awaited:
            return None
        if at in partitions.acknowledged:
            return at, failed
        first = _FirstMessage(partitions, at, failed)
        partitions.awaited[at] = ref(first, lambda _: self._acknowledge(topic, partitions, at))
        return at, first

    def _acknowledge(self, topic: str, partitions: _Partitions, at: int) -> None:
        """Note that the library released the callback, and did not report a failure before."""
        if partitions.awaited.pop(at, None) is not None:
            partitions.acknowledged.add(at)
            if len(partitions.acknowledged) == partitions.count:
                self.known[topic] = 0 if partitions.count == 1 else BY_KEY

    def withdraw(self, topic: str, partition: int) -> None:
        """Take back a message that was admitted and could not be queued."""
        self._topics[topic].awaited.pop(partition, None)

    def forget(self) -> None:
        """Expect that brokers forgot the producer where nothing was sent for long."""
        self.known.clear()
        for topic, partitions in list(self._topics.items()):
            if not partitions.awaited:
                del self._topics[topic]


class _Partitions:
    """The partitions of one topic."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.awaited: dict[int, object] = {}  # partition → reference to its first message
        self.acknowledged: set[int] = set()


class _FirstMessage:
    """The delivery callback of the first message to a partition."""

    __slots__ = ("__weakref__", "_at", "_failed", "_partitions")

    def __init__(self, partitions: _Partitions, at: int, failed: Failed) -> None:
        self._partitions = partitions
        self._at = at
        self._failed = failed

    def __call__(self, error: Any, message: Any) -> None:
        if error is not None:
            self._partitions.awaited.pop(self._at, None)
        self._failed(error, message)
