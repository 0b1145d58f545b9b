"""Reading all topics of a connector again and again, each time from where it was."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Self

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)

from tests.fixtures.topics import Message, Topics, _message
from tests.fixtures.worker import wait_for

_SILENCE = 60.0
_PATIENCE = 15.0
_NOT_READY = (
    KafkaError._TRANSPORT,
    KafkaError._TIMED_OUT,
    KafkaError.UNKNOWN_LEADER_EPOCH,  # it has not yet read what the client already knows
    KafkaError.FENCED_LEADER_EPOCH,
)


def ends_of(topics: Topics, prefix: str) -> dict[str, int]:
    """Return how many messages each topic has whose name begins so.

    A broker that has just come back, or a topic that has just been made, may need a moment.
    """
    found: dict[str, int] = {}

    def broker_answers() -> bool:
        with suppress(_NotYetError):
            found.update(_ends(topics, prefix))
            return True
        return False

    wait_for(broker_answers, _SILENCE, "an answer of the broker")
    return found


class _NotYetError(Exception):
    """The broker is not ready."""


def _ends(topics: Topics, prefix: str) -> dict[str, int]:
    try:
        return topics.ends(topics.names(prefix))
    except KafkaException as error:
        reason: KafkaError = error.args[0]
        if reason.retriable() or reason.code() in _NOT_READY:
            raise _NotYetError from error
        raise


class Follower:
    """Follows the topics whose names begin with a prefix and have one partition."""

    def __init__(self, topics: Topics, prefix: str) -> None:
        self._topics = topics
        self._prefix = prefix
        self._read: dict[str, int] = {}
        self._consumer = self._connect()

    def _connect(self) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self._topics.bootstrap,
                "group.id": "follower",
                "log_level": 0,
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 10,
                "fetch.message.max.bytes": 104_857_600,
                "fetch.max.bytes": 110_000_000,
                "receive.message.max.bytes": 115_000_000,
            }
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._consumer.close()

    def new(self) -> dict[str, list[Message]]:
        """Return what was written to each topic since the last call."""
        ends = ends_of(self._topics, self._prefix)
        found: dict[str, list[Message]] = {topic: [] for topic in ends}
        fresh = [topic for topic in ends if topic not in self._read]
        self._consumer.incremental_assign(
            [TopicPartition(topic, 0, OFFSET_BEGINNING) for topic in fresh]
        )
        self._read |= dict.fromkeys(fresh, 0)
        since = time.monotonic()
        while any(self._read[topic] < end for topic, end in ends.items()):
            got = self._consumer.poll(_PATIENCE)
            if got is None:
                text = f"nothing came for {_SILENCE:.0f} s: {self._read}, {ends}"
                assert time.monotonic() - since < _SILENCE, text
                self._reconnect()
                continue
            since = time.monotonic()
            error = got.error()
            if error is not None:
                if error.code() == KafkaError._TRANSPORT:
                    continue  # it connects again by itself
                raise KafkaException(error)
            message = _message(got)
            found[message.topic].append(message)
            self._read[message.topic] = message.offset + 1
        return found

    def _reconnect(self) -> None:
        """Read with another consumer: one may stay silent for minutes after a broker's restart."""
        self._consumer.close()
        self._consumer = self._connect()
        self._consumer.assign(
            [TopicPartition(topic, 0, offset) for topic, offset in self._read.items()]
        )
