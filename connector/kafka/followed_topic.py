"""Reads new messages of a topic's first partition, without waiting for any."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from confluent_kafka import OFFSET_STORED, Consumer, KafkaError, KafkaException, TopicPartition

from connector.kafka.connection import CONNECTION
from connector.kafka.library_log import RepeatedLineFilter

_log = logging.getLogger(__name__)
_log.addFilter(RepeatedLineFilter())

_PARTITION: Final = 0
_MOST: Final = 500  # messages at once
_READER: Final[Mapping[str, Any]] = {
    "enable.auto.commit": "false",
    "allow.auto.create.topics": "false",
}
Entry = tuple[int, bytes | None, bytes | None]


class FollowedTopic:
    """A topic that others write to now and then; used by one thread.

    It connects at the first read. Each read commits to the group what the one before returned.

    :param config: settings of the consumer, as librdkafka calls them.
    :param wait: how many seconds a read waits for messages.
    """

    def __init__(self, topic: str, config: Mapping[str, Any], wait: float = 0.0) -> None:
        self._topic = topic
        self._config = {**CONNECTION, "auto.offset.reset": "earliest", **config, **_READER}
        self._wait = wait
        self._consumer: Consumer | None = None
        self._start: int = OFFSET_STORED
        self._read_to: int | None = None

    def seek(self, offset: int) -> None:
        """Continue at an offset."""
        self.close()
        self._start = offset

    def read(self) -> list[Entry]:
        """Return offset, key and value of the messages that have arrived.

        While the broker does not answer, there are none.
        """
        if self._consumer is None:
            self._consumer = Consumer(self._config, logger=_log)
            self._consumer.assign([TopicPartition(self._topic, _PARTITION, self._start)])
        self._commit(self._consumer)
        found: list[Entry] = []
        try:
            messages = self._consumer.consume(_MOST, self._wait)
        except KafkaException as error:
            _log.warning("Topic %s cannot be read: %s", self._topic, error)
            return found
        for message in messages:
            failure, offset = message.error(), message.offset()
            if failure is not None:
                if failure.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001 - the documented code
                    _log.warning("Topic %s cannot be read: %s", self._topic, failure.str())
            elif offset is not None:
                found.append((offset, _bytes(message.key()), _bytes(message.value())))
        if found:
            self._read_to = self._start = found[-1][0] + 1
        return found

    def close(self) -> None:
        """Close the consumer."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None

    def _commit(self, consumer: Consumer) -> None:
        if self._read_to is None:
            return
        offset = TopicPartition(self._topic, _PARTITION, self._read_to)
        self._read_to = None
        try:
            consumer.commit(offsets=[offset], asynchronous=True)
        except KafkaException as error:
            _log.warning("The offset of topic %s was not committed: %s", self._topic, error)


def _bytes(value: Any) -> bytes | None:
    return value if isinstance(value, bytes) else None
