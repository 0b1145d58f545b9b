"""Detects messages that were gone from Kafka before they were read, and their tables."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from sparksink.files import Files
from sparksink.source import routed_tables
from sparksink.source.kafka import Offsets
from sparksink.source.routes import Routes
from sparksink.state.sink_state import SinkState

log = logging.getLogger(__name__)

EndOffsets = Mapping[str, Mapping[str, int]]
"""Topic → partition → offset after the last message, as Spark's Kafka source writes it."""


class LostMessageDetector:
    """Compares the offsets of batches with those of Kafka, and stores what is missing.

    With ``source.on.data.loss: continue`` Spark skips such messages silently. ``read`` returns the
    end offsets of complete batches, ``present`` the offsets in Kafka.
    """

    def __init__(
        self,
        state: SinkState,
        routes: Routes,
        read: Callable[[], EndOffsets],
        present: Callable[[], Offsets],
    ) -> None:
        self._state = state
        self._routes = routes
        self._read = read
        self._present = present
        self._known: set[tuple[str, str, int]] = set()

    def detect(self) -> list[str]:
        """Store the tables that lack messages after the last complete batch.

        Returns those that are new.
        """
        read, found = self._read(), list[Mapping[str, Any]]()
        for topic, partitions in self._present().items():
            for number, bounds in partitions.items():
                expected = read.get(topic, {}).get(str(number), bounds[0])
                gap = (topic, str(number), expected)
                skipped = _skipped(topic, number, expected, bounds)
                if skipped and gap not in self._known:
                    self._known.add(gap)
                    log.error("%s: take a new snapshot of its tables.", skipped)
                    found += self._missing(topic, number, expected, bounds[0])
        if found:
            self._state.add_gaps(found)
        return [gap["source_table"] for gap in found]

    def _missing(
        self, topic: str, partition: int, expected: int, earliest: int
    ) -> list[Mapping[str, Any]]:
        names = [name for name in self._state.topics() if routed_tables.topic_of(name) == topic]
        source = {"topic": topic, "partition": partition}
        return [
            {
                **source,
                "source_table": self._routes.route(name).table,
                "expected": expected,
                "earliest": earliest,
            }
            for name in names
            if routed_tables.is_table(name)
        ]


def _skipped(topic: str, partition: int, expected: int, bounds: tuple[int, int]) -> str | None:
    """Return which messages Spark skips; None if it reads on at the expected offset.

    A topic that was recreated may end before that offset: Spark then continues at its end.
    """
    earliest, latest = bounds
    name = f"{topic}, partition {partition}"
    if earliest > expected:
        lost = f"messages {expected} to {earliest - 1}"
        return f"{name}: {lost} were gone from Kafka before they were read"
    if latest < expected:
        return f"{name} was recreated: it ends at {latest}, before offset {expected}"
    return None


def committed_offsets(files: Files, checkpoint: str) -> EndOffsets:
    """Return the end offsets of the last complete batch of a checkpoint; empty without one.

    For each batch Spark writes a file in ``commits`` and one in ``offsets``, whose last line
    belongs to the first source.
    """
    numbers = [path.rpartition("/")[2] for path in files.glob(f"{checkpoint}/commits/*")]
    last = max((int(number) for number in numbers if number.isdigit()), default=None)
    text = None if last is None else files.read(f"{checkpoint}/offsets/{last}")
    found: EndOffsets = json.loads(text.splitlines()[-1]) if text else {}
    return found
