"""Watches whether Kafka accepts messages: by acknowledgements, and by a request when idle.

A producer may stop to send although Kafka is well. A broker that stops may answer that its cluster
has no brokers; librdkafka forgets its only broker then, and never asks the bootstrap servers again
(seen with 2.16). It reports no error, and only a new client goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from connector.errors import ClientFailedError
from connector.kafka.producer import Producer
from connector.plugin import TopicCreator
from connector.task.health import TaskHealth

_INTERVAL: Final = 0.25  # seconds between two checks
_STALLED: Final = 0.5  # seconds without an acknowledgement after which a fault is reported
_STUCK: Final = 30.0  # seconds without acknowledgement and error: it may be stuck


class DeliveryWatch:
    """Checks the producer of one run, and reports to the health of its task.

    A producer that acknowledged nothing and reported nothing for ``patience`` seconds (and the time
    of its ``linger.ms``) is given up if Kafka could take its messages.
    """

    def __init__(
        self,
        producer: Producer,
        topics: TopicCreator,
        health: TaskHealth,
        clock: Callable[[], float] = time.monotonic,
        patience: float = _STUCK,
    ) -> None:
        self._producer = producer
        self._topics = topics
        self._health = health
        self._clock = clock
        self._patience = patience + producer.linger
        self._settled = 0
        self._progressed = self._signed = self._next = clock()
        self._problem: str | None = None

    def check(self) -> None:
        """Check the producer, unless the last check was a moment ago.

        :raises ClientFailedError: it is stuck: make a new one.
        """
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _INTERVAL
        self._note_problem(now)
        waiting = len(self._producer)
        settled = self._producer.sent - waiting
        if settled != self._settled:
            self._settled, self._progressed, self._signed = settled, now, now
            self._problem = None
            self._health.recover("kafka")
        elif not waiting:
            self._progressed = self._signed = now
            self._check_idle()
        elif now - self._progressed > _STALLED:
            detail = f": {self._problem}" if self._problem else ""
            self._health.report_fault("kafka", f"Kafka does not acknowledge messages{detail}")
            if now - self._signed > self._patience:
                self._check_stuck()

    def _note_problem(self, now: float) -> None:
        """Take the last error of the producer: as long as there are any, it tries to send."""
        if self._producer.problem is not None:
            self._problem, self._producer.problem = self._producer.problem, None
            self._signed = now

    def _check_stuck(self) -> None:
        if self._topics.writable(self._producer.topics):
            raise ClientFailedError(
                "The producer sends nothing, though all partitions have their leaders and replicas"
            )

    def _check_idle(self) -> None:
        """Check by a request, since nothing is sent that could be acknowledged."""
        if self._problem is None and "kafka" not in self._health:
            return
        if self._topics.reachable():
            self._problem = None
            self._health.recover("kafka")
        elif self._problem is not None:
            self._health.report_fault("kafka", f"Kafka is not available: {self._problem}")
