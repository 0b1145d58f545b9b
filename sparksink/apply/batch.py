"""The messages of one batch, the changes of one table in it, and the protocol of table writers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.apply.batch_measures import BatchMeasures
from sparksink.decode.batch_summary import last_formats
from sparksink.decode.format_names import has_columns, in_version_order
from sparksink.decode.schema_discovery import FormatCount
from sparksink.evolve.target_table import TargetTable
from sparksink.state.snapshots import ReadProgress
from sparksink.state.table_result import Boundary, PartitionEnd


@dataclass(frozen=True, slots=True)
class MessageBatch:
    """The messages of one batch: unchanged, ``marked`` with their formats, and counted by format.

    ``ends`` are the messages of the transaction topic, None if transactions are not followed. A
    batch that is not ``whole`` is a selection of messages. The table that it ``resumes`` is applied
    although it is parked. `TopicBatch` explains the others.
    """

    messages: DataFrame
    marked: DataFrame
    counts: Sequence[FormatCount]
    ends: DataFrame | None
    app: str
    number: int
    progress: ReadProgress
    history: bool
    whole: bool
    resumes: str

    @property
    def sizes(self) -> Mapping[str, int]:
        """The number of messages of each topic."""
        found: dict[str, int] = {}
        for one in self.counts:
            found[one.topic] = found.get(one.topic, 0) + one.messages
        return found

    @property
    def end_offsets(self) -> Mapping[str, Mapping[str, int]]:
        """Topic → partition → the offset after its last message."""
        ends: dict[str, dict[str, int]] = {}
        for one in self.counts:
            partitions = ends.setdefault(one.topic, {})
            number = str(one.partition)
            partitions[number] = max(one.end, partitions.get(number, 0))
        return ends

    def of_topic(self, topic: str) -> TopicBatch:
        """Return the part of one topic."""
        is_topic = f.col("topic") == topic
        counts = [one for one in self.counts if one.topic == topic]
        return TopicBatch(
            self.messages.where(is_topic),
            self.marked.where(is_topic),
            in_version_order({one.mark for one in counts}),
            last_formats(counts),
            self.app,
            self.number,
            self.history,
            sum(one.messages for one in counts) if self.whole else None,
            self.progress,
            sorted({one.partition for one in counts}),
            any(one.kind is None and has_columns(one.mark) for one in counts),
        )


@dataclass(frozen=True, slots=True)
class TopicBatch:
    """The messages of one topic in one batch: unchanged, and ``marked`` with their formats.

    ``marks`` are the formats that occur, ``lasting`` those of the last messages of partitions,
    ``size`` is the number of messages, None for a selection. ``app`` and ``number`` identify the
    batch permanently. Without ``history`` only the mirror is written. ``progress`` has the end
    offsets of the batch, ``partitions`` are the Kafka partitions of its messages. It is ``keyless``
    if messages with columns may have no key.
    """

    messages: DataFrame
    marked: DataFrame
    marks: Sequence[str]
    lasting: Collection[str]
    app: str
    number: int
    history: bool
    size: int | None
    progress: ReadProgress
    partitions: Sequence[int] = ()
    keyless: bool = False

    def of_format(self, mark: str) -> DataFrame:
        """Return the messages of one format."""
        return self.marked.where(f.col("mark") == mark)


@dataclass(frozen=True, slots=True)
class TableBatch:
    """The changes of one table in one batch, with a frame for each schema.

    ``app`` and ``number`` identify the batch permanently, so that nothing is written twice.
    ``check`` validates the measures before anything is written, for which ``partitions`` are
    measured, too. ``ends`` are the ends of the partitions before, None if ambiguous positions are
    not refused. ``due`` returns the snapshot ends whose sweep is due now.
    """

    frames: Sequence[DataFrame]
    app: str
    number: int
    partitions: Sequence[int]
    ends: Mapping[int, PartitionEnd] | None
    check: Callable[[BatchMeasures], None]
    due: Callable[[Iterable[Boundary]], list[Boundary]]

    def changes_for(self, target: TargetTable) -> DataFrame:
        """Return all changes with the columns of a target."""
        return reduce(DataFrame.unionByName, map(target.align, self.frames))


class TableWriter(Protocol):
    """Writes the changes of a table, idempotently."""

    @property
    def target(self) -> TargetTable:
        """The table, which must fit the changes before."""
        ...

    def write(self, batch: TableBatch) -> BatchMeasures | None:
        """Write a batch; return its measures, if the writer takes them."""
        ...
