"""Reads messages from Kafka or from recorded files into frames with the same columns.

Recorded messages are JSON lines with ``topic, partition, offset``, ``timestamp`` in milliseconds
``key`` and ``value`` as text or ``key64`` and ``value64`` in Base64, and optionally ``position``
and ``headers``, a map of strings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cached_property, reduce
from operator import or_
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from connector.names import POSITION_HEADER
from sparksink.config.source import Source
from sparksink.errors import SinkError
from sparksink.source import offset_bounds, table_routing
from sparksink.source.headers import header_text
from sparksink.source.kafka import Offsets, read_offsets
from sparksink.source.python_kafka import PythonKafka

RECORDED: Final = (
    "topic string, partition int, offset bigint, timestamp bigint, key string, value string,"
    " key64 string, value64 string, position string, headers map<string,string>"
)

_MESSAGE: Final = ("topic", "partition", "offset", "timestamp", "key", "value")


class Messages:
    """Reads the topics of a configuration.

    With ``headers`` position headers are read. Reading is split into at least ``partitions``
    tasks.
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
            from sparksink.source.python_kafka import PythonKafka  # noqa: PLC0415 - needs more packages
        except ImportError as error:
            raise SinkError(
                f"source.kind: kafka_py needs the package {error.name}.",
                "Install confluent-kafka and pyarrow for the Python of driver and executors.",
            ) from error
        return PythonKafka(self._spark, self._source, headers=self._headers, tasks=self._partitions)

    def offsets(self, topics: str = "") -> Offsets:
        """Return the matching topics of Kafka with their offsets."""
        if self._source.kind == "kafka_py":
            return self._python.offsets(topics or self._source.topics)
        return read_offsets(self._spark, self._source, topics or self._source.topics)

    def ends(self) -> str | None:
        """Return the present end offsets as JSON, if the stream needs them."""
        return self._python.ends(self.pattern) if self._source.kind == "kafka_py" else None

    def stream(
        self, *, once: bool = False, checkpoint: str = "", until: str | None = None
    ) -> DataFrame:
        """Return the messages as a stream, with those of the transaction topic if it is set.

        With ``once`` it reads the present messages and ends. ``checkpoint`` is the checkpoint of
        the stream, ``until`` its end offsets.
        """
        if self._source.kind == "kafka_py":
            found = self._python.stream(self.pattern, checkpoint, until)
            return self._streamed_messages(self._from_kafka(found))
        if self._source.kind == "file":
            reader = self._spark.readStream.schema(RECORDED).option("maxFilesPerTrigger", 1)
            return self._streamed_messages(self._parse_recorded(reader.json(self._source.path)))
        reader = self._spark.readStream.format("kafka").options(**self._kafka())
        loaded = reader.options(**self._start(), **self._limits(once=once)).load()
        return self._streamed_messages(self._from_kafka(loaded))

    def between(self, start: str = "earliest", end: str = "latest", topics: str = "") -> DataFrame:
        """Return the present messages between a start and an end, as in a configuration."""
        if self._source.kind == "file":
            lines = self._spark.read.schema(RECORDED).json(self._source.path)
            return self._table_messages(self._parse_recorded(lines))
        if self._source.kind == "kafka_py":
            given = self._python.between(topics or self.pattern, start, end)
            return self._table_messages(self._from_kafka(given))
        reader = self._spark.read.format("kafka").options(**self._kafka(topics))
        found = reader.options(
            **offset_bounds.bound_options("starting", start),
            **offset_bounds.bound_options("ending", end),
            **self._split(),
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
        first = self._ddl_start(topic, start) if start else "earliest"
        if self._source.kind == "kafka_py":
            return self._python.between(re.escape(topic), first, "latest", fails=False)
        options = self._kafka()
        options.pop("subscribePattern")
        reader = self._spark.read.format("kafka").options(**options, subscribe=topic)
        return reader.option("startingOffsets", first).option("failOnDataLoss", "false").load()

    def _ddl_start(self, topic: str, start: int) -> str:
        """Return where to read on: statements are in partition 0, however many there are."""
        present = self.offsets(re.escape(topic)).get(topic, {})
        others = {str(number): end for number, (_, end) in present.items()}
        return json.dumps({topic: {**others, "0": start}})

    def _kafka(self, topics: str = "") -> dict[str, str]:
        return {
            "kafka.bootstrap.servers": self._source.bootstrap_servers,
            "kafka.isolation.level": "read_committed",
            **{f"kafka.{key}": value for key, value in self._source.kafka.items()},
            "subscribePattern": topics or self.pattern,
            "includeHeaders": str(self._headers).lower(),
        }

    @property
    def pattern(self) -> str:
        """The topics that the stream reads, as a regular expression."""
        transactions = self._source.transaction_topic
        topics = self._source.topics
        if transactions is None:
            return topics
        return f"(?:{topics})|(?:{re.escape(transactions)})"

    def _split(self) -> Mapping[str, str]:
        """Return how many tasks read at least; they may then share a partition."""
        return {"minPartitions": str(self._partitions)}

    def _start(self) -> Mapping[str, str]:
        first = offset_bounds.bound_options("starting", self._source.starting_offsets)
        if self._source.on_data_loss == "fail":
            return {**first, **self._split(), "failOnDataLoss": "true"}
        # Spark 4.1.1 goes on with a consumer that it has already given back when an offset is
        # gone, so that two tasks of one partition may use it at the same time and fail.
        return {**first, "failOnDataLoss": "false"}

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
        return loaded.select(*_MESSAGE, position, *self._header_columns())

    def _position(self) -> str:
        return header_text(POSITION_HEADER) if self._positions else "CAST(NULL AS STRING)"

    def _parse_recorded(self, lines: DataFrame) -> DataFrame:
        more = [f"map_entries({name}) AS {name}" for name in self._header_columns()]
        return parse_recorded(lines, *more)

    def _header_columns(self) -> Iterable[str]:
        return ["headers"] if self._by_header else []

    def is_table_topic(self, topic: str) -> bool:
        """Return whether a topic has rows of tables: neither an internal nor an excluded topic."""
        ddl, exclude = self._source.ddl_topic, self._source.topics_exclude
        metadata = {ddl, f"{ddl}.transaction", self._source.transaction_topic}
        internal = topic.startswith(self._internal_prefixes()) or topic in metadata
        return not internal and not (exclude and re.fullmatch(exclude, topic))

    def _streamed_messages(self, messages: DataFrame) -> DataFrame:
        transactions = self._source.transaction_topic
        if transactions is None:
            return self._table_messages(messages)
        return messages.where((f.col("topic") == transactions) | self._is_table_message())

    def _table_messages(self, messages: DataFrame) -> DataFrame:
        selected = messages.where(self._is_table_message())
        if self._by_header:
            return table_routing.route_by_header(selected, self._by_header).drop("headers")
        return (
            table_routing.route_by_source(selected) if self._source.route == "source" else selected
        )

    def _internal_prefixes(self) -> tuple[str, ...]:
        """Return the prefixes of internal topics: Debezium's, and of heartbeats."""
        debezium, heartbeats = "__debezium", self._source.heartbeat_prefix
        return (debezium,) if heartbeats.startswith(debezium) else (debezium, heartbeats)

    def _is_table_message(self) -> Column:
        """Return the condition that a message belongs to a table: no internal or excluded topic."""
        skipped = reduce(or_, map(f.col("topic").startswith, self._internal_prefixes()))
        if self._source.ddl_topic:
            metadata = [self._source.ddl_topic, f"{self._source.ddl_topic}.transaction"]
            skipped |= f.col("topic").isin(metadata)
        if self._source.transaction_topic:
            skipped |= f.col("topic") == self._source.transaction_topic
        if self._source.topics_exclude:
            skipped |= f.col("topic").rlike(f"^(?:{self._source.topics_exclude})$")
        if self._source.kind == "file":
            skipped |= ~f.col("topic").rlike(f"^(?:{self._source.topics})$")
        return ~skipped


def parse_recorded(lines: DataFrame, *more: str) -> DataFrame:
    """Convert recorded lines to messages; ``more`` columns are SQL."""
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
