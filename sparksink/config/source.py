"""Where the messages come from: the section ``source`` of a configuration."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator

from connector import names
from sparksink.config.offsets import Bound
from sparksink.config.sections import Duration, Pattern, Section
from sparksink.config.target import Jdbc

Format = Literal["auto", "json", "json-schema", "avro"]
Route = Annotated[str, Field(pattern=r"^(topic|source|header:[^\s'\\]+)$")]
"""What names the table of a message: its topic, its source block, or a header."""
_NOT_IN_TOPICS: Final = re.compile(r"[^A-Za-z0-9._-]")


class Registry(Section):
    """A Confluent schema registry; ``basic.auth`` is ``user:password``.

    Schemas are requested again after ``cache.ttl``; by default they are cached forever.
    """

    url: str
    """The schema registry, for Avro."""
    basic_auth: str | None = Field(default=None, repr=False)
    """Its `user:password`."""
    cache_ttl: Duration | None = None
    """How long schemas are cached, such as `300s`; needed only if a registry reuses its ids."""


class Modes(Section):
    """The connector's modes, needed to read JSON without schemas; with Debezium's defaults."""

    decimal: Literal["precise", "string", "double"] = "precise"
    """The connector's `decimal.handling.mode`, for messages without schemas."""
    time: Literal[
        "adaptive", "adaptive_time_microseconds", "connect", "isostring", "microseconds",
        "nanoseconds",
    ] = "adaptive_time_microseconds"  # fmt: skip
    """The connector's `time.precision.mode`, for messages without schemas."""
    bigint_unsigned: Literal["long", "precise"] = "long"
    """The connector's `bigint.unsigned.handling.mode`, for messages without schemas."""
    binary: Literal["bytes", "base64", "base64-url-safe", "hex"] = "bytes"
    """The connector's `binary.handling.mode`, for messages without schemas."""
    field_name_adjustment: Literal["none", "avro", "avro_unicode"] = "none"
    """The connector's `field.name.adjustment.mode`, to compare columns with `source.ddl.topic`."""


class Source(Section):
    """Where the messages come from: Kafka (Spark's jars or Python) or recorded files."""

    kind: Literal["kafka", "kafka_py", "file"] = "kafka"
    """`kafka_py`: Kafka read in Python, [without Spark's
    jars](../sink/install.md#read-kafka-without-sparks-jars); `file`: messages recorded as JSON
    lines, for tests and replays.
    """
    bootstrap_servers: str = ""
    """The brokers; required unless `kind` is `file`."""
    kafka: dict[str, str] = Field(default_factory=dict, repr=False)
    """Settings of the Kafka client, such as `kafka.security.protocol`."""
    topics: Pattern
    """Regular expression of the topics; `…db.table` is the topic of `db.table`."""
    topics_exclude: Pattern | None = None
    """Regular expression of topics that are not read."""
    path: str = ""
    """With `kind: file`: the folder."""
    format: Format = "auto"
    """`json` (without schemas), `json-schema` or `avro`: messages of other formats are dead
    letters.
    """
    route: Route = "topic"
    """What names the table of a message: its topic, `source` or `header:NAME` ([topics with several
    tables](../sink/configure.md#topics-with-several-tables)).
    """
    ddl_topic: str | None = None
    """The schema-change topic, which is the `topic.prefix` of the connector."""
    transaction_topic: str | None = None
    """The transaction topic, `<topic.prefix>.transaction`, for [transactional
    cuts](../sink/consistency.md#read-transactional-cuts).
    """
    heartbeat_prefix: Annotated[str, Field(min_length=1)] = names.HEARTBEAT_PREFIX
    """Prefix of topics that hold no table, in addition to `__debezium…`: the connector's
    `topic.heartbeat.prefix`.
    """
    schema_registry: Registry | None = None
    database: Jdbc | None = None
    """The captured server, for `verify`."""
    modes: Modes = Modes()
    starting_offsets: Bound = "earliest"
    """`latest`, a time such as `timestamp:2026-01-01T00:00:00Z`, or offsets of every partition such
    as `{"srv.shop.orders": {"0": 42}}`, where -2 is the first and -1 the last; only for the first
    start.
    """
    max_offsets_per_trigger: Annotated[int, Field(gt=0)] = 1_000_000
    """Messages per batch; smaller batches cost more CPU per message ([benchmark](../benchmark.md))
    but less disk space with large rows.
    """
    min_offsets_per_trigger: Annotated[int, Field(ge=0)] = 0
    """Wait for this many messages, from the second batch after a start."""
    max_trigger_delay: Duration = 900.0
    """Wait for them at most this long; `run --once` does not wait."""
    on_data_loss: Literal["fail", "continue"] = "fail"
    """`continue`: skip [messages that Kafka lost](../sink/dead-letters.md#messages-lost-in-kafka).
    """

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, value: Any) -> Any:
        """Collect the keys ``kafka.…``, which are passed to the Kafka client."""
        if not isinstance(value, dict):
            return value
        client = {key[6:]: str(text) for key, text in value.items() if key.startswith("kafka.")}
        rest = {key: text for key, text in value.items() if not key.startswith("kafka.")}
        return {**rest, "kafka": {**client, **rest.get("kafka", {})}}

    @model_validator(mode="after")
    def _check_required(self) -> Self:
        if self.database and not self.database.url.startswith("jdbc:mariadb:"):
            raise ValueError("database.url is jdbc:mariadb://HOST:PORT/DATABASE, for MySQL too")
        needed = "path" if self.kind == "file" else "bootstrap.servers"
        if not getattr(self, needed.replace(".", "_")):
            raise ValueError(f"{needed} is required with kind: {self.kind}")
        return self

    @model_validator(mode="after")
    def _check_kafka(self) -> Self:
        """Refuse settings of kind: kafka for other kinds, and contradicting limits."""
        given = self.model_fields_set
        for key in ("min_offsets_per_trigger", "max_trigger_delay"):
            if self.kind != "kafka" and key in given:
                reason = {"kafka_py": ", as a Python data source of Spark cannot delay a batch"}
                message = f"{key.replace('_', '.')} needs kind: kafka"
                raise ValueError(message + reason.get(self.kind, ""))
        if self.kind == "file" and self.starting_offsets != "earliest":
            raise ValueError("starting.offsets needs kind: kafka")
        if "max_trigger_delay" in given and not self.min_offsets_per_trigger:
            raise ValueError("max.trigger.delay needs min.offsets.per.trigger")
        if self.min_offsets_per_trigger > self.max_offsets_per_trigger:
            raise ValueError("min.offsets.per.trigger is above max.offsets.per.trigger")
        return self

    @model_validator(mode="after")
    def _check_route(self) -> Self:
        """Refuse settings that do not work with several tables in a topic."""
        if self.route != "topic" and self.transaction_topic:
            raise ValueError("transaction.topic needs route: topic, as it counts events by topic")
        if self.route == "source" and (self.format == "avro" or self.schema_registry):
            raise ValueError("route: source reads JSON only; with Avro use route: header:NAME")
        return self

    def table_name(self, name: str) -> str:
        """Return the name that messages of ``db.table`` are routed by.

        The connector replaces characters that topics do not have; of names with more dots the last
        two parts count.
        """
        found = ".".join(name.split(".")[-2:])
        return _NOT_IN_TOPICS.sub("_", found) if self.route == "topic" else found

    def has_topic(self, name: str) -> bool:
        """Return whether the sink reads a topic."""
        exclude = self.topics_exclude
        return bool(re.fullmatch(self.topics, name)) and not (
            exclude and re.fullmatch(exclude, name)
        )
