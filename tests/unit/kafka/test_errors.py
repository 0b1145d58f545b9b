"""What each error code of Kafka means: one table, every code of the installed librdkafka."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError

from connector.errors import (
    AccessDeniedError,
    BrokerUnavailableError,
    ClientFailedError,
    MillraceError,
    RefusedMessageError,
    StopError,
    TransientError,
)
from connector.kafka.errors import Decision, decision, delivery_error, error_codes, request_error
from connector.task.tolerance import ErrorTolerance

CODES = {
    name: code
    for name in dir(KafkaError)
    if name == name.upper() and isinstance(code := getattr(KafkaError, name), int)
}
FAILURES = {name: code for name, code in CODES.items() if name != "NO_ERROR"}
each_code = pytest.mark.parametrize("name", sorted(FAILURES))


def names(decided: Decision) -> set[str]:
    return {line.name for line in error_codes().values() if line.decision is decided}


@each_code
def test_every_code_has_a_decision_with_a_reason(name: str) -> None:
    line = error_codes()[CODES[name]]
    assert line.name == name
    assert len(line.reason) > 10


@each_code
def test_what_becomes_of_a_record(name: str) -> None:
    error = delivery_error(KafkaError(CODES[name]), "t")
    expected: dict[Decision, type[MillraceError]] = {
        Decision.RETRY: BrokerUnavailableError,
        Decision.RESTART: ClientFailedError,
        Decision.REJECT: RefusedMessageError,
        Decision.STOP: StopError,
    }
    decided = error_codes()[CODES[name]].decision
    assert isinstance(error, expected[decided])
    assert isinstance(error, RefusedMessageError) == (decided is Decision.REJECT)
    assert isinstance(error, ClientFailedError) == (decided is Decision.RESTART)


@each_code
def test_only_a_rejected_record_is_ever_skipped(name: str) -> None:
    tolerance = ErrorTolerance({"errors.tolerance": "all"}, lambda: None)
    skipped = tolerance.skip("PRODUCE", delivery_error(KafkaError(CODES[name]), "t"), "t")
    assert skipped == (name in names(Decision.REJECT))


@each_code
def test_what_becomes_of_any_other_request(name: str) -> None:
    error = request_error(KafkaError(CODES[name]), "Creating topic t")
    passes = error_codes()[CODES[name]].decision in (Decision.RETRY, Decision.RESTART)
    assert isinstance(error, TransientError if passes else StopError)


def test_which_codes_reject_a_record() -> None:
    """A code more here is a record less in Kafka."""
    assert names(Decision.REJECT) == {
        "MSG_SIZE_TOO_LARGE",
        "RECORD_LIST_TOO_LARGE",
        "INVALID_MSG_SIZE",
        "INVALID_RECORD",
        "INVALID_TIMESTAMP",
        "TOPIC_EXCEPTION",
        "_INVALID_ARG",
        "_KEY_SERIALIZATION",
        "_VALUE_SERIALIZATION",
    }


def test_which_codes_replace_the_client() -> None:
    assert names(Decision.RESTART) == {
        "_FATAL",
        "_GAPLESS_GUARANTEE",
        "_INCONSISTENT",
        "_STATE",
        "_FENCED",
        "_CRIT_SYS_RESOURCE",
        "OUT_OF_ORDER_SEQUENCE_NUMBER",
        "DUPLICATE_SEQUENCE_NUMBER",
        "UNKNOWN_PRODUCER_ID",
        "INVALID_PRODUCER_EPOCH",
        "INVALID_PRODUCER_ID_MAPPING",
        "INVALID_TXN_STATE",
        "TRANSACTION_COORDINATOR_FENCED",
        "TRANSACTION_ABORTABLE",
        "PRODUCER_FENCED",
    }


@pytest.mark.parametrize(
    "name",
    [
        "_MSG_TIMED_OUT",
        "_TRANSPORT",
        "_ALL_BROKERS_DOWN",
        "_PURGE_QUEUE",
        "_PURGE_INFLIGHT",
        "NOT_ENOUGH_REPLICAS",
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "NOT_LEADER_FOR_PARTITION",
        "KAFKA_STORAGE_ERROR",
        "UNKNOWN_TOPIC_OR_PART",
    ],
)
def test_errors_of_an_outage_are_retried(name: str) -> None:
    assert decision(KafkaError(CODES[name])) is Decision.RETRY


@pytest.mark.parametrize(
    "name", ["TOPIC_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED", "_AUTHENTICATION"]
)
def test_a_missing_privilege_stops_the_task(name: str) -> None:
    error = delivery_error(KafkaError(CODES[name]), "t")
    assert isinstance(error, AccessDeniedError)
    assert error.remedy == "Grant the user WRITE on the topic."


def test_a_fatal_error_replaces_the_client_whatever_its_code() -> None:
    error = KafkaError(KafkaError.MSG_SIZE_TOO_LARGE, "m", True)
    assert decision(error) is Decision.RESTART


def test_an_unknown_code_is_retried_when_the_library_says_so() -> None:
    assert decision(KafkaError(9999, "new", False, True)) is Decision.RETRY
    assert decision(KafkaError(9999, "new")) is Decision.STOP
