"""Which messages a batch holds: a row a topic, partition and mark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.decode.message_format import KEY_KIND, with_format
from sparksink.decode.message_schemas import MessageSchemas, has_columns
from sparksink.decode.schema_discovery import FormatCount, UnreadableMessages, discover_schemas
from sparksink.decode.schema_versions import with_versions

_ROUNDS: Final = 50
"""How often messages are looked at for schemas that are new."""


def summarize(messages: DataFrame, layouts: MessageSchemas) -> tuple[DataFrame, list[FormatCount]]:
    """Mark messages and count them, until all schemas are known.

    What cannot be learned is garbage, with the reason in its mark. The frame is persisted where
    several topics will each look for their messages in it: for one, reading twice costs less than
    keeping. Where several were seen before, it is so from the first look on.
    """
    several, unreadable = layouts.several, UnreadableMessages()
    for left in reversed(range(_ROUNDS)):
        frame = unreadable.marked(with_format(messages, layouts.prefixes(), layouts.accepted))
        frame = with_versions(frame, layouts)
        if several or layouts.versioned():
            frame.persist(StorageLevel.MEMORY_AND_DISK)
        counts = _count(frame)
        if not discover_schemas(frame, counts, layouts, unreadable):
            break
        frame.unpersist()
        if left == 1:
            unreadable.add_rest("more new schemas than one batch may have")
    if not several and len({one.topic for one in counts}) > 1:
        frame.persist(StorageLevel.MEMORY_AND_DISK)
    return frame, counts


def _count(frame: DataFrame) -> list[FormatCount]:
    """Count. No bytes are gathered on the way: Spark would sort all messages for that."""
    columns = ("topic", "partition", "offset", "timestamp", "mark")
    kinds = frame.select(*columns, f.expr(KEY_KIND).alias("kind"))
    rows = kinds.groupBy("topic", "partition", "mark", "kind").agg(
        f.count(f.lit(1)).alias("messages"),
        f.min("offset").alias("begin"),
        (f.max("offset") + 1).alias("end"),
        f.min("timestamp").alias("since"),
    )
    return sorted((FormatCount(*row) for row in rows.collect()), key=lambda one: one.end)


def last_formats(counts: Iterable[FormatCount]) -> frozenset[str]:
    """Return the marks that the last messages of partitions have, of those with columns."""
    last: dict[int, FormatCount] = {}
    for one in counts:
        if has_columns(one.mark) and one.end > last.get(one.partition, one).end - 1:
            last[one.partition] = one
    return frozenset(one.mark for one in last.values())
