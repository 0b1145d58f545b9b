"""Names of topics, and of schemas after them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from connector.capture.tables import TableId

_INVALID = re.compile(r"[^A-Za-z0-9._-]")
_MAX_LENGTH = 249


@dataclass(frozen=True, slots=True)
class TopicNaming:
    """Debezium's DefaultTopicNamingStrategy: ``prefix.database.table``."""

    prefix: str
    delimiter: str = "."
    transaction: str = "transaction"
    heartbeat_prefix: str = "__debezium-heartbeat"
    heartbeat_name: str | None = None

    def data_change(self, table: TableId) -> str:
        """Return the topic of a table's rows."""
        parts = (self.prefix, table.database, table.table)
        return sanitized(self.delimiter.join(part for part in parts if part.strip()))

    def schema_change(self) -> str:
        """Return the topic of DDL statements."""
        return self.prefix

    def transactions(self) -> str:
        """Return the topic of transaction marks."""
        return self.delimiter.join((self.prefix, self.transaction))

    def heartbeat(self) -> str:
        """Return the topic of heartbeats."""
        return self.heartbeat_name or self.delimiter.join((self.heartbeat_prefix, self.prefix))


def topic_naming(config: Mapping[str, str]) -> TopicNaming:
    """Read the naming from a connector's configuration."""
    return TopicNaming(
        prefix=config["topic.prefix"],
        delimiter=config.get("topic.delimiter") or ".",
        transaction=config.get("topic.transaction") or "transaction",
        heartbeat_prefix=config.get("topic.heartbeat.prefix")
        or config.get("heartbeat.topics.prefix")
        or "__debezium-heartbeat",
        heartbeat_name=config.get("topic.heartbeat.name"),
    )


def sanitized(name: str) -> str:
    """Return a name that Kafka takes: other characters become underscores."""
    valid = _INVALID.sub("_", name)[:_MAX_LENGTH]
    return valid.replace(".", "_") if valid in (".", "..") else valid
