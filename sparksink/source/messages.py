"""Where messages come from: one frame of bytes, whether from Kafka or from recorded files.

Recorded messages are JSON lines with ``topic, partition, offset``, ``timestamp`` in milliseconds
and ``key``, ``value`` as text or ``key64``, ``value64`` in Base64, and perhaps ``position`` and
``headers``, name to text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from sparksink.config.source import Source
from sparksink.errors import SinkError
from sparksink.source import offset_bounds, table_routing
from sparksink.source.kafka import Offsets, read_offsets

if TYPE_CHECKING:
    from sparksink.source.python_kafka import PythonKafka

POSITION_HEADER: Final = "millrace.position"
"""``epoch/file/pos/row`` of a message, written by a connector that is told to."""

RECORDED: Final = (
    "topic string, partition int, offset bigint, timestamp bigint, key string, value string,"
    " key64 string, value64 string, position string, headers map<string,string>"
)

_MESSAGE: Final = ("topic", "partition", "offset", "timestamp", "key", "value")


class Messages:
    """Reads the topics of a configuration.

    ``headers`` tells whether positions are wanted; into at least ``partitions`` tasks is split
    what is read.
    """

    def __init__(
        self, spark: SparkSession, source: Source, *, headers: bool, partitions: int
    ) -> None:
        self._spark = spark
        self._source = source
        self._by_header = source.route.partition(":")[2]
        self._positions = headers
        self._headers = headers or bool(self._by_header)
        self._partitions = partitions

    @cached_property
    def _python(self) -> PythonKafka:
        try:
            from sparksink.source.python_kafka import PythonKafka  # noqa: PLC0415 - needs more
        except ImportError as error:
            raise SinkError(
                f"source.kind: kafka_py needs the package {error.name}.",
                "Install confluent-kafka and pyarrow for the Python of driver and executors.",
            ) from error
        return PythonKafka(self._spark, self._source, headers=self._headers, tasks=self._partitions)

    def offsets(self, topics: str = "") -> Offsets:
        """Return which topics of Kafka there are that match, and how far they reach."""
        if self._source.kind == "kafka_py":
            return self._python.offsets(topics or self._source.topics)
        return read_offsets(self._spark, self._source, topics or self._source.topics)

    def ends(self) -> str | None:
        """Return where the topics end now, if a stream has to be told: as JSON."""
        return self._python.ends(self.pattern) if self._source.kind == "kafka_py" else None

    def stream(
        self, *, once: bool = False, checkpoint: str = "", until: str | None = None
    ) -> DataFrame:
        """Return the messages as a stream, those about transactions too if they are wanted.

        What runs ``once`` takes all that is there, and waits for no more. ``checkpoint`` is that of
        the stream, ``until`` where it ends.
        """
        if self._source.kind == "kafka_py":
            found = self._python.stream(self.pattern, checkpoint, until)
            return self._streamed_messages(self._from_kafka(found))
        if self._source.kind == "file":
            reader = self._spark.readStream.schema(RECORDED).option("maxFilesPerTrigger", 1)
            return self._streamed_messages(self._recorded(reader.json(self._source.path)))
        reader = self._spark.readStream.format("kafka").options(**self._kafka())
        loaded = reader.options(**self._start(), **self._limits(once=once)).load()
        return self._streamed_messages(self._from_kafka(loaded))

    def between(self, start: str = "earliest", end: str = "latest", topics: str = "") -> DataFrame:
        """Return the messages of a range that is there now; both ends as in a configuration."""
        if self._source.kind == "file":
            lines = self._spark.read.schema(RECORDED).json(self._source.path)
            return self._table_messages(self._recorded(lines))
        if self._source.kind == "kafka_py":
            given = self._python.between(topics or self.pattern, start, end)
            return self._table_messages(self._from_kafka(given))
        reader = self._spark.read.format("kafka").options(**self._kafka(topics))
        found = reader.options(
            **offset_bounds.bound_options("starting", start),
            **offset_bounds.bound_options("ending", end),
        )
        return self._table_messages(self._from_kafka(found.load()))

    def schema_changes(self, start: int) -> list[tuple[int, bytes, str | None]]:
        """Return the schema-change topic from an offset on: offset, value and position header."""
        topic = self._source.ddl_topic
        if topic is None:
            return []
        found = self._ddl(topic, start).orderBy("offset")
        if "position" not in found.columns:
            found = found.withColumn("position", f.expr(self._position()))
        rows = found.select("offset", "value", "position").where("value IS NOT NULL").collect()
        return [(row["offset"], bytes(row["value"]), row["position"]) for row in rows]

    def _ddl(self, topic: str, start: int) -> DataFrame:
        if self._source.kind == "file":
            lines = parse_recorded(self._spark.read.schema(RECORDED).json(self._source.path))
            return lines.where((f.col("topic") == topic) & (f.col("offset") >= start))
        first = json.dumps({topic: {"0": start}}) if start else "earliest"
        if self._source.kind == "kafka_py":
            return self._python.between(re.escape(topic), first, "latest", fails=False)
        options = self._kafka()
        options.pop("subscribePattern")
        reader = self._spark.read.format("kafka").options(**options, subscribe=topic)
        return reader.option("startingOffsets", first).option("failOnDataLoss", "false").load()

    def _kafka(self, topics: str = "") -> dict[str, str]:
        return {
            "kafka.bootstrap.servers": self._source.bootstrap_servers,
            "kafka.isolation.level": "read_committed",
            **{f"kafka.{key}": value for key, value in self._source.kafka.items()},
            "subscribePattern": topics or self.pattern,
            "includeHeaders": str(self._headers).lower(),
            "minPartitions": str(self._partitions),
        }

    @property
    def pattern(self) -> str:
        """The topics that the stream reads, as a regular expression."""
        told = self._source.transaction_topic
        topics = self._source.topics
        return topics if told is None else f"(?:{topics})|(?:{re.escape(told)})"

    def _start(self) -> Mapping[str, str]:
        fails = str(self._source.on_data_loss == "fail").lower()
        first = offset_bounds.bound_options("starting", self._source.starting_offsets)
        return {**first, "failOnDataLoss": fails}

    def _limits(self, *, once: bool) -> Mapping[str, str]:
        most = {"maxOffsetsPerTrigger": str(self._source.max_offsets_per_trigger)}
        if once or not self._source.min_offsets_per_trigger:
            return most
        return {
            **most,
            "minOffsetsPerTrigger": str(self._source.min_offsets_per_trigger),
            "maxTriggerDelay": f"{round(self._source.max_trigger_delay * 1000)}ms",
        }

    def _from_kafka(self, loaded: DataFrame) -> DataFrame:
        position = f.expr(self._position()).alias("position")
        return loaded.select(*_MESSAGE, position, *self._more())

    def _position(self) -> str:
        header = f"get(filter(headers, h -> h.key = '{POSITION_HEADER}'), 0).value"
        return f"CAST({header} AS STRING)" if self._positions else "CAST(NULL AS STRING)"

    def _recorded(self, lines: DataFrame) -> DataFrame:
        more = [f"map_entries({name}) AS {name}" for name in self._more()]
        return parse_recorded(lines, *more)

    def _more(self) -> Iterable[str]:
        return ["headers"] if self._by_header else []

    def is_table_topic(self, topic: str) -> bool:
        """Return whether a topic is one of tables: not the connector's own, nor excluded."""
        ddl, exclude = self._source.ddl_topic, self._source.topics_exclude
        told = {ddl, f"{ddl}.transaction", self._source.transaction_topic}
        own = topic.startswith(self._own_prefixes()) or topic in told
        return not own and not (exclude and re.fullmatch(exclude, topic))

    def _streamed_messages(self, messages: DataFrame) -> DataFrame:
        told = self._source.transaction_topic
        if told is None:
            return self._table_messages(messages)
        return messages.where((f.col("topic") == told) | self._is_table_message())

    def _table_messages(self, messages: DataFrame) -> DataFrame:
        wanted = messages.where(self._is_table_message())
        if self._by_header:
            return table_routing.route_by_header(wanted, self._by_header).drop("headers")
        return table_routing.route_by_source(wanted) if self._source.route == "source" else wanted

    def _own_prefixes(self) -> tuple[str, ...]:
        """Return how topics of the connector's own begin: all of Debezium's, and its heartbeats."""
        own, heartbeats = "__debezium", self._source.heartbeat_prefix
        return (own,) if heartbeats.startswith(own) else (own, heartbeats)

    def _is_table_message(self) -> Column:
        """Leave out what is not a table's: the connector's own topics, and what is excluded."""
        own = reduce(or_, map(f.col("topic").startswith, self._own_prefixes()))
        if self._source.ddl_topic:
            told = [self._source.ddl_topic, f"{self._source.ddl_topic}.transaction"]
            own |= f.col("topic").isin(told)
        if self._source.transaction_topic:
            own |= f.col("topic") == self._source.transaction_topic
        if self._source.topics_exclude:
            own |= f.col("topic").rlike(f"^(?:{self._source.topics_exclude})$")
        if self._source.kind == "file":
            own |= ~f.col("topic").rlike(f"^(?:{self._source.topics})$")
        return ~own


def parse_recorded(lines: DataFrame, *more: str) -> DataFrame:
    """Return recorded messages as messages; ``more`` columns are SQL."""
    return lines.selectExpr(
        "topic",
        "partition",
        "offset",
        "timestamp_millis(timestamp) AS timestamp",
        "coalesce(unbase64(key64), CAST(key AS BINARY)) AS key",
        "coalesce(unbase64(value64), CAST(value AS BINARY)) AS value",
        "position",
        *more,
    )
