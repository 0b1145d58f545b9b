"""Names of topics, and of schemas after them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from connector import names
from connector.capture.tables import TableId
from connector.config import compile_regex, invalid
from connector.data.avro_names import escaped
from connector.data.java_regex.replacement import Replace, compile_replacement
from connector.errors import ConfigError

_INVALID = re.compile(r"[^A-Za-z0-9._-]")
_INVALID_BEFORE_ESCAPES = re.compile(r"[^A-Za-z0-9.-]")
_MAX_LENGTH = 249
_DEFAULT_KEY_FIELD: Final = "__dbz__physicalTableIdentifier"


@dataclass(frozen=True, slots=True)
class Replacement:
    """An expression for a whole name, and what to make of a name that fits."""

    expression: re.Pattern[str]
    expand: Replace

    def replace(self, name: str) -> str:
        """Return the name, replaced if it fits and something is left."""
        match = self.expression.fullmatch(name)
        return (self.expand(match) if match else "") or name


@dataclass(frozen=True, slots=True)
class TopicNaming:
    """Debezium's naming: ``prefix.database.table``, if need be ``routed`` to another name.

    ``key_field`` is the field of keys that names their table when several have
    one topic; its value is the topic that the table had of its own, changed by
    ``key_replacement``. ``escapes``: invalid characters become their numbers.
    ``without_database``: the strategies called *Schema* take only prefix and table.
    """

    prefix: str
    delimiter: str = "."
    transaction: str = "transaction"
    heartbeat_prefix: str = names.HEARTBEAT_PREFIX
    heartbeat_name: str | None = None
    routed: Replacement | None = None
    key_field: str | None = None
    key_replacement: Replacement | None = None
    escapes: bool = False
    without_database: bool = False

    def data_change(self, table: TableId) -> str:
        """Return the topic of a table's rows."""
        name = self._own(table)
        own = _escape(name) if self.escapes else sanitize(name)
        return self.routed.replace(own) if self.routed else own

    def key_value(self, table: TableId) -> str:
        """Return the value of the ``key_field`` for a table."""
        own = self._own(table)
        return self.key_replacement.replace(own) if self.key_replacement else own

    def schema_change(self) -> str:
        """Return the topic of DDL statements."""
        return self.prefix

    def transactions(self) -> str:
        """Return the topic of transaction boundary events."""
        return self.delimiter.join((self.prefix, self.transaction))

    def heartbeat(self) -> str:
        """Return the topic of heartbeats."""
        return self.heartbeat_name or self.delimiter.join((self.heartbeat_prefix, self.prefix))

    def _own(self, table: TableId) -> str:
        database = "" if self.without_database else table.database
        parts = (self.prefix, database, table.table)
        return self.delimiter.join(part for part in parts if part.strip())


def topic_naming(config: Mapping[str, str]) -> TopicNaming:
    """Read the naming from a connector's configuration.

    :raises ConfigError: an expression or a replacement is missing or cannot be read.
    """
    strategy = config.get("topic.naming.strategy", "")
    regex = strategy.endswith("RegexTopicNamingStrategy")
    unique = config.get("topic.key.enforce.uniqueness", "true").strip().lower() == "true"
    return TopicNaming(
        prefix=config["topic.prefix"],
        delimiter=config.get("topic.delimiter") or ".",
        transaction=config.get("topic.transaction") or "transaction",
        heartbeat_prefix=config.get("topic.heartbeat.prefix")
        or config.get("heartbeat.topics.prefix")
        or names.HEARTBEAT_PREFIX,
        heartbeat_name=config.get("topic.heartbeat.name"),
        routed=_replacement(config, "topic", required=True) if regex else None,
        key_field=(config.get("topic.key.field.name") or _DEFAULT_KEY_FIELD)
        if regex and unique
        else None,
        key_replacement=_replacement(config, "topic.key.field") if regex else None,
        escapes=strategy.endswith("UnicodeTopicNamingStrategy"),
        without_database=strategy.startswith("io.debezium.schema.Schema"),
    )


def faults(config: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with the keys of the naming."""
    try:
        topic_naming({"topic.prefix": "", **config})
    except ConfigError as error:
        return {"topic.naming.strategy": str(error)}
    return {}


def sanitize(name: str) -> str:
    """Return a name that Kafka takes: other characters become underscores."""
    valid = _INVALID.sub("_", name)[:_MAX_LENGTH]
    return valid.replace(".", "_") if valid in (".", "..") else valid


def _escape(name: str) -> str:
    """Return a name that Kafka takes: other characters become the numbers of their units."""
    return _INVALID_BEFORE_ESCAPES.sub(lambda match: _units(match[0]), name)[:_MAX_LENGTH]


def _units(character: str) -> str:
    data = character.encode("utf-16-be")
    units = zip(data[::2], data[1::2], strict=True)
    return "".join(escaped(chr(high << 8 | low)) for high, low in units)


def _replacement(
    config: Mapping[str, str], name: str, *, required: bool = False
) -> Replacement | None:
    regex, text = f"{name}.regex", f"{name}.replacement"
    for key in (regex, text):
        if not config.get(key) and (required or config.get(regex)):
            raise ConfigError(f"The '{key}' value is invalid: A value is required")
    if not config.get(regex):
        return None
    expression = compile_regex(regex, config[regex])
    try:
        return Replacement(expression, compile_replacement(config[text], expression))
    except ValueError as error:
        raise invalid(text, config[text], str(error)) from error
