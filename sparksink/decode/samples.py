"""Reads single messages of a batch as samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

Message = tuple[str, int, int]
"""Topic, partition and offset."""

_BYTES: Final = 1 << 26
"""The size of the values that one query reads, except of a single schema."""
_PLACE: Final = ("topic", "partition", "offset")


@dataclass(frozen=True, slots=True)
class SchemaSamples:
    """The first and the last message of a schema, and the bytes of both values.

    ``number`` is the hash of the schema.
    """

    topic: str
    number: int
    messages: Sequence[Message]
    size: int


def read_keys(frame: DataFrame, messages: Collection[Message]) -> dict[Message, bytes]:
    """Return the keys of some messages."""
    return _read(frame, messages, "key")


def read_values(
    frame: DataFrame, schemas: Sequence[SchemaSamples]
) -> Iterator[tuple[SchemaSamples, list[bytes]]]:
    """Yield schemas, in their order, with the values of their messages.

    Values are complete, as one that is cut contradicts its schema; many large ones are read by
    several queries, to spare the driver's memory.
    """
    for group in group_by_size(schemas, _BYTES):
        values = _read(frame, {one for schema in group for one in schema.messages}, "value")
        yield from ((schema, [values[one] for one in schema.messages]) for schema in group)


def group_by_size(schemas: Sequence[SchemaSamples], most: int) -> Iterator[Sequence[SchemaSamples]]:
    """Yield consecutive schemas in groups of at most so many bytes, larger ones alone."""
    group: list[SchemaSamples] = []
    for schema in schemas:
        if group and sum(one.size for one in group) + schema.size > most:
            yield group
            group = []
        group.append(schema)
    if group:
        yield group


def _read(frame: DataFrame, messages: Collection[Message], column: str) -> dict[Message, bytes]:
    if not messages:
        return {}
    offsets: dict[tuple[str, int], list[int]] = defaultdict(list)
    for topic, partition, offset in messages:
        offsets[topic, partition].append(offset)
    conditions = [
        (f.col("topic") == topic) & (f.col("partition") == partition) & f.col("offset").isin(some)
        for (topic, partition), some in offsets.items()
    ]
    found = frame.where(reduce(lambda one, other: one | other, conditions))
    rows = found.select(*_PLACE, column).collect()
    return {tuple(row[:3]): bytes(row[column] or b"") for row in rows}
