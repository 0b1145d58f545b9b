"""Kafka as a data source of Spark's in Python: who reads what.

Spark asks a stream how far it goes, remembers the answer in the checkpoint, and then asks for the
messages in between.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)
from pyspark.sql.types import StructType

from sparksink.errors import DataLossError
from sparksink.source import kafka_py
from sparksink.source.ranges import (
    PartitionId,
    Range,
    limit_offsets,
    offsets_from_json,
    offsets_to_json,
    ranges_between,
    split_ranges,
)

_SCHEMA: Final = (
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp,"
    " headers array<struct<key:string,value:binary>>"
)
CLIENT: Final = "kafka."
"""How the options of the client begin."""

_LOOKS: Final = 3


class InputShare(InputPartition):
    """What one task reads."""

    def __init__(self, ranges: Sequence[Range]) -> None:
        super().__init__(0)
        self.ranges = ranges


class KafkaPy(DataSource):
    """Kafka's messages; all options are texts, those of the client begin with ``kafka.``."""

    @classmethod
    def name(cls) -> str:
        """Return what Spark calls it."""
        return "kafka_py"

    def schema(self) -> str:
        """Return the columns, which are those of Spark's own source."""
        return _SCHEMA

    def reader(self, schema: StructType) -> RangeReader:  # noqa: ARG002 - it has but one
        """Return what reads a range."""
        return RangeReader(_parse_options(self.options))

    def streamReader(self, schema: StructType) -> KafkaStreamReader:  # noqa: N802, ARG002 - Spark's name
        """Return what reads a stream."""
        return KafkaStreamReader(_parse_options(self.options))


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """The options, as they are meant; ``ends`` is where a stream ends, None: nowhere."""

    client: Mapping[str, str]
    pattern: str
    starts: Mapping[PartitionId, int]
    ends: Mapping[PartitionId, int] | None
    tasks: int
    most: int
    headers: bool
    fails: bool

    def read(self, share: InputShare) -> Iterator[Any]:
        """Yield Arrow batches."""
        yield from kafka_py.read_ranges(
            self.client, share.ranges, headers=self.headers, fails=self.fails
        )

    def lose(self, what: str) -> None:
        """Tell of messages that are gone.

        :raises DataLossError: unless the job is to go on.
        """
        if self.fails:
            raise DataLossError(f"Some data may have been lost: {what}.")


class RangeReader(DataSourceReader):
    """Reads from offsets to offsets."""

    def __init__(self, asked: SourceOptions) -> None:
        self._asked = asked

    def partitions(self) -> list[InputPartition]:
        """Return what the tasks read."""
        ranges = ranges_between(self._asked.starts, self._asked.ends or {})
        return [InputShare(share) for share in split_ranges(ranges, self._asked.tasks)]

    def read(self, partition: InputPartition | None) -> Iterator[Any]:
        """Yield Arrow batches; there is no partition where there is nothing to read."""
        return iter(()) if partition is None else self._asked.read(partition)  # type: ignore[arg-type] # ours


class KafkaStreamReader(DataSourceStreamReader):
    """Reads what comes; lives as long as the query, in a process of its own on the driver."""

    def __init__(self, asked: SourceOptions) -> None:
        self._asked = asked
        self._reached = dict(asked.starts)
        self._connected: kafka_py.Client | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return where the stream begins."""
        return offsets_to_json(self._asked.starts)

    def latestOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return how far the next batch goes; a partition that is new begins at 0.

        :raises DataLossError: what was read is no longer there, so what came since may be gone.
        """
        ends = self._ends()
        if self._asked.ends is not None:
            last = self._asked.ends
            ends = {place: min(end, last[place]) for place, end in ends.items() if place in last}
        reached = {place: min(self._reached.get(place, 0), end) for place, end in ends.items()}
        if new := ends.keys() - self._reached.keys():
            reached |= self._client.offsets(new, kafka_py.EARLIEST)
        self._reached = limit_offsets(reached, ends, self._asked.most)
        return offsets_to_json(self._reached)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return what the tasks read of a batch.

        After a restart Spark asks this of the offset that it remembers, to make it known here.

        :raises DataLossError: the first messages are gone.
        """
        starts, ends = offsets_from_json(start), offsets_from_json(end)
        self._reached = ends
        ranges = self._clipped(ranges_between(starts, ends))
        return [InputShare(share) for share in split_ranges(ranges, self._asked.tasks)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield Arrow batches; this runs where the task runs."""
        return self._asked.read(partition)  # type: ignore[arg-type] # ours

    @property
    def _client(self) -> kafka_py.Client:
        if self._connected is None:
            self._connected = kafka_py.Client(self._asked.client)
        return self._connected

    def _ends(self) -> dict[PartitionId, int]:
        """Return where the partitions end; what a new leader says at first may be too low."""
        for look in range(_LOOKS):
            ends = self._client.offsets(self._present(), kafka_py.LATEST)
            behind = [place for place in ends if ends[place] < self._reached.get(place, 0)]
            if not behind:
                return ends
            time.sleep(look)
        place = min(behind)
        told = f"{place.topic}-{place.partition} ends at {ends[place]}"
        self._asked.lose(f"{told}, and was read up to {self._reached[place]}")
        return ends

    def _present(self) -> list[PartitionId]:
        """Return the partitions of the pattern.

        :raises DataLossError: one is gone that was read.
        """
        found = self._client.partitions(self._asked.pattern)
        for place in sorted(self._reached.keys() - set(found)):
            if re.fullmatch(self._asked.pattern, place.topic):  # else it is no longer wanted
                self._asked.lose(f"{place.topic}-{place.partition} is gone")
        return found

    def _clipped(self, ranges: Sequence[Range]) -> list[Range]:
        """Leave out what is gone."""
        if not ranges:
            return []
        present = set(self._present())
        places = [one.place for one in ranges if one.place in present]
        lows = self._client.offsets(places, kafka_py.EARLIEST)
        for one in ranges:
            if (low := lows.get(one.place, one.end)) > one.start:
                self._asked.lose(
                    f"{one.place.topic}-{one.place.partition} begins at {low}, not {one.start}"
                )
        clipped = (
            replace(one, start=max(one.start, lows.get(one.place, one.end))) for one in ranges
        )
        return [one for one in clipped if one.start < one.end]


def _parse_options(options: Mapping[str, str]) -> SourceOptions:
    prefix = len(CLIENT)
    ends = options.get("ends")
    return SourceOptions(
        client={key[prefix:]: text for key, text in options.items() if key.startswith(CLIENT)},
        pattern=options["pattern"],
        starts=offsets_from_json(json.loads(options["starts"])),
        ends=None if ends is None else offsets_from_json(json.loads(ends)),
        tasks=int(options["tasks"]),
        most=int(options["most"]),
        headers=options["headers"] == "true",
        fails=options["fails"] == "true",
    )
