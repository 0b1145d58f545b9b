"""Sends messages with confluent-kafka: a call of Python for each message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, Producer

from connector.data.record import Message
from connector.kafka.client import Failed, Queued

_FULL: Final = KafkaError._QUEUE_FULL  # noqa: SLF001 - the library's public name for it


class PythonClient:
    """Implements `connector.kafka.client.Client`.

    :raises KafkaException: the settings are refused.
    """

    def __init__(self, settings: Mapping[str, Any], *, uses_receipts: bool) -> None:
        self._producer = Producer({"delivery.report.only.error": uses_receipts, **settings})

    def queue(
        self, messages: Iterator[Message], partitions: dict[str, int], failed: Failed
    ) -> Queued:
        """Queue messages until one is refused."""
        produce, partition_of = self._producer.produce, partitions.get
        known, at, count, size = "", None, 0, 0
        try:
            for message in messages:
                topic, partition, key, value, headers, timestamp = message
                if topic is not known:
                    known, at = topic, partition_of(topic)
                    if at is None:
                        return Queued(count, size, message)
                goes = at if partition is None else partition
                try:
                    # by position: names cost a tenth of the call
                    produce(topic, value, key, goes, failed, None, timestamp or 0, headers)  # type: ignore[arg-type]  # a list of pairs
                except BufferError:
                    return Queued(count, size, message, KafkaError(_FULL))
                except KafkaException as error:
                    return Queued(count, size, message, error.args[0])
                count += 1
                if value is not None:
                    size += len(value)
        except BaseException as error:  # noqa: BLE001 - the caller raises it
            return Queued(count, size, None, error)
        return Queued(count, size)

    def queue_first(self, message: Message, partition: int, failed: Failed) -> KafkaError | None:
        """Queue a message for a partition."""
        queued = self.queue(iter((message,)), {message.topic: partition}, failed)
        if isinstance(queued.error, BaseException):
            raise queued.error
        return queued.error

    def poll(self, seconds: float) -> None:
        """Wait for a report."""
        self._producer.poll(seconds)

    def flush(self, seconds: float) -> None:
        """Wait until all messages are answered."""
        self._producer.flush(seconds)

    def purge(self) -> None:
        """Drop all messages."""
        with suppress(RuntimeError):  # it is closed
            self._producer.purge()

    def close(self) -> None:
        """End the threads of the library."""
        with suppress(KafkaException, SystemError):  # the latter instead of a fatal error
            self._producer.close()  # it would wait for what is queued

    def __len__(self) -> int:
        return len(self._producer)
