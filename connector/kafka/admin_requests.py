"""Admin requests to a cluster: those whose answers the Kafka library survives.

Two kinds of answers make it end the whole process: any description of a cluster whose brokers are
all fenced (a broker that was starved for some seconds is), and a description that arrives while its
client closes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any

from confluent_kafka import TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined] # public, not in its __all__
    AdminClient,
    ConfigResource,
    NewTopic,
    ResourceType,
)


class AdminRequests:
    """Sends requests; the client is closed when all of them are answered or timed out.

    An object that is dropped with open requests leaves the client to a thread.
    """

    def __init__(self, config: Mapping[str, Any], logger: logging.Logger) -> None:
        self._client = AdminClient(dict(config), logger=logger)
        self._open: set[Future[Any]] = set()

    def __del__(self) -> None:
        requests = self.__dict__.get("_open")
        if requests:
            waiting = threading.Thread(
                target=_keep_until_answered,
                args=(self._client, set(requests)),
                name="kafka-admin-close",
                daemon=True,
            )
            with suppress(RuntimeError):  # the interpreter ends, and starts no threads
                waiting.start()

    def cluster_id(self, timeout: float) -> str | None:
        """Return the id of the cluster, once it answers.

        :raises KafkaException: it does not.
        """
        found: str | None = self._client.list_topics(timeout=timeout).cluster_id
        return found

    def describe_topics(self, names: Sequence[str], timeout: float) -> dict[str, Future[Any]]:
        """Request the descriptions of some topics: at least of one."""
        topics = TopicCollection(list(names))
        found = self._client.describe_topics(topics, request_timeout=timeout)
        return {name: self._tracked(future) for name, future in found.items()}

    def create_topic(
        self,
        topic: str,
        partitions: int,
        replicas: int,
        config: Mapping[str, str],
        timeout: float,
    ) -> Future[Any]:
        """Request a new topic; -1 partitions or replicas mean the broker's default."""
        new_topic = NewTopic(topic, partitions, replicas, config=dict(config))
        found = self._client.create_topics([new_topic], request_timeout=timeout)
        return self._tracked(found[topic])

    def describe_settings(self, topic: str, timeout: float) -> Future[Any]:
        """Request the settings of a topic."""
        resource = ConfigResource(ResourceType.TOPIC, topic)
        found = self._client.describe_configs([resource], request_timeout=timeout)
        return self._tracked(found[resource])

    def _tracked(self, request: Future[Any]) -> Future[Any]:
        self._open.add(request)
        request.add_done_callback(self._open.discard)
        return request


def _keep_until_answered(client: AdminClient, requests: set[Future[Any]]) -> None:
    """Hold the client until its requests end; it closes in this thread, not in one of its own."""
    wait(requests)
    del client
