"""Discovers new schemas and keys from samples of messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from sparksink.decode.format_names import GARBAGE, NEW_SCHEMA, PLAIN
from sparksink.decode.message_schemas import MessageSchemas
from sparksink.decode.samples import Message, SchemaSamples, read_keys, read_values
from sparksink.errors import TableError

_SAMPLES: Final = 100
"""How many new schemas one round discovers."""
_FORMS: Final = 20
"""How many messages without a schema are sampled."""
_KINDS: Final = 20
"""How many kinds of keys of a topic are sampled: the most frequent ones."""
_REASONS: Final = 10
"""How many reasons the unreadable schemas of a topic have in a batch, without `_OTHER`."""
_OTHER: Final = "a schema that is unknown or cannot be used"
_SCHEMA: Final = "xxhash64(get_json_object(CAST(value AS STRING), '$.schema'))"


@dataclass(frozen=True, slots=True)
class FormatCount:
    """Count of messages of one mark and one kind of key in one partition.

    ``begin`` is the first offset, ``end`` follows the last; ``since`` is the earliest timestamp.
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
    def first(self) -> Message:
        """The first of these messages."""
        return self.topic, self.partition, self.begin

    @property
    def last(self) -> Message:
        """The last of these messages."""
        return self.topic, self.partition, self.end - 1


class UnreadableMessages:
    """The unreadable messages of a batch: marks of topics, and schemas by their hash.

    Corrupt messages may have any number of marks and schemas, but only some reasons: each one
    becomes a mark, which costs a query.
    """

    def __init__(self) -> None:
        self._marks: dict[str, dict[str, list[str]]] = defaultdict(dict)
        self._schemas: dict[str, dict[int, str]] = defaultdict(dict)
        self._rest = ""

    def mark_formats(self, messages: DataFrame) -> DataFrame:
        """Set the mark of unreadable messages to garbage, with the reason."""
        found: Column = f.col("mark")
        for topic, reasons in self._marks.items():
            for why, marks in reasons.items():
                here = (f.col("topic") == topic) & f.col("mark").isin(marks)
                found = f.when(here, _garbage(why)).otherwise(found)
        is_new = f.col("mark") == NEW_SCHEMA
        for topic, schemas in self._schemas.items():
            for why in sorted(set(schemas.values())):
                numbers = [number for number, reason in schemas.items() if reason == why]
                here = is_new & (f.col("topic") == topic) & f.expr(_SCHEMA).isin(numbers)
                found = f.when(here, _garbage(why)).otherwise(found)
        if self._rest:
            found = f.when(is_new & (found == NEW_SCHEMA), _garbage(self._rest)).otherwise(found)
        return messages if found is None else messages.withColumn("mark", found)

    def add(self, topic: str, mark: str, why: str) -> None:
        """Treat messages of a mark as unreadable."""
        reasons = self._marks[topic]
        reasons.setdefault(_one_of(reasons, why), []).append(mark)

    def add_schema(self, topic: str, number: int, why: str) -> None:
        """Treat messages with a schema as unreadable."""
        schemas = self._schemas[topic]
        schemas[number] = _one_of({*schemas.values()}, why)

    def add_rest(self, why: str) -> None:
        """Treat messages with all remaining new schemas as unreadable."""
        self._rest = why


def _one_of(reasons: Collection[str], why: str) -> str:
    """Return a reason, or the one of all others if there are too many."""
    return why if why in reasons or len(reasons) < _REASONS else _OTHER


def _garbage(why: str) -> Column:
    return f.lit(f"{GARBAGE}:{why}")


def discover_schemas(
    frame: DataFrame,
    counts: Sequence[FormatCount],
    layouts: MessageSchemas,
    unreadable: UnreadableMessages,
) -> bool:
    """Add the schemas of new messages; return whether formats must be assigned again."""
    _discover_keys(frame, counts, layouts)
    again = _discover_json_schemas(frame, counts, layouts, unreadable)
    unknown = {
        (one.topic, one.mark): one.first
        for one in reversed(_by_time(counts))
        if one.mark != NEW_SCHEMA and not layouts.has_schema(one.topic, one.mark)
    }
    for topic, mark in reversed(unknown):
        try:
            if mark != PLAIN:
                layouts.add_schema(topic, mark)
                again |= layouts.needs_version(topic, mark)
            elif layouts.detect_form(topic, _plain_samples(frame, topic)):
                again |= layouts.needs_version(topic, mark)
            else:
                unreadable.add(topic, mark, "not readable")
                again = True
        except TableError as error:
            unreadable.add(topic, mark, error.args[0])
            again = True
    return again


def _by_time(counts: Iterable[FormatCount]) -> list[FormatCount]:
    return sorted(counts, key=lambda one: (one.since, one.begin))


def _plain_samples(frame: DataFrame, topic: str) -> list[bytes]:
    here = frame.where((f.col("topic") == topic) & (f.col("mark") == PLAIN))
    return [bytes(row["value"]) for row in here.select("value").limit(_FORMS).collect()]


def _discover_json_schemas(
    frame: DataFrame,
    counts: Sequence[FormatCount],
    layouts: MessageSchemas,
    unreadable: UnreadableMessages,
) -> bool:
    """Add schemas in the order of their messages: tables evolve in that order."""
    topics = sorted({one.topic for one in counts if one.mark == NEW_SCHEMA})
    if not topics:
        return False
    new = frame.where((f.col("mark") == NEW_SCHEMA) & f.col("topic").isin(topics))
    for schema, samples in read_values(new, _new_schemas(new)):
        if why := _add_first_readable(layouts, schema.topic, samples):
            unreadable.add_schema(schema.topic, schema.number, why)
    return True


def _new_schemas(messages: DataFrame) -> list[SchemaSamples]:
    """Return the schemas of messages in the order of their first messages."""
    message = f.struct("timestamp", "partition", "offset", f.octet_length("value").alias("size"))
    ends = (f.min(message).alias("first"), f.max(message).alias("last"))
    each = messages.groupBy("topic", f.expr(_SCHEMA).alias("number")).agg(*ends)
    found = []
    for topic, number, *both in each.orderBy("first").limit(_SAMPLES).collect():
        places = [(topic, one["partition"], one["offset"]) for one in both]
        found.append(SchemaSamples(topic, number, places, sum(one["size"] for one in both)))
    return found


def _add_first_readable(layouts: MessageSchemas, topic: str, samples: Iterable[bytes]) -> str:
    """Add the schema of the first readable sample; return the reason if none is readable."""
    why = ""
    for sample in samples:
        try:
            layouts.add_schema(topic, NEW_SCHEMA, sample)
        except TableError as error:
            why = why or error.args[0]
        else:
            return ""
    return why


def _discover_keys(
    frame: DataFrame, counts: Sequence[FormatCount], layouts: MessageSchemas
) -> None:
    """Add the columns of keys, from the last key of each kind."""
    sizes: dict[tuple[str, str], int] = defaultdict(int)
    last: dict[tuple[str, str], Message] = {}
    for one in counts:
        if one.kind is not None:
            sizes[one.topic, one.kind] += one.messages
            last[one.topic, one.kind] = one.last
    often = [
        found
        for topic in {topic for topic, _ in last}
        for found in sorted((k for k in last if k[0] == topic), key=lambda k: -sizes[k])[:_KINDS]
    ]
    new = [found for found in often if not layouts.has_key(*found)]
    samples = read_keys(frame, [last[found] for found in new])
    for found in (found for found in last if found in often):
        sample = samples[last[found]] if found in new else None
        layouts.add_key(*found, sample)
