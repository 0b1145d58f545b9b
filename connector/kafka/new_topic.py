"""Waits until the brokers know a topic that was just created, and who leads it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from confluent_kafka import KafkaError, KafkaException

from connector.kafka.errors import request_error

_SECONDS: Final = 10.0
_STEP: Final = 0.1
_NOT_YET: Final = (
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.UNKNOWN_LEADER_EPOCH,  # the broker has not yet read what the client already knows
    KafkaError.FENCED_LEADER_EPOCH,
)

Answer = TypeVar("Answer")


def retry_new_topic(topic: str, ask: Callable[[], Answer]) -> Answer:
    """Ask until the brokers know the topic.

    :raises MillraceError: they refuse the request, or do not know the topic for too long.
    """
    deadline = time.monotonic() + _SECONDS
    while True:
        try:
            return ask()
        except KafkaException as failed:
            error: KafkaError = failed.args[0]
            if error.code() not in _NOT_YET or time.monotonic() > deadline:
                raise request_error(error, f"Reading topic {topic}") from None
            time.sleep(_STEP)
