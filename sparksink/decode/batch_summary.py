"""Counts the messages of a batch by topic, partition and message format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from sparksink.decode.format_names import has_columns
from sparksink.decode.message_format import KEY_KIND, with_format
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.schema_discovery import FormatCount, UnreadableMessages, discover_schemas
from sparksink.decode.schema_versions import with_versions
from sparksink.decode.undefined_fields import mark_undefined_fields

_ROUNDS: Final = 50
"""How often messages are searched for new schemas."""


def summarize(messages: DataFrame, layouts: MessageSchemas) -> tuple[DataFrame, list[FormatCount]]:
    """Assign formats to messages and count them, until all schemas are known.

    Messages with unreadable schemas become garbage, with the reason in their format. The frame is
    persisted for several topics, each of which selects its messages from it: for one topic reading
    twice costs less. If several topics were seen before, it is persisted from the first round on.
    """
    several, unreadable = layouts.several, UnreadableMessages()
    for left in reversed(range(_ROUNDS)):
        frame = unreadable.mark_formats(with_format(messages, layouts.prefixes(), layouts.accepted))
        frame = mark_undefined_fields(with_versions(frame, layouts), layouts)
        if several or layouts.list_versions() or layouts.plain_fields():
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
    """Count messages, without an aggregate of binary columns, which would sort all messages."""
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
    """Return the formats of the last messages of partitions, of those with columns."""
    last: dict[int, FormatCount] = {}
    for one in counts:
        if has_columns(one.mark) and one.end > last.get(one.partition, one).end - 1:
            last[one.partition] = one
    return frozenset(one.mark for one in last.values())
