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
            for number, (earliest, _) in partitions.items():
                expected = read.get(topic, {}).get(str(number), earliest)
                gap = (topic, str(number), expected)
                if earliest > expected and gap not in self._known:
                    self._known.add(gap)
                    found += self._missing(topic, number, expected, earliest)
        if found:
            self._state.add_gaps(found)
        return [gap["source_table"] for gap in found]

    def _missing(
        self, topic: str, partition: int, expected: int, earliest: int
    ) -> list[Mapping[str, Any]]:
        log.error(
            "%s, partition %d: messages %d to %d were gone from Kafka before they were read:"
            " take a new snapshot of its tables.",
            *(topic, partition, expected, earliest - 1),
        )
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
