"""Signals from a topic: messages whose key is the topic prefix."""

from __future__ import annotations

import logging

from connector.capture.signals.signal import Signal, parse_document
from connector.kafka.followed_topic import FollowedTopic

log = logging.getLogger(__name__)


class KafkaChannel:
    """The channel ``kafka``; ``connector`` is the topic prefix."""

    def __init__(self, topic: FollowedTopic, connector: str) -> None:
        self._topic = topic
        self._connector = connector

    def read(self) -> list[Signal]:
        """Return the new signals for this connector."""
        found = []
        for offset, key, value in self._topic.read():
            name = (key or b"").decode("utf-8", "replace")
            if name != self._connector:
                log.info("A signal with the key '%s' is for another connector", name)
            elif value:
                signal = parse_document(value.decode("utf-8", "replace"), offset)
                found += [] if signal is None else [signal]
        return found

    @property
    def fault(self) -> str:
        """Why the topic cannot be read at present."""
        return self._topic.fault

    def seek(self, offset: int | None) -> None:
        """Continue behind an offset; without one, where the group is."""
        self._topic.seek(None if offset is None else offset + 1)

    def acknowledge(self) -> None:
        """Do nothing: the stored offset has that of the last signal."""

    def close(self, offset: int | None) -> None:
        """Close the consumer. The group is for Debezium: a takeover continues behind the offset."""
        if offset is not None:
            self._topic.commit(offset + 1)
        self._topic.close()
