"""The topics of a connector, read from their beginning as they grow."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, TopicPartition
from confluent_kafka import Message as KafkaMessage

Row = dict[str, Any]

KINDS: Final = {"r": "read", "c": "insert", "u": "update", "d": "delete", "t": "truncate"}
_LOOK_FOR_TOPICS_SECONDS: Final = 0.5
_BATCH: Final = 500

# Semantic type → how its wire form becomes the value that the database driver gives.
_SEMANTIC: Final[Mapping[str, Callable[[Any, Row], Any]]] = {
    "org.apache.kafka.connect.data.Decimal": lambda wire, schema: Decimal(
        int.from_bytes(base64.b64decode(wire), "big", signed=True)
    ).scaleb(-int(schema["parameters"]["scale"])),
    "io.debezium.time.Date": lambda wire, _: date(1970, 1, 1) + timedelta(days=wire),
}


@dataclass(frozen=True, slots=True)
class Event:
    """One message; ``at`` is the time in its topic, in seconds.

    ``kind`` is one of those in `KINDS`, or ``tombstone``; with ``ddl`` it is ``create``, ``alter``
    or ``drop`` of a table, or else ``schema``.
    """

    topic: str
    at: float
    kind: str
    table: str = ""
    key: Row | None = None
    before: Row | None = None
    after: Row | None = None
    ddl: str = ""


class Feed:
    """Reads all topics of a ``topic.prefix``, also those that come to be later."""

    def __init__(self, bootstrap: str, prefix: str) -> None:
        self._prefix = prefix
        self._known: set[str] = set()
        self._look_at = 0.0
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": "demo",
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 50,
                "log_level": 0,  # what is wrong is raised
            }
        )

    def close(self) -> None:
        """Close the connections."""
        self._consumer.close()

    def poll(self, seconds: float) -> list[Event]:
        """Return what has arrived, in the order of time, waiting so long for something.

        :raises KafkaException: the broker refuses to give it.
        """
        self._look_for_topics()
        messages = self._consumer.consume(_BATCH, seconds)
        return sorted(map(event_of, messages), key=lambda event: event.at)

    def _look_for_topics(self) -> None:
        if time.monotonic() < self._look_at:
            return
        self._look_at = time.monotonic() + _LOOK_FOR_TOPICS_SECONDS
        for name, topic in self._consumer.list_topics(timeout=10).topics.items():
            ours = name == self._prefix or name.startswith(f"{self._prefix}.")
            if ours and name not in self._known:
                self._known.add(name)
                self._consumer.incremental_assign(
                    [TopicPartition(name, number, OFFSET_BEGINNING) for number in topic.partitions]
                )


def event_of(message: KafkaMessage) -> Event:
    """Decode what a JsonConverter with schemas wrote."""
    if message.error():
        raise KafkaException(message.error())
    topic = str(message.topic())
    at = message.timestamp()[1] / 1000
    key = _decoded(message.key())
    raw = message.value()
    if raw is None:
        return Event(topic, at, "tombstone", topic.rpartition(".")[2], key)
    value = _decoded(raw)
    assert value is not None
    if "ddl" in value:
        changes = value["tableChanges"]
        kind = changes[0]["type"].lower() if changes else "schema"
        return Event(topic, at, kind, value["source"]["table"] or "", ddl=value["ddl"])
    kind = KINDS[value["op"]]
    return Event(topic, at, kind, value["source"]["table"], key, value["before"], value["after"])


def _decoded(raw: bytes | None) -> Row | None:
    if raw is None:
        return None
    message = json.loads(raw)
    decoded: Row = plain(message["payload"], message["schema"])
    return decoded


def plain(wire: Any, schema: Row) -> Any:
    """Return a value as the database driver would give it."""
    if wire is None:
        return None
    if schema["type"] == "struct":
        return {field["field"]: plain(wire[field["field"]], field) for field in schema["fields"]}
    semantic = _SEMANTIC.get(schema.get("name", ""))
    return semantic(wire, schema) if semantic else wire
