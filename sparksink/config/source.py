"""Where the messages come from: the section ``source`` of a configuration."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from sparksink.config.sections import Pattern, Section
from sparksink.config.target import Jdbc


class Registry(Section):
    """A Confluent schema registry; ``basic.auth`` is ``user:password``."""

    url: str
    basic_auth: str | None = Field(default=None, repr=False)


class Modes(Section):
    """The connector's modes, needed to read JSON without schemas; its defaults are Debezium's."""

    decimal: Literal["precise", "string", "double"] = "precise"
    time: Literal[
        "adaptive", "adaptive_time_microseconds", "connect", "isostring", "microseconds",
        "nanoseconds",
    ] = "adaptive_time_microseconds"  # fmt: skip
    bigint_unsigned: Literal["long", "precise"] = "long"
    binary: Literal["bytes", "base64", "base64-url-safe", "hex"] = "bytes"


class Source(Section):
    """Where the messages come from: Kafka, or files of recorded messages."""

    kind: Literal["kafka", "file"] = "kafka"
    bootstrap_servers: str = ""
    kafka: dict[str, str] = Field(default_factory=dict, repr=False)
    topics: Pattern
    topics_exclude: Pattern | None = None
    path: str = ""
    ddl_topic: str | None = None
    transaction_topic: str | None = None
    schema_registry: Registry | None = None
    database: Jdbc | None = None
    modes: Modes = Modes()
    starting_offsets: Literal["earliest", "latest"] = "earliest"
    max_offsets_per_trigger: Annotated[int, Field(gt=0)] = 1_000_000
    on_data_loss: Literal["fail", "continue"] = "fail"

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, value: Any) -> Any:
        """Gather the keys ``kafka.…``, which are the Kafka client's own."""
        if not isinstance(value, dict):
            return value
        client = {key[6:]: str(text) for key, text in value.items() if key.startswith("kafka.")}
        rest = {key: text for key, text in value.items() if not key.startswith("kafka.")}
        return {**rest, "kafka": {**client, **rest.get("kafka", {})}}

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.database and not self.database.url.startswith("jdbc:mariadb:"):
            raise ValueError("database.url is jdbc:mariadb://HOST:PORT/DATABASE, for MySQL too")
        needed = {"kafka": "bootstrap.servers", "file": "path"}[self.kind]
        if not getattr(self, needed.replace(".", "_")):
            raise ValueError(f"{needed} is needed where kind is {self.kind}")
        return self
