"""Sends messages with the native core: it calls the librdkafka that confluent-kafka has loaded."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, cimpl, libversion

from connector.data.record import Message
from connector.kafka.client import Failed, Queued
from connector.native import Producer, Reports, native_producer

log = logging.getLogger(__name__)

_LEVELS: Final = (50, 50, 50, 40, 30, 20, 20, 10)  # of `logging`, by those of syslog


class NativeClient:
    """Implements `connector.kafka.client.Client`."""

    def __init__(
        self,
        producer: Producer,
        on_error: Callable[[KafkaError], None],
        logger: logging.Logger,
    ) -> None:
        self._producer = producer
        self._on_error = on_error
        self._log = logger
        self._name = producer.name

    def queue(
        self, messages: Iterator[Message], partitions: dict[str, int], failed: Failed
    ) -> Queued:
        """Queue messages until one is refused."""
        count, size, refused, code, error = self._producer.send(messages, partitions, failed)
        return Queued(count, size, refused, error or _refusal(code))

    def queue_first(self, message: Message, partition: int, failed: Failed) -> KafkaError | None:
        """Queue a message for a partition."""
        code = self._producer.send_first(message, partition, failed)
        return _refusal(code)

    def poll(self, seconds: float) -> None:
        """Wait for a report."""
        self._report(self._producer.poll(seconds))

    def flush(self, seconds: float) -> None:
        """Wait until all messages are answered."""
        self._report(self._producer.flush(seconds))

    def _report(self, reports: Reports | None) -> None:
        """Pass on what the library reported; receipts of messages that arrived are released."""
        if reports is None:
            return
        failures, errors, lines = reports
        for level, facility, line in lines:
            self._log.log(_LEVELS[level], "%s [%s] %s", facility, self._name, line)
        for failed, code, topic, key, value in failures:
            failed(KafkaError(code), FailedMessage(topic, key, value))
        for code, text, is_fatal in errors:
            self._on_error(KafkaError(code, text, is_fatal))

    def purge(self) -> None:
        """Drop all messages."""
        with suppress(RuntimeError):  # it is closed
            self._producer.purge()

    def close(self) -> None:
        """End the threads of the library."""
        self._producer.close()

    def __len__(self) -> int:
        return len(self._producer)


def _refusal(code: int) -> KafkaError | None:
    """Return the error of a message that was not queued, with the text of confluent-kafka."""
    if not code:
        return None
    return KafkaError(code, f"Unable to produce message: {KafkaError(code).str()}")


class FailedMessage:
    """A message that was not delivered, with the methods that confluent-kafka's has."""

    __slots__ = ("_key", "_topic", "_value")

    def __init__(self, topic: str, key: bytes | None, value: bytes | None) -> None:
        self._topic = topic
        self._key = key
        self._value = value

    def topic(self) -> str:
        """Return the name of its topic."""
        return self._topic

    def key(self) -> bytes | None:
        """Return its key."""
        return self._key

    def value(self) -> bytes | None:
        """Return its value."""
        return self._value


def native_client(
    settings: Mapping[str, Any],
    on_error: Callable[[KafkaError], None],
    logger: logging.Logger,
) -> NativeClient | None:
    """Return a client with settings of librdkafka; None where confluent-kafka has to send.

    :raises KafkaException: the settings are refused.
    """
    texts = [(name, str(value)) for name, value in settings.items() if value is not None]
    try:
        producer = native_producer(cimpl.__file__, [*texts, ("log.queue", "true")])
    except ValueError as error:
        raise KafkaException(KafkaError(*error.args)) from None
    _log_client(is_native=producer is not None)
    return None if producer is None else NativeClient(producer, on_error, logger)


@cache
def _log_client(*, is_native: bool) -> None:
    sender = "the native row core" if is_native else "confluent-kafka"
    log.info("Messages are sent by %s, with librdkafka %s.", sender, libversion()[0])
