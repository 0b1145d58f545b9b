"""The topics of one run: created at their first message, with their numbers of partitions."""

from __future__ import annotations

from connector.plugin import TaskContext


class TopicPartitions:
    """Knows how many partitions the topics have to which messages were sent."""

    def __init__(self, context: TaskContext) -> None:
        self._context = context
        self._counts: dict[str, int] = {}

    def count(self, topic: str) -> int:
        """Return the number of partitions of a topic, which is created if need be."""
        known = self._counts.get(topic)
        return self._ensure(topic) if known is None else known

    def _ensure(self, topic: str) -> int:
        self._counts[topic] = count = self._context.topics.ensure(topic)
        self._context.topics_used([topic])
        return count
