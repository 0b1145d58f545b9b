"""Which messages a batch holds: a row a topic, partition and mark, and samples of new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Final

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.decode.layouts import NEW_SCHEMA, Layouts
from sparksink.decode.marks import KEY_KIND, marked
from sparksink.decode.version_marks import with_versions
from sparksink.errors import TableError

_ROUNDS: Final = 50
"""How many new schemas one topic may have in one batch; each takes one more look."""

_Message = tuple[str, int, int]
"""Topic, partition and offset."""


@dataclass(frozen=True, slots=True)
class Count:
    """Messages of one mark and one kind of key in one partition.

    ``begin`` is the offset of the first, ``end`` follows the last; ``since`` is the earliest time.
    """

    topic: str
    partition: int
    mark: str
    kind: str | None
    messages: int
    begin: int
    end: int
    since: datetime

    @property
    def first(self) -> _Message:
        """The first of these messages."""
        return self.topic, self.partition, self.begin

    @property
    def last(self) -> _Message:
        """The last of these messages."""
        return self.topic, self.partition, self.end - 1


def read(
    messages: DataFrame, layouts: Layouts, refuse: Callable[[str, TableError], None]
) -> tuple[DataFrame, list[Count]]:
    """Mark messages and count them, until all schemas are known.

    ``refuse`` is told of topics that cannot be read. The frame is persisted where several topics
    will each look for their messages in it: for one, reading twice costs less than keeping. Where
    several were seen before, it is so from the first look on, and Kafka is read once.
    """
    several = layouts.several
    refused: set[str] = set()

    def cannot(topic: str, error: TableError) -> None:
        refused.add(topic)
        refuse(topic, error)

    for _ in range(_ROUNDS):
        frame = with_versions(marked(messages, layouts.prefixes(), layouts.accepted), layouts)
        if several or layouts.versioned():
            frame.persist(StorageLevel.MEMORY_AND_DISK)
        counts = [one for one in _counted(frame) if one.topic not in refused]
        if not _learn(frame, counts, layouts, cannot):
            if not several and len({one.topic for one in counts}) > 1:
                frame.persist(StorageLevel.MEMORY_AND_DISK)
            return frame, [one for one in counts if one.topic not in refused]
        frame.unpersist()
    raise TableError(f"A topic has more than {_ROUNDS} new schemas in one batch.")


def _counted(frame: DataFrame) -> list[Count]:
    """Count. No bytes are gathered on the way: Spark would sort all messages for that."""
    columns = ("topic", "partition", "offset", "timestamp", "mark")
    kinds = frame.select(*columns, f.expr(KEY_KIND).alias("kind"))
    rows = kinds.groupBy("topic", "partition", "mark", "kind").agg(
        f.count(f.lit(1)).alias("messages"),
        f.min("offset").alias("begin"),
        (f.max("offset") + 1).alias("end"),
        f.min("timestamp").alias("since"),
    )
    return sorted((Count(*row) for row in rows.collect()), key=lambda one: one.end)


def _learn(
    frame: DataFrame,
    counts: list[Count],
    layouts: Layouts,
    refuse: Callable[[str, TableError], None],
) -> bool:
    """Learn from a message of each new kind; tell whether the messages must be marked anew.

    Schemas are learned in the order in which they came: tables are made to fit them in that order.
    """
    latest_first = sorted(counts, key=lambda one: (one.since, one.begin), reverse=True)
    marks = {(one.topic, one.mark): one.first for one in latest_first
             if not layouts.knows(one.topic, one.mark)}  # fmt: skip
    keys = {(one.topic, one.kind): one.last for one in counts
            if one.kind is not None and not layouts.knows_key(one.topic, one.kind)}  # fmt: skip
    samples = _samples(frame, {*marks.values(), *keys.values()})
    again, failed = False, set()
    for topic, mark, kind in [(one.topic, one.mark, one.kind) for one in counts]:
        if topic in failed:
            continue
        try:
            if kind is not None:
                sample = keys.pop((topic, kind), None)
                layouts.learn_key(topic, kind, samples[sample][0] if sample else None)
            if place := marks.pop((topic, mark), None):
                layouts.learn(topic, mark, samples[place][1])
                again |= mark == NEW_SCHEMA or layouts.needs_version(topic, mark)
        except TableError as error:
            failed.add(topic)
            refuse(topic, error)
    return again


def _samples(frame: DataFrame, places: Iterable[_Message]) -> dict[_Message, tuple[bytes, bytes]]:
    """Return keys and values of some messages."""
    wanted = [
        (f.col("topic") == topic) & (f.col("partition") == partition) & (f.col("offset") == offset)
        for topic, partition, offset in sorted(places)
    ]
    if not wanted:
        return {}
    found = frame.where(reduce(lambda one, other: one | other, wanted))
    rows = found.select("topic", "partition", "offset", "key", "value").collect()
    return {
        (row["topic"], row["partition"], row["offset"]):
        (bytes(row["key"] or b""), bytes(row["value"] or b""))
        for row in rows
    }  # fmt: skip
