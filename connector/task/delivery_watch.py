"""Watches whether Kafka accepts messages: by acknowledgements, and by a request when idle."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from connector.kafka.producer import Producer
from connector.plugin import TopicCreator
from connector.task.health import TaskHealth

_INTERVAL: Final = 0.25  # seconds between two checks
_STALLED: Final = 0.5  # seconds without an acknowledgement after which a fault is reported


class DeliveryWatch:
    """Checks the producer of one run, and reports to the health of its task."""

    def __init__(
        self,
        producer: Producer,
        topics: TopicCreator,
        health: TaskHealth,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._producer = producer
        self._topics = topics
        self._health = health
        self._clock = clock
        self._settled = 0
        self._progressed = self._next = clock()

    def check(self) -> None:
        """Check the producer, unless the last check was a moment ago."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _INTERVAL
        waiting = len(self._producer)
        settled = self._producer.sent - waiting
        if settled != self._settled:
            self._settled, self._progressed = settled, now
            self._producer.problem = None
            self._health.recover("kafka")
        elif not waiting:
            self._progressed = now
            self._check_idle()
        elif now - self._progressed > _STALLED:
            problem = self._producer.problem
            detail = f": {problem}" if problem else ""
            self._health.report_fault("kafka", f"Kafka does not acknowledge messages{detail}")

    def _check_idle(self) -> None:
        """Check by a request, since nothing is sent that could be acknowledged."""
        if self._producer.problem is None and "kafka" not in self._health:
            return
        if self._topics.reachable():
            self._producer.problem = None
            self._health.recover("kafka")
        elif self._producer.problem is not None:
            self._health.report_fault("kafka", f"Kafka is not available: {self._producer.problem}")
