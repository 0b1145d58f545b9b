"""Settings of topics that the user must not read, as with ACLs without DESCRIBE_CONFIGS."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from connector.errors import BrokerUnavailableError, StopError
from connector.kafka.log import check_compacted
from connector.kafka.topics import Topics


class FailingRequests:
    """A cluster that answers each request for settings with an error."""

    def __init__(self, code: int) -> None:
        self._code = code

    def describe_settings(self, *_: object) -> Future[Any]:
        answer: Future[Any] = Future()
        answer.set_exception(KafkaException(KafkaError(self._code)))
        return answer


def topics(code: int) -> Topics:
    found = Topics({})
    found.__dict__["_client"] = FailingRequests(code)
    return found


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.UNSUPPORTED_VERSION,
    ],
)
def test_a_setting_that_must_not_be_read_is_not_known(code: int) -> None:
    """Connect's workers start without the right to read the settings of their topics."""
    policy = topics(code).setting("connect-offsets", "cleanup.policy")
    assert policy is None
    check_compacted("connect-offsets", policy)


def test_other_errors_of_a_request_for_settings_are_raised() -> None:
    with pytest.raises(BrokerUnavailableError):
        topics(KafkaError.REQUEST_TIMED_OUT).setting("t", "cleanup.policy")


@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_a_topic_that_is_not_only_compacted_is_refused(policy: str) -> None:
    with pytest.raises(StopError, match="would lose entries in time"):
        check_compacted("t", policy)
