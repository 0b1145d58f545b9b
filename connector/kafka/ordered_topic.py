"""A topic whose first partition is written and read in order."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka import Message as KafkaMessage

from connector.data.record import Message
from connector.errors import BrokerUnavailableError, MillraceError
from connector.fence import Fence
from connector.kafka.connection import CONNECTION
from connector.kafka.errors import delivery_error, request_error
from connector.kafka.library_log import RepeatedLineFilter
from connector.kafka.new_topic import retry_new_topic
from connector.kafka.producer import Producer

_log = logging.getLogger(__name__)
_log.addFilter(RepeatedLineFilter())

_PARTITION: Final = 0
_POLL: Final = 0.1
_STEP: Final = 0.5  # seconds of a wait between two checks of the fence
_ANSWER: Final = 2.0  # seconds for an answer; the request is repeated
_NO_ANSWER: Final = (
    KafkaError._TIMED_OUT,  # noqa: SLF001 - the library's public names
    KafkaError._TRANSPORT,  # noqa: SLF001 - the same
    KafkaError._ALL_BROKERS_DOWN,  # noqa: SLF001 - the same
)
_READER: Final[Mapping[str, Any]] = {
    "enable.auto.commit": "false",
    "enable.partition.eof": "true",
    "auto.offset.reset": "earliest",
    "fetch.wait.max.ms": 50,  # an empty fetch marks the end
}
# Librdkafka builds the next request while one is in flight. If the broker rejects the one in
# flight, it is sent again behind the next. So each request waits for the answer to the previous.
_BURST_BYTES: Final = 500_000  # of the values in one request, unless one is larger
_ONE_REQUEST: Final[Mapping[str, Any]] = {
    "linger.ms": 60_000,  # until the flush
    "batch.size": 2 * _BURST_BYTES,
    "batch.num.messages": 1_000_000,
}
_WRITER: Final[Mapping[str, Any]] = {
    "enable.idempotence": False,  # older brokers, and users without the right to write idempotently
    "max.in.flight.requests.per.connection": 1,
    "delivery.timeout.ms": 120_000,
    "compression.type": "none",
}


class OrderedTopic:
    """The values of a topic's first partition.

    Used by one thread; connects when it is first read or written.

    :param reader: settings of the consumer, as librdkafka calls them.
    :param writer: settings of the producer; they override the defaults here.
    :param silence: seconds without a message after which reading fails.
    :param fence: nothing is written once it is closed; waits are reported to it.
    """

    def __init__(
        self,
        topic: str,
        reader: Mapping[str, Any],
        writer: Mapping[str, Any],
        *,
        silence: float = 30.0,
        fence: Fence | None = None,
    ) -> None:
        self._topic = topic
        self._reader = {**CONNECTION, "group.id": "millrace-sequence", **reader, **_READER}
        self._writer = {**_WRITER, **writer, **_ONE_REQUEST}
        self._silence = silence
        self._fence = fence or Fence()
        self._cancel_abort: Callable[[], None] = lambda: None
        self._producer: Producer | None = None
        self._errors: list[MillraceError] = []
        self._posted: list[bytes] = []
        self._posted_bytes = 0

    def is_empty(self) -> bool:
        """Return whether the topic is empty now.

        :raises BrokerUnavailableError: the broker does not answer.
        :raises StopError: the topic may not be read, or does not exist.
        """
        consumer = Consumer(self._reader, logger=_log)
        try:
            low, high = retry_new_topic(self._topic, lambda: self._bounds(consumer))
            return low >= high
        finally:
            consumer.close()

    def read(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield values with their offsets up to the present end; tombstones are skipped.

        :param start: the offset to begin at; the first offset if it no longer exists.

        :raises BrokerUnavailableError: the broker does not answer, or sends nothing for too long.
        :raises StopError: the topic may not be read, or does not exist.
        """
        consumer = Consumer(self._reader, logger=_log)
        try:
            low, high = retry_new_topic(self._topic, lambda: self._bounds(consumer))
            if low < high and start < high:
                begin = start if low <= start else OFFSET_BEGINNING
                consumer.assign([TopicPartition(self._topic, _PARTITION, begin)])
                yield from self._values(consumer, high)
        finally:
            consumer.close()

    def _values(self, consumer: Consumer, end: int) -> Iterator[tuple[int, bytes]]:
        while True:
            message = self._next(consumer)
            error = message.error()
            if error is not None:
                if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - the documented code
                    return
                if error.code() != KafkaError._TRANSPORT:  # noqa: SLF001 - it reconnects by itself
                    raise request_error(error, f"Reading topic {self._topic}")
                continue
            offset, value = message.offset() or 0, message.value()
            if isinstance(value, bytes):
                yield offset, value
            if offset + 1 >= end:
                return

    def _next(self, consumer: Consumer) -> KafkaMessage:
        deadline = time.monotonic() + self._silence
        while time.monotonic() < deadline:
            message = consumer.poll(min(_STEP, self._silence))
            if message is not None:
                return message
            self._wait("is not read to its end")
        raise BrokerUnavailableError(f"Topic {self._topic} could not be read to its end")

    def _bounds(self, consumer: Consumer) -> tuple[int, int]:
        """Return the first offset and the one after the last."""
        partition = TopicPartition(self._topic, _PARTITION)
        deadline = time.monotonic() + self._silence
        while True:
            try:
                low, high = consumer.get_watermark_offsets(partition, min(_ANSWER, self._silence))
            except KafkaException as failed:
                if failed.args[0].code() not in _NO_ANSWER or time.monotonic() > deadline:
                    raise
                self._wait("does not answer")
            else:
                return low, high

    def post(self, value: bytes) -> None:
        """Send a value, with others; `settle` waits for its acknowledgement.

        :raises BrokerUnavailableError: the values before it are not acknowledged in time.
        """
        if self._posted_bytes + len(value) > _BURST_BYTES:
            self._send_posted()
        self._posted.append(value)
        self._posted_bytes += len(value)

    def _send_posted(self) -> None:
        """Send the posted values in one request and wait until they are acknowledged."""
        if not self._posted:
            return
        producer = self._connect() if self._producer is None else self._producer
        values, self._posted, self._posted_bytes = self._posted, [], 0
        for value in values:
            message = Message(self._topic, _PARTITION, None, value)
            while not self._try_send(producer, message):
                producer.poll(_POLL)
                self._wait("takes no message")
        while not producer.flush(_POLL):
            self._wait("does not acknowledge a message")

    def _try_send(self, producer: Producer, message: Message) -> bool:
        with self._fence:
            return producer.send((message,), lambda _: 1, self._failed) is None

    def _wait(self, what: str) -> None:
        self._fence.wait(f"Waiting for Kafka: topic {self._topic} {what}")

    def settle(self) -> None:
        """Wait until all posted values are acknowledged.

        :raises BrokerUnavailableError: not in time.
        :raises StopError: a value was refused permanently.
        """
        self._send_posted()
        errors, self._errors = self._errors, []
        if errors:
            raise errors[0]

    def write(self, values: Iterable[bytes]) -> None:
        """Write values in order; returns once all are acknowledged, and raises as `settle` does."""
        for value in values:
            self.post(value)
        self.settle()

    def _connect(self) -> Producer:
        self._producer = Producer(self._writer)
        self._cancel_abort = self._fence.on_close(self._producer.abort)
        return self._producer

    def _failed(self, error: KafkaError | None, _: KafkaMessage) -> None:
        if error is not None:
            self._errors.append(delivery_error(error, self._topic))

    def close(self) -> None:
        """Drop what is not acknowledged yet."""
        if self._producer is not None:
            self._cancel_abort()
            self._producer.close()
            self._producer = None
        self._errors, self._posted, self._posted_bytes = [], [], 0
