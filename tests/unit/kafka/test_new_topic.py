"""What a request about a new topic does until the brokers know the topic and its leader."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from connector.errors import AccessDeniedError
from connector.kafka.new_topic import retry_new_topic


def answer_after(errors: list[int]) -> int:
    """Raise each error once, then answer."""
    if errors:
        raise KafkaException(KafkaError(errors.pop()))
    return 7


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.FENCED_LEADER_EPOCH,
    ],
)
def test_a_topic_whose_leader_is_not_known_yet_is_waited_for(code: int) -> None:
    errors = [code, code]
    assert retry_new_topic("t", lambda: answer_after(errors)) == 7


def test_a_refusal_is_an_error_at_once() -> None:
    refusals = [KafkaError.TOPIC_AUTHORIZATION_FAILED]
    with pytest.raises(AccessDeniedError, match="Reading topic t"):
        retry_new_topic("t", lambda: answer_after(refusals))
    assert refusals == []
