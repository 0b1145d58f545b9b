"""Messages that were gone from Kafka before they were read, and the tables that lack them."""

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
    """Compares how far batches came with what Kafka still has, and notes what is missing.

    Spark passes over such messages in silence where ``source.on.data.loss`` is ``continue``.
    ``read`` tells how far complete batches came, ``present`` what Kafka has.
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
        self._noted: set[tuple[str, str, int]] = set()

    def look(self) -> list[str]:
        """Note the tables that lack messages which came after the last complete batch.

        Returns those of which it was not known.
        """
        read, found = self._read(), list[Mapping[str, Any]]()
        for topic, partitions in self._present().items():
            for number, (earliest, _) in partitions.items():
                expected = read.get(topic, {}).get(str(number), earliest)
                gap = (topic, str(number), expected)
                if earliest > expected and gap not in self._noted:
                    self._noted.add(gap)
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
        here = [lane for lane in self._state.topics() if routed_tables.topic_of(lane) == topic]
        place = {"topic": topic, "partition": partition}
        return [
            {
                **place,
                "source_table": self._routes.route(lane).table,
                "expected": expected,
                "earliest": earliest,
            }
            for lane in here
            if routed_tables.is_table(lane)
        ]


def committed_offsets(files: Files, checkpoint: str) -> EndOffsets:
    """Return how far the last complete batch of a checkpoint came; nothing where there is none.

    Spark keeps a file a batch in ``commits`` and one in ``offsets``, whose last line is of the
    first source.
    """
    numbers = [path.rpartition("/")[2] for path in files.glob(f"{checkpoint}/commits/*")]
    last = max((int(number) for number in numbers if number.isdigit()), default=None)
    text = None if last is None else files.read(f"{checkpoint}/offsets/{last}")
    found: EndOffsets = json.loads(text.splitlines()[-1]) if text else {}
    return found
