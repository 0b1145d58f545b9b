"""What is wrong with a configuration as a whole: keys that exclude each other, or are unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Final

from connector.config import ConfigDef
from connector.kafka.config import KNOWN_CLIENT_KEYS
from connector.mysql.old_names import OLD_PREFIXES

_RESUMABLE: Final = "millrace.snapshot.resumable"
_PREFIX: Final = re.compile(r"[\w.-]+", re.ASCII)
_KAFKA_HISTORY: Final = "io.debezium.storage.kafka.history.KafkaSchemaHistory"
_FILE_HISTORY: Final = "io.debezium.storage.file.history.FileSchemaHistory"
_HISTORY: Final = "schema.history.internal"
_NEEDED: Final = {
    _KAFKA_HISTORY: (f"{_HISTORY}.kafka.bootstrap.servers", f"{_HISTORY}.kafka.topic"),
    _FILE_HISTORY: (f"{_HISTORY}.file.filename",),
}
_LISTS: Final = tuple(
    f"{kind}.{list_}"
    for kind in ("database", "table", "column")
    for list_ in ("include.list", "exclude.list", "whitelist", "blacklist")
)
_EXCLUSIVE: Final = (
    ("database.include.list", "database.exclude.list"),
    ("table.include.list", "table.exclude.list"),
    ("column.include.list", "column.exclude.list"),
    ("gtid.source.includes", "gtid.source.excludes"),
)
# Settings of JDBC drivers, converters and others: they have names of their own.
_FOREIGN: Final = (
    *("driver.", "transforms.", "predicates.", "key.converter", "value.converter"),
    *("header.converter", "producer.override.", "consumer.override.", "admin.override."),
    "signal.consumer.",
    *("topic.creation.", f"{_HISTORY}.producer.", f"{_HISTORY}.consumer.", "internal."),
    *("snapshot.select.statement.overrides.", "column.mask.", "column.truncate."),
)
_ALIKE: Final = 0.85
_ALIKE_LISTS: Final = 0.8


def faults(config: Mapping[str, str], definition: ConfigDef) -> dict[str, str]:
    """Return what is wrong, by key; ``config`` has today's names."""
    return {
        **_find_misspelled(config, definition),
        **dict(_exclusive(config)),
        **dict(_missing_history(config, definition)),
        **_bad_prefix(config),
        **_missing_topic(config),
        **_unusable_signals(config),
        **_unusable_gtid_marks(config),
        **_unusable_resumable(config),
        **_unusable_failover(config),
    }


def _exclusive(config: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for include, exclude in _EXCLUSIVE:
        if config.get(include, "").strip() and config.get(exclude, "").strip():
            yield exclude, f'"{exclude}" is already specified; use it or {include}'


def _missing_history(config: Mapping[str, str], definition: ConfigDef) -> Iterator[tuple[str, str]]:
    store = config.get(_HISTORY) or definition[_HISTORY].default
    for key in _NEEDED.get(store, ()):
        if not config.get(key, "").strip():
            yield key, f"The '{key}' value is invalid: A value is required"


def _bad_prefix(config: Mapping[str, str]) -> dict[str, str]:
    key, prefix = "topic.prefix", config.get("topic.prefix", "").strip()
    if prefix and not _PREFIX.fullmatch(prefix):
        return {
            key: f"The '{key}' value is invalid: {prefix} has invalid format (only the "
            "underscore, hyphen, dot and alphanumeric characters are allowed)"
        }
    if prefix and prefix == config.get(f"{_HISTORY}.kafka.topic", "").strip():
        return {key: f"The '{key}' value is invalid: it is the topic of the schema history"}
    return {}


def _missing_topic(config: Mapping[str, str]) -> dict[str, str]:
    """Require the topic of notifications if they go to one."""
    key = "notification.sink.topic.name"
    channels = config.get("notification.enabled.channels", "").split(",")
    if "sink" in map(str.strip, channels) and not config.get(key, "").strip():
        return {
            key: f"The '{key}' value is invalid: Notification topic name must be provided when "
            "kafka notification channel is enabled"
        }
    return {}


def _unusable_signals(config: Mapping[str, str]) -> dict[str, str]:
    """Find what keeps signals from arriving."""
    channels = set(map(str.strip, config.get("signal.enabled.channels", "").split(",")))
    servers = "signal.kafka.bootstrap.servers"
    if "kafka" in channels and not config.get(servers, "").strip():
        return {servers: f"The '{servers}' value is invalid: A value is required"}
    skipped = {item.strip().lower() for item in config.get("skipped.operations", "").split(",")}
    strategy = config.get("incremental.snapshot.watermarking.strategy", "").strip().upper()
    lost = skipped & ({"c", "d"} if strategy == "INSERT_DELETE" else {"c"})
    if lost and config.get("signal.data.collection", "").strip():
        return {
            "skipped.operations": "The 'skipped.operations' value is invalid: with "
            f"signal.data.collection it must not have {', '.join(sorted(lost))}, by which signals "
            "arrive"
        }
    return {}


def _is_true(config: Mapping[str, str], key: str) -> bool:
    return config.get(key, "").strip().lower() == "true"


def _unusable_gtid_marks(config: Mapping[str, str]) -> dict[str, str]:
    """Find what excludes windows that are marked by GTIDs."""
    table = config.get("signal.data.collection", "").strip()
    if _is_true(config, "read.only"):
        name, remedy = "read.only", ""
    elif _is_true(config, _RESUMABLE) and not table:
        name, remedy = _RESUMABLE, "; set signal.data.collection"
    else:
        return {}
    reasons = {
        "gtid.ignore.on.recovery": "the stream does not follow GTIDs",
        "millrace.position.headers": "rows of its chunks have no position",
    }
    for key, reason in reasons.items():
        if _is_true(config, key):
            return {name: f"The '{name}' value is invalid: with {key}=true {reason}{remedy}"}
    return {}


def _unusable_resumable(config: Mapping[str, str]) -> dict[str, str]:
    """Find what excludes an initial snapshot that is read in chunks."""
    if not _is_true(config, _RESUMABLE):
        return {}
    reasons = {
        ("snapshot.mode", "initial_only"): "chunks are read while changes are streamed",
        ("snapshot.query.mode", "custom"): "chunks have statements of their own",
    }
    for (key, value), reason in reasons.items():
        if config.get(key, "").strip().lower() == value:
            text = f"The '{_RESUMABLE}' value is invalid with {key}={value}: {reason}"
            return {_RESUMABLE: text}
    return {}


def _unusable_failover(config: Mapping[str, str]) -> dict[str, str]:
    """Find what excludes several servers, among which GTIDs decide."""
    key, ignored = "database.hostname", "gtid.ignore.on.recovery"
    if "," in config.get(key, "") and config.get(ignored, "").strip().lower() == "true":
        return {ignored: f"The '{ignored}' value is invalid: {key} names several servers"}
    return {}


def _find_misspelled(config: Mapping[str, str], definition: ConfigDef) -> dict[str, str]:
    """Find unknown keys that look like one that decides what is captured."""
    known = {key.name for key in definition}
    aliases = tuple(
        f"{alias.strip()}."
        for key in ("converters", "post.processors")
        for alias in config.get(key, "").split(",")
        if alias.strip()
    )
    found = {}
    for key in config.keys() - known - KNOWN_CLIENT_KEYS:
        if key.startswith((*_FOREIGN, *OLD_PREFIXES, *aliases)):
            continue
        likely = _most_alike(key, known)
        if likely is not None:
            found[key] = (
                f"Unknown configuration {key}, which looks like {likely}: correct the name or "
                "remove the key"
            )
    return found


def _most_alike(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that is nearly the same; of ``database.…`` only the lists count."""
    candidates = [(name, _ALIKE_LISTS) for name in _LISTS]
    if not key.startswith("database."):
        others = (name for name in known if not name.startswith("database."))
        candidates += [(name, _ALIKE) for name in others if name not in _LISTS]
    scored = [
        (SequenceMatcher(None, key, name, autojunk=False).ratio(), name)
        for name, least in candidates
        if SequenceMatcher(None, key, name, autojunk=False).quick_ratio() >= least
    ]
    limits = dict(candidates)
    alike = [(score, name) for score, name in scored if score >= limits[name]]
    return max(alike)[1] if alike else None
