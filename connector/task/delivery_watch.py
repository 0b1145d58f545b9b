"""Whether Kafka takes what the producer sends: by acknowledgements, and by asking when idle."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from connector.kafka.producer import Producer
from connector.plugin import TopicCreator
from connector.task.health import TaskHealth

_LOOK: Final = 0.25  # seconds between two looks
_STALLED: Final = 0.5  # seconds without an acknowledgement that count as a fault that begins


class DeliveryWatch:
    """Looks at the producer of one run, and reports to the health of its task."""

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
        self._moved = self._next = clock()

    def look(self) -> None:
        """Look, unless the last look was a moment ago."""
        now = self._clock()
        if now < self._next:
            return
        self._next = now + _LOOK
        waiting = len(self._producer)
        settled = self._producer.sent - waiting
        if settled != self._settled:
            self._settled, self._moved = settled, now
            self._producer.problem = None
            self._health.well("kafka")
        elif not waiting:
            self._moved = now
            self._look_idle()
        elif now - self._moved > _STALLED:
            problem = self._producer.problem
            detail = f": {problem}" if problem else ""
            self._health.fault("kafka", f"Kafka does not acknowledge messages{detail}")

    def _look_idle(self) -> None:
        """Nothing is sent, so only a question shows whether a fault is over."""
        if self._producer.problem is None and "kafka" not in self._health:
            return
        if self._topics.reachable():
            self._producer.problem = None
            self._health.well("kafka")
        elif self._producer.problem is not None:
            self._health.fault("kafka", f"Kafka is not available: {self._producer.problem}")
