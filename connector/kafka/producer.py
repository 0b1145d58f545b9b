"""The producer of a task: messages in, acknowledgements back."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException

from connector.data.record import Message
from connector.errors import (
    BatchTooLargeError,
    ClientFailedError,
    MillraceError,
    ProduceError,
    RefusedMessageError,
)
from connector.kafka.client import Client, Failed
from connector.kafka.connection import CONNECTION
from connector.kafka.delivery_settings import LINGER
from connector.kafka.delivery_tracking import library_uses_receipts
from connector.kafka.errors import delivery_error, request_error
from connector.kafka.first_messages import FirstMessages
from connector.kafka.library_log import RepeatedLineFilter
from connector.kafka.native_client import native_client
from connector.kafka.partitioners import PARTITIONERS
from connector.kafka.producer_defaults import DEFAULTS
from connector.kafka.python_client import PythonClient
from connector.kafka.queue_size import QueueSize

log = logging.getLogger(__name__)
log.addFilter(RepeatedLineFilter())

# Refusals of a batch that need not concern each of its messages.
_PERHAPS_OTHERS: Final = {
    KafkaError.MSG_SIZE_TOO_LARGE,
    KafkaError._INVALID_DIFFERENT_RECORD,  # noqa: SLF001 - the library's public name for it
}

_GROWN_SECONDS: Final = 10.0  # how long the queue keeps room for a message larger than itself
_REMEMBERED_SECONDS: Final = 6 * 3600.0  # brokers forget a silent producer after a day
_STEP: Final = 0.005  # seconds of a flush for a partition's first message
_PUSH: Final = 0.001  # seconds in which the library's thread sends what is queued

PartitionCount = Callable[[str], int]
"""Returns how many partitions a topic has."""


class Producer:
    """Sends messages. All methods are called by the thread that owns it.

    `poll` and `flush` report failures, and release the callback that `send` got with a message
    once the message is delivered or has failed. Any thread may read the length (the messages that
    are not acknowledged) and ``bytes_in_flight``, ``capacity`` and ``queue_bytes`` (the most there
    may be) and ``sent``. The last connection error stays in ``problem`` until the owner clears it.
    ``linger`` is how many seconds a message may wait for others. ``uses_receipts`` is false if the
    library has to report each message that is delivered: the callback is called for each, without
    an error if delivered. That is asked only where the native core does not send.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        uses_receipts: Callable[[], bool] = library_uses_receipts,
        *,
        native: bool = True,
    ) -> None:
        settings = {**CONNECTION, **DEFAULTS, **config}
        self.capacity = int(settings["queue.buffering.max.messages"])
        self._batch_bytes = int(settings["batch.size"])
        if str(settings["enable.idempotence"]).lower() == "false":
            settings["max.in.flight.requests.per.connection"] = config.get(
                "max.in.flight.requests.per.connection", 1
            )
        self.linger = float(settings["linger.ms"]) / 1000
        self._may_push = not any(name in config for name in LINGER)
        self.sent = self.sent_bytes = 0
        self._size = QueueSize(self.capacity)
        self.problem: str | None = None
        self._fatal: KafkaError | None = None
        self._settings = settings
        self._queue_kilobytes = int(settings["queue.buffering.max.kbytes"])
        self.queue_bytes = self._queue_kilobytes << 10
        self._shrinks_at: float | None = None
        self._forgotten_at = time.monotonic() + _REMEMBERED_SECONDS
        self._awaits_first = False
        self._partitioner = PARTITIONERS[settings["partitioner"]]
        self._uses_receipts = uses_receipts
        self._native = native
        self._client = self._create()

    def _create(self) -> Client:
        self._first = FirstMessages(self._partitioner)
        try:
            client = native_client(self._settings, self._on_error, log) if self._native else None
            return self._create_in_python() if client is None else client
        except KafkaException as error:
            raise ProduceError(f"the producer's settings are refused: {error.args[0]}") from error

    def _create_in_python(self) -> Client:
        callbacks = {"error_cb": self._on_error, "logger": log}
        return PythonClient({**self._settings, **callbacks}, uses_receipts=self._uses_receipts())

    def _grow(self, message: Message) -> None:
        """Make room for a message that does not even fit the empty queue.

        Nothing is in flight, so another producer may continue without disturbing the order.
        """
        size = len(message.value or b"") + len(message.key or b"")
        kilobytes = size * 11 // 10240 + 64  # headers need some room too
        log.info("A message of %d kB is larger than the queue, which grows", size >> 10)
        self._settings["queue.buffering.max.kbytes"] = kilobytes
        self._shrinks_at = time.monotonic() + _GROWN_SECONDS
        self._client.close()
        self._client = self._create()

    def _shrink_if_due(self) -> None:
        """Return to the configured queue, once it is empty."""
        if self._shrinks_at is None or time.monotonic() < self._shrinks_at or len(self._client):
            return
        self._shrinks_at = None
        self._settings["queue.buffering.max.kbytes"] = self._queue_kilobytes
        self._client.close()
        self._client = self._create()

    def send(
        self, messages: Iterable[Message], partition_count: PartitionCount, failed: Failed
    ) -> Message | None:
        """Queue messages; return the first that has to wait, None when all are queued.

        It waits for room in the queue, or for the first message to its partition. Those behind it
        are left in ``messages`` if that is an iterator: `poll`, then go on.

        :param failed: called when a message is not delivered; held until it is delivered or fails.
        :raises RefusedMessageError: a message can never be sent; the others may be.
        """
        waiting = iter(messages)
        while True:
            queued = self._client.queue(waiting, self._first.known, failed)
            self._count(queued.messages, queued.size)
            message, error = queued.refused, queued.error
            if message is None:
                if isinstance(error, BaseException):
                    try:
                        raise error
                    finally:
                        del queued, error  # its traceback has this frame: it would keep itself
                return None
            if error is None:  # its topic may not know the producer
                admitted, error = self._send_first(message, partition_count(message.topic), failed)
                if not admitted:
                    return message
            if error is not None:
                return self._hold_back(message, error)

    def _send_first(
        self, message: Message, count: int, failed: Failed
    ) -> tuple[bool, KafkaError | None]:
        """Queue a message of a topic that may not know the producer.

        Return whether it is its turn, and why it is not queued. The callback of a first message
        is held by the library alone: no frame that calls anything else may have it.
        """
        topic, partition, key, value, *_ = message
        admission = self._first.admit(topic, partition, key, count, failed)
        self._awaits_first = admission is None
        if admission is None:
            return False, None
        goes, callback = admission
        error = self._client.queue_first(message, goes, callback)
        if error is None:
            self._count(1, len(value or b""))
        else:
            self._first.withdraw(topic, goes)
        return True, error

    def _hold_back(self, message: Message, error: KafkaError | BaseException) -> Message:
        """Return a message for which there is no room now; raise any other error."""
        if isinstance(error, BaseException):
            raise error
        if error.code() != KafkaError._QUEUE_FULL:  # noqa: SLF001 - as above
            raise self._refusal(error, message.topic)
        if not len(self._client):
            self._grow(message)
        return message

    def _count(self, messages: int, size: int) -> None:
        self.sent += messages
        self.sent_bytes += size
        self._size.note(self.sent, self.sent_bytes)

    def poll(self, seconds: float) -> None:
        """Deliver acknowledgements, waiting so long for one.

        :raises ClientFailedError: the producer is unusable: make a new one.
        """
        self._shrink_if_due()
        if time.monotonic() > self._forgotten_at:
            self._forgotten_at = time.monotonic() + _REMEMBERED_SECONDS
            self._first.forget()
        if self._awaits_first:  # nothing is to be gained by linger.ms
            self._awaits_first = False
            self._serve(self._client.flush, min(seconds, _STEP))
        else:
            self._serve(self._client.poll, seconds)

    def push(self) -> None:
        """Send what is queued now, for nothing follows at once; not where the user sets linger.ms.

        The library has no such call, but does not wait for more messages during a flush. A
        millisecond is enough for that; its answer is not waited for any longer.

        :raises ClientFailedError: the producer is unusable: make a new one.
        """
        if self._may_push and len(self._client):
            self._serve(self._client.flush, _PUSH)

    def _serve(self, wait: Callable[[float], object], seconds: float) -> None:
        try:
            wait(seconds)
        except (
            KafkaException
        ) as error:  # the settings decide whether a fatal error is raised or passed to error_cb
            if error.args[0].fatal():
                self._fatal = error.args[0]
            raise request_error(error.args[0], "the producer failed") from error
        if self._fatal is not None:
            raise ClientFailedError(f"the producer failed: {self._fatal.str()}")

    def flush(self, seconds: float) -> bool:
        """Wait until all messages are acknowledged; False when time ran out.

        :raises ClientFailedError: the producer is unusable, so not all are acknowledged.
        """
        end = time.monotonic() + seconds
        while len(self._client):
            left = end - time.monotonic()
            if left <= 0:
                return False
            self._serve(self._client.flush, min(left, 0.2))
        self.poll(0)  # an error without a message may wait there
        return True

    def classify_failure(self, error: KafkaError, message: Any) -> MillraceError:
        """Return the error of a message that the library reports as not delivered.

        Kafka refuses whole batches. Java's client splits what is refused, librdkafka does not:
        unless the message was alone in its batch, batches have to become smaller.
        """
        alone = len(message.value() or b"") + len(message.key() or b"") >= self._batch_bytes
        if error.code() in _PERHAPS_OTHERS and not alone:
            return BatchTooLargeError(message.topic(), self._batch_bytes // 2, error.str())
        return delivery_error(error, message.topic())

    def _refusal(self, error: KafkaError, topic: str) -> MillraceError:
        """Return the error of a message that was not even queued."""
        if error.code() == KafkaError._UNKNOWN_PARTITION:  # noqa: SLF001 - as below
            return RefusedMessageError(
                f"a message names a partition that topic {topic} does not have", topic
            )
        return delivery_error(error, topic)

    def close(self) -> None:
        """Drop what is still queued, and end the library's threads.

        A fatal error may be raised only now; the producer is not used any more. Without this, the
        threads and their connections would stay until Python collects what refers to itself.
        """
        with suppress(KafkaException):
            self.abort()
            self._client.poll(0)
        self._client.close()

    def abort(self) -> None:
        """Drop what is queued and what waits for an answer; any thread may do this at any time."""
        self._client.purge()

    @property
    def topics(self) -> list[str]:
        """The topics to which messages were sent."""
        return self._first.topics

    def __len__(self) -> int:
        return len(self._client)

    @property
    def bytes_in_flight(self) -> int:
        """How many bytes the values have that are not acknowledged."""
        return self._size.bytes_of(len(self), self.sent, self.sent_bytes)

    def _on_error(self, error: KafkaError) -> None:
        if error.fatal():
            self._fatal = error
        else:
            self.problem = error.str()
            log.debug("Kafka: %s", self.problem)
