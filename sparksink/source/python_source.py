"""A Python data source of Spark for Kafka.

Spark requests the end offsets of each batch from a stream, stores them in the checkpoint, and then
requests the messages in between.
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
"""Prefix of the client's options."""

_ATTEMPTS: Final = 3


class InputShare(InputPartition):
    """The ranges that one task reads."""

    def __init__(self, ranges: Sequence[Range]) -> None:
        super().__init__(0)
        self.ranges = ranges


class KafkaPy(DataSource):
    """The data source; options are strings, those of the client start with ``kafka.``."""

    @classmethod
    def name(cls) -> str:
        """Return the format name in Spark."""
        return "kafka_py"

    def schema(self) -> str:
        """Return the columns, which are those of Spark's Kafka source."""
        return _SCHEMA

    def reader(self, schema: StructType) -> RangeReader:  # noqa: ARG002 - there is only one schema
        """Return the reader of a range."""
        return RangeReader(_parse_options(self.options))

    def streamReader(self, schema: StructType) -> KafkaStreamReader:  # noqa: N802, ARG002 - Spark's name
        """Return the reader of a stream."""
        return KafkaStreamReader(_parse_options(self.options))


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """The parsed options; ``ends`` are the end offsets of a stream, None without an end."""

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

    def report_loss(self, what: str) -> None:
        """Report messages that are gone.

        :raises DataLossError: unless the job continues after data loss.
        """
        if self.fails:
            raise DataLossError(f"Some data may have been lost: {what}.")


class RangeReader(DataSourceReader):
    """Reads the messages between start and end offsets."""

    def __init__(self, asked: SourceOptions) -> None:
        self._asked = asked

    def partitions(self) -> list[InputPartition]:
        """Return the shares of the tasks."""
        ranges = ranges_between(self._asked.starts, self._asked.ends or {})
        return [InputShare(share) for share in split_ranges(ranges, self._asked.tasks)]

    def read(self, partition: InputPartition | None) -> Iterator[Any]:
        """Yield Arrow batches; without messages there is no partition."""
        return iter(()) if partition is None else self._asked.read(partition)  # type: ignore[arg-type] # an InputShare


class KafkaStreamReader(DataSourceStreamReader):
    """Reads new messages; lives as long as the query, in a separate process on the driver."""

    def __init__(self, asked: SourceOptions) -> None:
        self._asked = asked
        self._reached = dict(asked.starts)
        self._connected: kafka_py.Client | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return the start offsets of the stream."""
        return offsets_to_json(self._asked.starts)

    def latestOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return the end offsets of the next batch.

        :raises DataLossError: messages were removed, perhaps before they were read.
        """
        ends = self._ends()
        if self._asked.ends is not None:
            last = self._asked.ends
            ends = {
                partition: min(end, last[partition])
                for partition, end in ends.items()
                if partition in last
            }
        reached = {
            partition: min(self._reached.get(partition, 0), end) for partition, end in ends.items()
        }
        if new := ends.keys() - self._reached.keys():
            reached |= self._client.offsets(new, kafka_py.EARLIEST)
        self._reached = limit_offsets(reached, ends, self._asked.most)
        return offsets_to_json(self._reached)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return the shares of the tasks of a batch.

        After a restart Spark calls this with the stored offsets first.

        :raises DataLossError: the first messages are gone.
        """
        starts, ends = offsets_from_json(start), offsets_from_json(end)
        self._reached = ends
        ranges = self._without_removed(ranges_between(starts, ends))
        return [InputShare(share) for share in split_ranges(ranges, self._asked.tasks)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Yield Arrow batches; runs on the executor of the task."""
        return self._asked.read(partition)  # type: ignore[arg-type] # an InputShare

    @property
    def _client(self) -> kafka_py.Client:
        if self._connected is None:
            self._connected = kafka_py.Client(self._asked.client)
        return self._connected

    def _ends(self) -> dict[PartitionId, int]:
        """Return the end offsets; those of a new leader may be too low at first."""
        for attempt in range(_ATTEMPTS):
            ends = self._client.offsets(self._present_partitions(), kafka_py.LATEST)
            behind = [
                partition for partition in ends if ends[partition] < self._reached.get(partition, 0)
            ]
            if not behind:
                return ends
            time.sleep(attempt)
        partition = min(behind)
        end = f"{partition.topic}-{partition.number} ends at {ends[partition]}"
        self._asked.report_loss(f"{end}, and was read up to {self._reached[partition]}")
        return ends

    def _present_partitions(self) -> list[PartitionId]:
        """Return the partitions of the pattern.

        :raises DataLossError: one is gone that was read.
        """
        found = self._client.partitions(self._asked.pattern)
        for partition in sorted(self._reached.keys() - set(found)):
            if re.fullmatch(self._asked.pattern, partition.topic):  # else it is no longer selected
                self._asked.report_loss(f"{partition.topic}-{partition.number} is gone")
        return found

    def _without_removed(self, ranges: Sequence[Range]) -> list[Range]:
        """Drop ranges of messages that are gone."""
        if not ranges:
            return []
        present = set(self._present_partitions())
        partitions = [one.partition for one in ranges if one.partition in present]
        lows = self._client.offsets(partitions, kafka_py.EARLIEST)
        for one in ranges:
            if (low := lows.get(one.partition, one.end)) > one.start:
                self._asked.report_loss(
                    f"{one.partition.topic}-{one.partition.number} begins at {low}, not {one.start}"
                )
        clipped = (
            replace(one, start=max(one.start, lows.get(one.partition, one.end))) for one in ranges
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
