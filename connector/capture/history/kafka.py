"""A schema history in a Kafka topic, as Debezium's KafkaSchemaHistory writes it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from connector.capture.history.record import HistoryRecord, parse_record
from connector.capture.history.snapshot import HistoryMark
from connector.errors import HistoryError
from connector.kafka.ordered_topic import OrderedTopic

_LOG: Final = logging.getLogger(__name__)

TOPIC_SETTINGS: Final = {
    "cleanup.policy": "delete",
    "retention.ms": "9223372036854775807",
    "retention.bytes": "-1",
}
_BATCH: Final = 1024
_FIVE_YEARS_MS: Final = 5 * 365 * 86_400_000
_GOOD: Final[dict[str, Callable[[str], bool]]] = {
    "cleanup.policy": lambda value: value == "delete",
    "retention.ms": lambda value: int(value) == -1 or int(value) >= _FIVE_YEARS_MS,
    "retention.bytes": lambda value: int(value) == -1,
}


class TopicAdmin(Protocol):
    """Reads the partitions of topics, and creates topics."""

    def partitions(self, topic: str) -> int | None:
        """Return the number of partitions, None when there is no such topic."""
        ...

    def create(self, topic: str, partitions: int, replicas: int, config: dict[str, str]) -> bool:
        """Create a topic; -1 replicas are the broker's default."""
        ...

    def setting(self, topic: str, name: str) -> str | None:
        """Return one setting of a topic."""
        ...

    def close(self) -> None:
        """End the connections; a later call connects again."""
        ...


class KafkaHistory:
    """Keeps records as the values of one topic with one partition and no keys.

    :param sequence: the topic, to read and write.
    :param admin: makes the topic.
    :param batch: how many records a snapshot may write before it waits for them.
    """

    def __init__(
        self, topic: str, sequence: OrderedTopic, admin: TopicAdmin, *, batch: int = _BATCH
    ) -> None:
        self._topic = topic
        self._sequence = sequence
        self._admin = admin
        self._batch = batch
        self._last: HistoryMark | tuple[int, bytes] | None = None
        self._posted: int | None = None  # since the last wait, while buffering

    def prepare(self) -> None:
        """Create the topic, if it does not exist, with settings that keep its records for ever."""
        if self._admin.partitions(self._topic) is None:
            self._admin.create(self._topic, 1, -1, TOPIC_SETTINGS)

    def exists(self) -> bool:
        """Return whether the topic exists and is not empty."""
        partitions = self._admin.partitions(self._topic)
        if partitions is None:
            return False
        self._check(partitions)
        return not self._sequence.is_empty()

    def _check(self, partitions: int) -> None:
        """Warn of a topic that may lose records or their order."""
        faults = [] if partitions == 1 else [f"has {partitions} partitions instead of one"]
        for name, is_good in _GOOD.items():
            value = self._admin.setting(self._topic, name)
            if value is not None and not is_good(value):
                faults.append(f"has {name}={value}")
        if faults:
            text = "Topic %s %s: the schema history may be lost, or read in the wrong order."
            _LOG.warning(text, self._topic, " and ".join(faults))

    def records(self, after: HistoryMark | None = None) -> Iterator[HistoryRecord]:
        """Read the records of the topic; skip messages that are no records, with a warning."""
        self._last = after
        for offset, value in self._sequence.read(0 if after is None else after.offset + 1):
            self._last = (offset, value)
            try:
                yield parse_record(value)
            except HistoryError as error:
                _LOG.warning("A message of topic %s is skipped: %s", self._topic, error)

    def last(self) -> HistoryMark | None:
        """Return the mark of the last message that was read."""
        last = self._last
        return last if last is None or isinstance(last, HistoryMark) else HistoryMark.of(*last)

    def holds(self, mark: HistoryMark) -> bool:
        """Return whether the message of a mark is where it was."""
        first = next(self._sequence.read(mark.offset), None)
        return first is not None and HistoryMark.of(*first) == mark

    def append(self, record: HistoryRecord) -> None:
        """Write a record and wait until the broker has it."""
        self._sequence.post(record.text().encode("utf-8", "surrogatepass"))
        if self._posted is not None:
            self._posted += 1
        if self._posted is None or self._posted >= self._batch:
            self._wait()

    def _wait(self) -> None:
        self._sequence.settle()
        if self._posted is not None:
            self._posted = 0

    @contextmanager
    def buffering(self) -> Iterator[None]:
        """Wait for the broker once a batch, and at the end, unless the snapshot is interrupted."""
        self._posted = 0
        interrupted = False
        try:
            yield
        except GeneratorExit:
            interrupted = True
            raise
        finally:
            self._posted = None
            if not interrupted:
                self._sequence.settle()

    def close(self) -> None:
        """Close the clients."""
        self._sequence.close()
        self._admin.close()
