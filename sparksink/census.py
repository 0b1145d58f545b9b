"""Which messages a batch holds: a row a topic, partition and mark, and samples of new ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.decode import marked
from sparksink.errors import TableError
from sparksink.layouts import NEW_SCHEMA, Layouts

_ROUNDS: Final = 50
"""How many new schemas one topic may have in one batch; each takes one more look."""


@dataclass(frozen=True, slots=True)
class Count:
    """Messages of one mark in one partition; ``end`` is the offset after the last."""

    topic: str
    partition: int
    mark: str
    messages: int
    end: int
    sample: bytes | None
    key: bytes | None


def read(
    messages: DataFrame, layouts: Layouts, refuse: Callable[[str, TableError], None]
) -> tuple[DataFrame, list[Count]]:
    """Mark messages and count them, until all schemas are known.

    ``refuse`` is told of topics that cannot be read. The frame is persisted where several topics
    will each look for their messages in it: for one, reading twice costs less than keeping.
    """
    refused: set[str] = set()

    def cannot(topic: str, error: TableError) -> None:
        refused.add(topic)
        refuse(topic, error)

    for _ in range(_ROUNDS):
        frame = marked(messages, layouts.prefixes())
        counts = [one for one in _counted(frame, layouts) if one.topic not in refused]
        if not _learn(counts, layouts, cannot):
            if len({one.topic for one in counts}) > 1:
                frame.persist(StorageLevel.MEMORY_AND_DISK)
            return frame, [one for one in counts if one.topic not in refused]
    raise TableError(f"A topic has more than {_ROUNDS} new schemas in one batch.")


def _counted(frame: DataFrame, layouts: Layouts) -> list[Count]:
    """Count; a sample is taken only where something is new."""
    known = f.concat("topic", f.lit("\n"), "mark").isin(layouts.known())
    rows = frame.groupBy("topic", "partition", "mark").agg(
        f.count(f.lit(1)).alias("messages"),
        (f.max("offset") + 1).alias("end"),
        f.first(f.when(~known, f.col("value")), ignorenulls=True).alias("sample"),
        f.last("key", ignorenulls=True).alias("key"),
    )
    return [
        Count(
            row["topic"],
            row["partition"],
            row["mark"],
            row["messages"],
            row["end"],
            None if row["sample"] is None else bytes(row["sample"]),
            None if row["key"] is None else bytes(row["key"]),
        )
        for row in rows.collect()
    ]


def _learn(
    counts: list[Count], layouts: Layouts, refuse: Callable[[str, TableError], None]
) -> bool:
    """Learn from the samples; tell whether the messages must be marked anew."""
    again = False
    for one in counts:
        try:
            if one.key is not None:
                layouts.learn_key(one.topic, one.key)
            if one.sample is not None and not layouts.knows(one.topic, one.mark):
                layouts.learn(one.topic, one.mark, one.sample)
                again |= one.mark == NEW_SCHEMA
        except TableError as error:
            refuse(one.topic, error)
    return again
