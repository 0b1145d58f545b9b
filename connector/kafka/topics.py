"""Reads and creates topics."""

from __future__ import annotations

import logging
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined] # public, not in its __all__
    AdminClient,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from connector.errors import BrokerUnavailableError, StopError
from connector.fence import Fence
from connector.kafka.connection import CONNECTION
from connector.kafka.errors import request_error
from connector.kafka.library_log import RepeatedLineFilter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future

_log = logging.getLogger(__name__)
_log.addFilter(RepeatedLineFilter())
_STEP: Final = 0.5  # seconds of a wait between two checks of the fence
_PROBE: Final = 2.0  # seconds for the answer whether the cluster is reachable
_TIMEOUT: Final = 6.0  # seconds for an answer; callers try again
_NEW_TOPIC: Final = 10.0  # seconds until all brokers know a topic
_UNANSWERED: Final = KafkaError._TIMED_OUT  # noqa: SLF001 - the library's public name for it
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

    def cluster_id(self) -> str | None:
        """Return the id of the cluster; raises BrokerUnavailableError as all methods do."""
        found = self._wait(self._client.describe_cluster(), "Asking for the cluster's id")
        return None if found.cluster_id is None else str(found.cluster_id)

    def partitions(self, topic: str) -> int | None:
        """Return the number of partitions, None when the topic does not exist."""
        futures = self._client.describe_topics(TopicCollection([topic]))
        try:
            return len(self._wait(futures[topic], f"Looking up topic {topic}").partitions)
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
        new_topic = NewTopic(topic, partitions, replicas, config=dict(config or {}))
        with self._fence:
            future = self._client.create_topics([new_topic])[topic]
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
        """Return one setting of a topic, such as ``cleanup.policy``."""
        resource = ConfigResource(ResourceType.TOPIC, topic)
        future = self._client.describe_configs([resource])[resource]
        found = self._wait(future, f"Reading the settings of topic {topic}")
        return found[name].value if name in found else None

    def reachable(self) -> bool:
        """Return whether the cluster has just answered; sends a request, never waits for it."""
        answers = self._reachable.answers(
            lambda: [self._client.describe_cluster(request_timeout=_PROBE)]
        )
        return bool(answers) and not any(map(self._failed, answers))

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
        collection = TopicCollection(list(topics))
        return [*self._client.describe_topics(collection, request_timeout=_PROBE).values()]

    def _failed(self, answer: Future[Any]) -> bool:
        """Return whether a request failed; the next one gets a new client if none was answered."""
        error = answer.exception()
        if isinstance(error, KafkaException) and error.args[0].code() == _UNANSWERED:
            self.__dict__.pop("_client", None)
        return error is not None

    @cached_property
    def _client(self) -> AdminClient:
        return AdminClient(self._config, logger=_log)

    def _wait(self, future: Future[Any], doing: str) -> Any:
        try:
            return self._answer(future, doing)
        except KafkaException as failure:
            error: KafkaError = failure.args[0]
            if error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise _UnknownTopicError(str(error)) from None
            if error.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                raise _TopicExistsError(str(error)) from None
            raise request_error(error, doing) from None
        except TimeoutError:
            self.__dict__.pop("_client", None)  # its connection may be dead without notice
            raise BrokerUnavailableError(f"{doing}: no answer in {_TIMEOUT:g} s") from None

    def _answer(self, future: Future[Any], doing: str) -> Any:
        deadline = time.monotonic() + _TIMEOUT
        while True:
            try:
                return future.result(_STEP)
            except TimeoutError:
                if time.monotonic() > deadline:
                    raise
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


def _lacks(answer: Future[Any]) -> bool:
    """Return whether a partition of a topic lacks its leader or a replica."""
    return any(
        partition.leader is None or len(partition.isr) < len(partition.replicas)
        for partition in answer.result().partitions
    )


class _UnknownTopicError(StopError):
    """The broker does not know the topic."""


class _TopicExistsError(StopError):
    """The topic exists already."""
