"""Detects messages that were gone from Kafka before they were read, and their tables."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from sparksink.change_position import ChangePosition
from sparksink.errors import DataLossError
from sparksink.files import Files
from sparksink.source import routed_tables
from sparksink.source.kafka import Offsets
from sparksink.source.routes import Routes
from sparksink.state.sink_state import SinkState

log = logging.getLogger(__name__)

EndOffsets = Mapping[str, Mapping[str, int]]
"""Topic → partition → offset after the last message, as Spark's Kafka source writes it."""


Skipped = Callable[[str, int, int, tuple[int, int]], str | None]
"""Returns which messages of a partition are skipped after an offset, None if none are."""


class FindPosition(Protocol):
    """Returns a position that no lost message is behind, as `GapPositions.position`."""

    def __call__(
        self, name: str, partition: int, present: Offsets, *, whole: bool
    ) -> ChangePosition | None:
        """Return the position of a gap of a table, None without one."""
        ...


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
        position: FindPosition,
    ) -> None:
        self._state = state
        self._routes = routes
        self._read = read
        self._present = present
        self._position = position
        self._known: set[tuple[str, str, int]] = set()

    def detect(self) -> list[str]:
        """Store the tables that lack messages after the last complete batch.

        Returns those that are new.
        """
        return self._store_gaps(self._read(), self._present(), _skipped)

    def detect_before_start(self, starting: str, *, fails: bool) -> list[str]:
        """Store the tables that lack messages if the checkpoint was lost.

        A new stream begins at ``starting`` of the configuration, perhaps behind messages that the
        lost one had not read. Returns the tables.

        :raises DataLossError: there are some, and the job ``fails`` then.
        """
        read = {} if self._read() else self._state.stream_ends()
        if not read:
            return []
        present = {
            topic: {number: (start_offset(starting, topic, number, bounds), bounds[1])
                    for number, bounds in partitions.items()}
            for topic, partitions in self._present().items()
        }  # fmt: skip
        lost = [text for *_, text in _gaps(read, present, _expired)]
        if lost and fails:
            raise DataLossError(
                f"{lost[0]}, or source.starting.offsets skips them: the checkpoint was lost.",
                "Restore it, or set source.starting.offsets=earliest. If Kafka has deleted them,"
                " set source.on.data.loss=continue, and take a new snapshot once the job runs.",
            )
        return self._store_gaps(read, present, _expired)

    def _store_gaps(self, read: EndOffsets, present: Offsets, skipped: Skipped) -> list[str]:
        found: list[Mapping[str, Any]] = []
        for topic, number, expected, text in _gaps(read, present, skipped):
            gap = (topic, str(number), expected)
            if gap not in self._known:
                self._known.add(gap)
                log.error("%s: take a new snapshot of its tables.", text)
                found += self._missing(topic, number, expected, present)
        if found:
            self._state.add_gaps(found)
        return [gap["source_table"] for gap in found]

    def _missing(
        self, topic: str, partition: int, expected: int, present: Offsets
    ) -> list[Mapping[str, Any]]:
        earliest, latest = present[topic][partition]
        found: list[Mapping[str, Any]] = []
        for name in self._state.topics():
            if routed_tables.topic_of(name) == topic and routed_tables.is_table(name):
                # Spark skips all of a topic that was recreated and is shorter.
                position = self._position(name, partition, present, whole=latest < expected)
                source = {"topic": topic, "partition": partition, "expected": expected}
                hi, lo = position or (None, None)
                table = self._routes.route(name).table
                gap = {"source_table": table, "earliest": earliest, "seq_hi": hi, "seq_lo": lo}
                found.append({**source, **gap})
        return found


def _gaps(
    read: EndOffsets, present: Offsets, skipped: Skipped
) -> Iterator[tuple[str, int, int, str]]:
    """Yield topic, partition and expected offset of each gap, with a description."""
    for topic, partitions in present.items():
        for number, bounds in partitions.items():
            expected = read.get(topic, {}).get(str(number), bounds[0])
            text = skipped(topic, number, expected, bounds)
            if text:
                yield topic, number, expected, text


def start_offset(starting: str, topic: str, partition: int, bounds: tuple[int, int]) -> int:
    """Return the offset at which a new stream begins; with a timestamp the earliest.

    :param starting: the start in the form of the configuration.
    """
    earliest, latest = bounds
    if not starting.startswith("{"):
        return latest if starting == "latest" else earliest
    given: int = json.loads(starting).get(topic, {}).get(str(partition), -2)
    return {-2: earliest, -1: latest}.get(given, given)


def _skipped(topic: str, partition: int, expected: int, bounds: tuple[int, int]) -> str | None:
    """Return which messages Spark skips; None if it reads on at the expected offset.

    A topic that was recreated may end before that offset: Spark then continues at its end.
    """
    latest = bounds[1]
    if latest < expected:
        name = f"{topic}, partition {partition}"
        return f"{name} was recreated: it ends at {latest}, before offset {expected}"
    return _expired(topic, partition, expected, bounds)


def _expired(topic: str, partition: int, expected: int, bounds: tuple[int, int]) -> str | None:
    """Return which messages are skipped, as the partition is read from a later offset on."""
    if bounds[0] <= expected:
        return None
    lost = f"messages {expected} to {bounds[0] - 1}"
    return f"{topic}, partition {partition}: {lost} were gone from Kafka before they were read"


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
