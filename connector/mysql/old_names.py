"""Names and values of keys in Debezium before 2.0 → those of today.

A configuration of any generation works unchanged: each old key is translated, and the log names
its successor. Old and new key together must say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

_HISTORY: Final = "schema.history.internal"
_OLD_HISTORY: Final = "database.history"

_RENAMED: Final = {
    "database.server.name": "topic.prefix",
    "database.whitelist": "database.include.list",
    "database.blacklist": "database.exclude.list",
    "table.whitelist": "table.include.list",
    "table.blacklist": "table.exclude.list",
    "column.whitelist": "column.include.list",
    "column.blacklist": "column.exclude.list",
    "event.deserialization.failure.handling.mode": "event.processing.failure.handling.mode",
    f"{_OLD_HISTORY}.store.only.monitored.tables.ddl": f"{_HISTORY}.store.only.captured.tables.ddl",
}
_RENAMED_PREFIXES: Final = {
    f"{_OLD_HISTORY}.kafka.producer.": f"{_HISTORY}.producer.",
    f"{_OLD_HISTORY}.kafka.consumer.": f"{_HISTORY}.consumer.",
    f"{_OLD_HISTORY}.": f"{_HISTORY}.",
}
_HISTORY_CLASSES: Final = {
    "io.debezium.relational.history.KafkaDatabaseHistory": (
        "io.debezium.storage.kafka.history.KafkaSchemaHistory"
    ),
    "io.debezium.relational.history.FileDatabaseHistory": (
        "io.debezium.storage.file.history.FileSchemaHistory"
    ),
    "io.debezium.relational.history.MemoryDatabaseHistory": (
        "io.debezium.relational.history.MemorySchemaHistory"
    ),
}
_LOCKS: Final = {"true": "minimal", "false": "extended"}
_NAMES: Final = {"true": "avro", "false": "none"}
_TOPIC_PREFIXES: Final = ("${database.server.name}.", "${topic.prefix}.")

OLD_PREFIXES: Final = (
    *_RENAMED,
    f"{_OLD_HISTORY}.",
    "snapshot.minimal.locks",
    "sanitize.field.names",
    "transaction.topic",
    "source.struct.version",
    "gtid.new.channel.position",
)


# For the reference: what each old key becomes.
SUCCESSORS: Final = {
    **_RENAMED,
    **{f"{old}*": f"{new}*" for old, new in _RENAMED_PREFIXES.items()},
    _OLD_HISTORY: _HISTORY,
    "snapshot.minimal.locks": "snapshot.locking.mode: true is minimal, false is extended",
    "sanitize.field.names": "field.name.adjustment.mode: true is avro, false is none",
    "transaction.topic": "topic.transaction: the name without topic.prefix",
    "source.struct.version": "no successor: only v2 is accepted",
    "gtid.new.channel.position": "no successor: only earliest is accepted",
}


@dataclass(slots=True)
class Translation:
    """A configuration in today's names; ``renamed`` maps each old key to its successor."""

    config: dict[str, str]
    renamed: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


def translate(config: Mapping[str, str]) -> Translation:
    """Translate a configuration of any generation."""
    found = Translation(dict(config))
    for old, text in config.items():
        if old in _WITHOUT_SUCCESSOR:
            supported = _WITHOUT_SUCCESSOR[old]
            if text.strip().lower() != supported:
                found.faults[old] = (
                    f"Invalid value {text} for configuration {old}: not supported; only "
                    f"{supported} is, remove the key"
                )
            continue
        new = _successor(old)
        if new is not None:
            _move(found, old, new, text)
    return found


def _successor(old: str) -> str | None:
    if old in _RENAMED:
        return _RENAMED[old]
    if old in _VALUES:
        return _VALUES[old][0]
    for prefix, replacement in _RENAMED_PREFIXES.items():
        if old.startswith(prefix):
            return replacement + old.removeprefix(prefix)
    return None


def _move(found: Translation, old: str, new: str, text: str) -> None:
    value: str | None = text
    if old in _VALUES:
        value = _VALUES[old][1](text, found.config)
    if value is None:
        found.faults[old] = (
            f"Invalid value {text} for configuration {old}: it cannot be translated to {new}, "
            "the name of the key today"
        )
    elif found.config.get(new, value) != value:
        found.faults[old] = (
            f"{old} is the old name of {new}, and both are set to different values; remove {old}"
        )
    else:
        found.config[new] = value
        found.renamed[old] = new
    found.config.pop(old, None)


def _lookup(values: Mapping[str, str]) -> Callable[[str, Mapping[str, str]], str | None]:
    return lambda text, _: values.get(text.strip().lower())


def _history_class(text: str, _: Mapping[str, str]) -> str | None:
    return _HISTORY_CLASSES.get(text.strip(), text)


def _transaction_topic(text: str, config: Mapping[str, str]) -> str | None:
    """Take the prefix off a whole name: today the key holds only what follows it."""
    prefix = config.get("topic.prefix") or config.get("database.server.name", "")
    for start in (*_TOPIC_PREFIXES, f"{prefix}."):
        if text.startswith(start):
            return text.removeprefix(start)
    return None


# What Debezium no longer has; the one value that is the same as today's behavior.
_WITHOUT_SUCCESSOR: Final = {"source.struct.version": "v2", "gtid.new.channel.position": "earliest"}
_VALUES: Final[dict[str, tuple[str, Callable[[str, Mapping[str, str]], str | None]]]] = {
    _OLD_HISTORY: (_HISTORY, _history_class),
    "snapshot.minimal.locks": ("snapshot.locking.mode", _lookup(_LOCKS)),
    "sanitize.field.names": ("field.name.adjustment.mode", _lookup(_NAMES)),
    "transaction.topic": ("topic.transaction", _transaction_topic),
}
