"""Reads and creates topics."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException

from connector.errors import AccessDeniedError, BrokerUnavailableError, StopError
from connector.fence import Fence
from connector.kafka.admin_requests import AdminRequests
from connector.kafka.connection import CONNECTION
from connector.kafka.errors import request_error
from connector.kafka.library_log import RepeatedLineFilter

_log = logging.getLogger(__name__)
_log.addFilter(RepeatedLineFilter())
_STEP: Final = 0.5  # seconds of a wait between two checks of the fence
_PROBE: Final = 2.0  # seconds for the answer whether the cluster is reachable
_TIMEOUT: Final = 6.0  # seconds for an answer; callers try again
_OPEN: Final = _TIMEOUT + 1  # seconds until the library gives up a request, and its client ends
_ANY_TOPIC: Final = "__consumer_offsets"  # whatever the cluster says of it, it has answered
_NEW_TOPIC: Final = 10.0  # seconds until all brokers know a topic
_UNANSWERED: Final = KafkaError._TIMED_OUT  # noqa: SLF001 - the library's public name for it
_UNSUPPORTED: Final = (
    KafkaError.UNSUPPORTED_VERSION,
    KafkaError._UNSUPPORTED_FEATURE,  # noqa: SLF001 - the same
)
BROKER_DEFAULT: Final = -1


class Topics:
    """The topics of one cluster, read by one client that is created at the first request.

    A snapshot of thousands of tables needs several requests for each: connecting takes longer
    than the answer.
    """

    def __init__(self, config: Mapping[str, Any], fence: Fence | None = None) -> None:
        self._config = {**CONNECTION, **config}
        self._fence = fence or Fence()
        self._reachable = _Probe()
        self._writable = _Probe()

    def close(self) -> None:
        """End the client; another request would create a new one."""
        self.__dict__.pop("_client", None)

    def cluster_id(self) -> str | None:
        """Return the id of the cluster; raises BrokerUnavailableError as all methods do."""
        doing = "Requesting the cluster's id"
        try:
            return self._client.cluster_id(_TIMEOUT)
        except KafkaException as failure:
            self.__dict__.pop("_client", None)  # as after any request without an answer
            raise request_error(failure.args[0], doing) from None

    def partitions(self, topic: str) -> int | None:
        """Return the number of partitions, None when the topic does not exist."""
        futures = self._client.describe_topics([topic], _OPEN)
        try:
            return len(
                self._wait(futures[topic], f"Requesting the metadata of topic {topic}").partitions
            )
        except _UnknownTopicError:
            return None

    def create(
        self, topic: str, partitions: int, replicas: int, config: Mapping[str, str] | None = None
    ) -> bool:
        """Create a topic and wait until the brokers know it; False when it exists already.

        -1 partitions or replicas mean the broker's default.

        :raises BrokerUnavailableError: the broker does not answer or is not ready.
        :raises StopError: the broker refuses the topic.
        """
        with self._fence:
            future = self._client.create_topic(topic, partitions, replicas, config or {}, _OPEN)
        try:
            self._wait(future, f"Creating topic {topic}")
        except _TopicExistsError:
            return False
        _log.info("Created topic %s.", topic)
        deadline = time.monotonic() + _NEW_TOPIC
        while self.partitions(topic) is None and time.monotonic() < deadline:
            time.sleep(0.05)
        return True

    def setting(self, topic: str, name: str) -> str | None:
        """Return one setting of a topic, such as ``cleanup.policy``; None if it is not known.

        The user may lack the right to read settings, which using the topic does not need.
        Connect and Debezium continue then (TopicAdmin.describeTopicConfigs, KafkaSchemaHistory).
        """
        future = self._client.describe_settings(topic, _OPEN)
        try:
            found = self._wait(future, f"Reading the settings of topic {topic}")
        except (AccessDeniedError, _UnsupportedError) as error:
            _log.info("The setting %s of topic %s cannot be checked: %s", name, topic, error)
            return None
        return found[name].value if name in found else None

    def reachable(self) -> bool:
        """Return whether the cluster has just answered; sends a request, never waits for it."""
        answers = self._reachable.answers(
            lambda: [*self._client.describe_topics([_ANY_TOPIC], _PROBE).values()]
        )
        return bool(answers) and all(
            not self._failed(answer) or _is_refused(answer) for answer in answers
        )

    def writable(self, topics: Sequence[str]) -> bool:
        """Return whether all partitions have just had a leader and all their replicas.

        Sends a request, never waits for it.
        """
        answers = self._writable.answers(lambda: self._describe(topics))
        return bool(answers) and not any(
            self._failed(answer) or _lacks(answer) for answer in answers
        )

    def _describe(self, topics: Sequence[str]) -> Sequence[Future[Any]]:
        if not topics:
            return ()
        return [*self._client.describe_topics(topics, _PROBE).values()]

    def _failed(self, answer: Future[Any]) -> bool:
        """Return whether a request failed; the next one gets a new client if none was answered."""
        error = answer.exception()
        if isinstance(error, KafkaException) and error.args[0].code() == _UNANSWERED:
            self.__dict__.pop("_client", None)
        return error is not None

    @cached_property
    def _client(self) -> AdminRequests:
        try:
            return AdminRequests(self._config, _log)
        except KafkaException as error:
            raise request_error(error.args[0], "Creating an admin client") from None

    def _wait(self, future: Future[Any], doing: str) -> Any:
        failure = self._failure(future, doing)
        if failure is None:
            return future.result()
        if not isinstance(failure, KafkaException):
            raise failure
        error: KafkaError = failure.args[0]
        if error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise _UnknownTopicError(str(error))
        if error.code() in _UNSUPPORTED:
            raise _UnsupportedError(f"{doing}: {error.str()}")
        if error.code() == KafkaError.TOPIC_ALREADY_EXISTS:
            raise _TopicExistsError(str(error))
        raise request_error(error, doing)

    def _failure(self, future: Future[Any], doing: str) -> BaseException | None:
        """Wait for an answer; return its error.

        The error is not raised: with its traceback, the request would refer to itself, and keep
        all frames below, with the receipts in them, until Python collects cycles.
        """
        deadline = time.monotonic() + _TIMEOUT
        while True:
            with suppress(TimeoutError):
                return future.exception(_STEP)
            if time.monotonic() > deadline:
                self.__dict__.pop("_client", None)  # its connection may be dead without notice
                raise BrokerUnavailableError(f"{doing}: no answer in {_TIMEOUT:g} s")
            self._fence.wait(f"Waiting for Kafka: {doing}")


class _Probe:
    """A request that is sent and never awaited: its answer is taken later, while it is new."""

    def __init__(self) -> None:
        self._asked = 0.0
        self._pending: Sequence[Future[Any]] = ()

    def answers(self, ask: Callable[[], Sequence[Future[Any]]]) -> Sequence[Future[Any]]:
        """Return the answers, none if they are not all there; ``ask`` sends the request."""
        now = time.monotonic()
        if not self._pending or now - self._asked > 2 * _PROBE:
            self._asked, self._pending = now, ask()
        if not all(answer.done() for answer in self._pending):
            return ()
        answers, self._pending = self._pending, ()
        return answers


def _is_refused(answer: Future[Any]) -> bool:
    """Return whether the broker answered with an error; those of the library are negative."""
    error = answer.exception()
    return isinstance(error, KafkaException) and error.args[0].code() > 0


def _lacks(answer: Future[Any]) -> bool:
    """Return whether a partition of a topic lacks its leader or a replica."""
    return any(
        partition.leader is None or len(partition.isr) < len(partition.replicas)
        for partition in answer.result().partitions
    )


class _UnknownTopicError(StopError):
    """The broker does not know the topic."""


class _UnsupportedError(StopError):
    """The broker is too old for the request."""


class _TopicExistsError(StopError):
    """The topic exists already."""
