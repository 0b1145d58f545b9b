"""A compacted topic as a durable map: read to its end once, then written."""

from __future__ import annotations

import logging
import queue
from collections.abc import Mapping, Sequence
from typing import Any, Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from connector.errors import BrokerUnavailableError, ConfigError, StopError
from connector.kafka.connection import CONNECTION
from connector.kafka.errors import request_error
from connector.kafka.library_log import RepeatedLineFilter
from connector.kafka.new_topic import retry_new_topic

_log = logging.getLogger(__name__)
_log.addFilter(RepeatedLineFilter())

_POLL: Final = 0.1
_WRITER: Final = {
    "acks": "all",
    "enable.idempotence": "false",
    "max.in.flight.requests.per.connection": 1,  # keeps the order without idempotence
    "partitioner": "murmur2_random",  # as Java's clients: a key must not change its partition
    "socket.timeout.ms": 5_000,  # its messages are small, and a task waits for them
    "linger.ms": 0,
}
_READER: Final = {
    "group.id": "millrace-log-reader",  # required by the client, never joined
    "enable.auto.commit": "false",
    "enable.partition.eof": "true",
    "isolation.level": "read_committed",
    "auto.offset.reset": "earliest",
    "queued.max.messages.kbytes": 8192,
    "fetch.wait.max.ms": 50,  # an empty fetch marks the end of a partition
}


class LogWriter:
    """A producer shared by the logs of one worker; another one after a message timed out.

    ``patience`` is how many seconds a message may take.

    Librdkafka may have lost its only broker then, and only a new producer goes on
    (`connector.task.delivery_watch`).
    """

    def __init__(self, config: Mapping[str, Any], patience: float = 30.0) -> None:
        limit = {"message.timeout.ms": int(patience * 1000)}
        self._config = {**CONNECTION, **config, **_WRITER, **limit}
        self._producer = self._create()

    def _create(self) -> Producer:
        try:
            return Producer(self._config, logger=_log)
        except KafkaException as error:
            raise ConfigError(f"The Kafka settings are refused: {error.args[0].str()}") from None

    def write(self, topic: str, entries: Sequence[tuple[bytes, bytes | None]]) -> None:
        """Send the entries in order and wait until all are acknowledged.

        :raises TransientError: not acknowledged in time.
        :raises StopError: refused permanently.
        """
        producer = self._producer
        answers: queue.SimpleQueue[KafkaError | None] = queue.SimpleQueue()
        for key, value in entries:
            self._send(producer, topic, key, value, answers)
        errors = [self._answer(producer, answers) for _ in entries]
        for error in errors:
            if error is not None:
                if error.code() == KafkaError._MSG_TIMED_OUT and producer is self._producer:  # noqa: SLF001 - the library's public name for it
                    self._producer = self._create()
                raise request_error(error, f"Writing to topic {topic}")

    def _send(
        self,
        producer: Producer,
        topic: str,
        key: bytes,
        value: bytes | None,
        answers: queue.SimpleQueue[KafkaError | None],
    ) -> None:
        def acknowledged(error: KafkaError | None, _: Message) -> None:
            answers.put(error)

        try:
            producer.produce(topic, value, key, on_delivery=acknowledged)
        except KafkaException as refused:
            answers.put(refused.args[0])
        except BufferError:
            answers.put(KafkaError(KafkaError._QUEUE_FULL))  # noqa: SLF001 - the documented code

    def _answer(
        self, producer: Producer, answers: queue.SimpleQueue[KafkaError | None]
    ) -> KafkaError | None:
        while True:  # ends by message.timeout.ms: each message gets its answer
            producer.poll(_POLL)
            try:
                return answers.get_nowait()
            except queue.Empty:
                continue

    def post(self, topic: str, key: bytes, value: bytes | None) -> None:
        """Send an entry without waiting; a failure is logged."""
        try:
            self._producer.produce(topic, value, key, on_delivery=_log_failure)
            self._producer.poll(0)
        except BufferError:
            _log.warning("An entry for topic %s was dropped: the broker does not take any.", topic)
        except KafkaException as error:
            _log.warning("An entry for topic %s was not stored: %s", topic, error.args[0].str())

    def close(self, timeout: float = 5.0) -> None:
        """Wait up to ``timeout`` seconds until all posted entries are stored."""
        left = self._producer.flush(timeout)
        if left:
            _log.warning("%d entries of the worker's topics could not be stored.", left)


def _log_failure(error: KafkaError | None, message: Message) -> None:
    if error is not None:
        _log.warning("An entry for topic %s was not stored: %s", message.topic(), error.str())


class KafkaLog:
    """One compacted topic. The owner of the writer closes it: several logs share it.

    ``patience`` is how many seconds reading waits for an answer before it fails.
    """

    def __init__(
        self, topic: str, reader: Mapping[str, Any], writer: LogWriter, patience: float = 30.0
    ) -> None:
        self._topic = topic
        self._patience = patience
        self._reader = {**CONNECTION, **reader, **_READER}
        self._writer = writer

    def read(self) -> dict[bytes, bytes]:
        """Read the topic to its end; the last value of a key counts."""
        try:
            consumer = Consumer(self._reader, logger=_log)
        except KafkaException as error:
            raise request_error(error.args[0], f"Reading topic {self._topic}") from None
        try:
            return retry_new_topic(self._topic, lambda: self._read(consumer))
        finally:
            consumer.close()

    def _read(self, consumer: Consumer) -> dict[bytes, bytes]:
        ends = self._ends(consumer)
        consumer.assign([TopicPartition(self._topic, part, OFFSET_BEGINNING) for part in ends])
        entries: dict[bytes, bytes] = {}
        while ends:
            message = consumer.poll(self._patience)
            if message is None:
                raise BrokerUnavailableError(f"Topic {self._topic} could not be read to its end")
            error, part = message.error(), message.partition() or 0
            if error is None:
                _apply(entries, message.key(), message.value())
                if (message.offset() or 0) + 1 >= ends.get(part, 0):
                    ends.pop(part, None)
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 — the documented code
                ends.pop(part, None)
            elif error.code() != KafkaError._TRANSPORT:  # noqa: SLF001 — it reconnects by itself
                raise KafkaException(error)
        return entries

    def _ends(self, consumer: Consumer) -> dict[int, int]:
        """Return the present end offset of each partition that is not empty.

        Reading stops at this offset or at an end-of-partition event. Both are needed: a partition
        that others keep writing to has no such event, and one whose last offset is a
        transaction marker has no message there.
        """
        found = consumer.list_topics(self._topic, self._patience).topics[self._topic]
        if found.error is not None:
            raise KafkaException(found.error)
        bounds = {
            part: consumer.get_watermark_offsets(TopicPartition(self._topic, part), self._patience)
            for part in found.partitions
        }
        return {part: high for part, (low, high) in bounds.items() if low < high}

    def write(self, entries: Sequence[tuple[bytes, bytes | None]]) -> None:
        """Write the entries; returns once all are acknowledged."""
        self._writer.write(self._topic, entries)

    def post(self, entry: tuple[bytes, bytes | None]) -> None:
        """Write an entry without waiting."""
        self._writer.post(self._topic, *entry)


def _apply(entries: dict[bytes, bytes], key: Any, value: Any) -> None:
    if isinstance(key, bytes):
        entries.pop(key, None)
        if isinstance(value, bytes):
            entries[key] = value


def check_compacted(topic: str, policy: str | None) -> None:
    """Refuse a topic that would forget entries; ``policy`` is None if it cannot be read.

    :raises StopError: its cleanup.policy is not exactly ``compact``.
    """
    if policy not in (None, "compact"):
        raise StopError(
            f"Topic {topic} has cleanup.policy={policy}, and would lose entries in time.",
            f"Set cleanup.policy=compact on topic {topic}, or name another topic.",
        )
