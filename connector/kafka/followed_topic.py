"""Reads new messages of a topic's first partition, without waiting for any."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import Any, Final

from confluent_kafka import OFFSET_STORED, Consumer, KafkaError, KafkaException, TopicPartition

from connector.kafka.connection import CONNECTION
from connector.kafka.library_log import RepeatedLineFilter

_log = logging.getLogger(__name__)
_log.addFilter(RepeatedLineFilter())

_PARTITION: Final = 0
_MOST: Final = 500  # messages at once
_CHECK_SECONDS: Final = 0.5
_READER: Final[Mapping[str, Any]] = {
    "enable.auto.commit": "false",
    "allow.auto.create.topics": "false",
}
FollowedEntry = tuple[int, bytes | None, bytes | None]


class FollowedTopic:
    """A topic that others write to now and then; used by one thread.

    It connects at the first read, and begins where the group is, until `seek` says otherwise.
    ``fault`` says why the topic cannot be read at present; it is empty if it can. A consumer with
    a lasting fault is replaced: it may have lost its only broker (`connector.task.delivery_watch`).

    :param config: settings of the consumer, as librdkafka calls them.
    :param wait: how many seconds a read waits for messages.
    :param patience: seconds of a fault after which the consumer may be its cause.
    """

    def __init__(
        self, topic: str, config: Mapping[str, Any], wait: float = 0.0, patience: float = 30.0
    ) -> None:
        self._topic = topic
        self._config = {
            **CONNECTION,
            "auto.offset.reset": "earliest",
            **config,
            **_READER,
            "error_cb": self._note,
        }
        self.fault = ""
        self._faulty_since = 0.0
        self._wait = wait
        self._patience = patience
        self._consumer: Consumer | None = None
        self._start: int = OFFSET_STORED

    def seek(self, offset: int | None) -> None:
        """Continue at an offset; None: where the group is."""
        self.close()
        self._start = OFFSET_STORED if offset is None else offset

    def read(self) -> list[FollowedEntry]:
        """Return offset, key and value of the messages that have arrived.

        While the broker does not answer, there are none.
        """
        if self._consumer is None:
            self._consumer = Consumer(self._config, logger=_log)
            self._consumer.assign([TopicPartition(self._topic, _PARTITION, self._start)])
        found: list[FollowedEntry] = []
        try:
            messages = self._consumer.consume(_MOST, self._wait)
        except KafkaException as error:
            self._note(error.args[0])
            return found
        if self.fault:
            self._check(self._consumer)
        for message in messages:
            failure, offset = message.error(), message.offset()
            if failure is not None:
                if failure.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001 - the documented code
                    self._note(failure)
            elif offset is not None:
                self._start = offset + 1
                found.append((offset, _bytes(message.key()), _bytes(message.value())))
        return found

    def _check(self, consumer: Consumer) -> None:
        """Ask the broker whether the topic can be read again."""
        try:
            topic = consumer.list_topics(self._topic, _CHECK_SECONDS).topics[self._topic]
        except KafkaException as error:
            self._note(error.args[0])
            if time.monotonic() - self._faulty_since > self._patience:
                self._faulty_since = time.monotonic()
                self.close()
        else:
            if topic.error is None:
                self.fault = ""

    def _note(self, error: KafkaError) -> None:
        fault = f"Topic {self._topic} cannot be read: {error.str()}"
        if not self.fault:
            self._faulty_since = time.monotonic()
        if fault != self.fault:
            _log.warning("%s", fault)
        self.fault = fault

    def commit(self, offset: int) -> None:
        """Store in the group where to continue; a failure is logged."""
        if self._consumer is None:
            return
        at = TopicPartition(self._topic, _PARTITION, offset)
        try:
            self._consumer.commit(offsets=[at], asynchronous=False)
        except KafkaException as error:
            _log.warning("The offset of topic %s was not committed: %s", self._topic, error)

    def close(self) -> None:
        """Close the consumer."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None


def _bytes(value: Any) -> bytes | None:
    return value if isinstance(value, bytes) else None
