"""Decides what a Kafka error means: one table of error codes, with a reason beside each.

``error_codes.tsv`` has a line for every code of librdkafka:

- ``retry``: the error passes. The same client can go on; a record that was not delivered is read
  again from the last stored offset.
- ``restart``: the same, but the client is unusable and is replaced.
- ``reject``: this record can never be written; others can. ``errors.tolerance`` decides.
- ``stop``: the task fails. It never skips records for such an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Final

from confluent_kafka import KafkaError

from connector.errors import (
    AccessDeniedError,
    BrokerUnavailableError,
    ClientFailedError,
    MillraceError,
    ProduceError,
    RefusedMessageError,
    StopError,
    TopicMissingError,
    TransientError,
)


class Decision(StrEnum):
    """What happens after an error."""

    RETRY = "retry"
    RESTART = "restart"
    REJECT = "reject"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One line of the table."""

    name: str
    decision: Decision
    reason: str


UNKNOWN_TOPIC: Final = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.UNKNOWN_TOPIC_ID,
        KafkaError.INCONSISTENT_TOPIC_ID,
        KafkaError._UNKNOWN_TOPIC,  # noqa: SLF001 - the library's public name for it
        KafkaError._UNKNOWN_PARTITION,  # noqa: SLF001 - the same
    }
)
_DENIED: Final = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError._AUTHENTICATION,  # noqa: SLF001 - the same
    }
)
_TOO_LARGE: Final = frozenset(
    {
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.RECORD_LIST_TOO_LARGE,
        KafkaError.INVALID_MSG_SIZE,
    }
)
_TOO_LARGE_REMEDY: Final = (
    "Raise message.max.bytes of the broker (max.message.bytes of the topic), and "
    "producer.override.max.request.size if it is set."
)


@cache
def error_codes() -> Mapping[int, ErrorCode]:
    """Return the table by code."""
    text = files("connector.kafka").joinpath("error_codes.tsv").read_text("utf-8")
    found: dict[int, ErrorCode] = {}
    for line in text.splitlines()[1:]:
        name, decision, reason = line.split("\t")
        code = getattr(KafkaError, name, None)  # an older librdkafka has fewer
        if isinstance(code, int):
            found[code] = ErrorCode(name, Decision(decision), reason)
    return found


def decision(error: KafkaError) -> Decision:
    """Return what happens after an error; the broker may use codes that librdkafka lacks."""
    if error.fatal():
        return Decision.RESTART
    known = error_codes().get(error.code())
    if known is not None:
        return known.decision
    return Decision.RETRY if error.retriable() else Decision.STOP


def delivery_error(error: KafkaError, topic: str) -> MillraceError:
    """Return the error of a record that was not delivered."""
    text = f"a message for topic {topic} was not delivered: {error.str()}"
    decided = decision(error)
    if decided is Decision.REJECT:
        remedy = _TOO_LARGE_REMEDY if error.code() in _TOO_LARGE else None
        return RefusedMessageError(text, topic, remedy)
    if decided is Decision.STOP and error.code() in _DENIED:
        return AccessDeniedError(text, "Grant the user WRITE on the topic.")
    if error.code() in UNKNOWN_TOPIC:
        return TopicMissingError(text, topic)
    return _transient(decided, text) or ProduceError(text)


def request_error(error: KafkaError, action: str) -> TransientError | StopError:
    """Return the error of any other request; ``action`` says what was tried."""
    text = f"{action}: {error.str()}"
    if error.code() in _DENIED:
        return AccessDeniedError(text, "Check the credentials and ACLs of this Kafka user.")
    return _transient(decision(error), text) or ProduceError(text)


def _transient(decided: Decision, text: str) -> TransientError | None:
    if decided is Decision.RETRY:
        return BrokerUnavailableError(text)
    if decided is Decision.RESTART:
        return ClientFailedError(text)
    return None
