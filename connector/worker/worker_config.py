"""The worker file: the keys of Kafka Connect's worker configuration.

The worker stores its state in files with ``offset.storage.file.filename`` (standalone), and in
Kafka with ``group.id`` and the three ``*.storage.topic`` keys (distributed).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from connector.config import ConfigDef, ConfigKey, at_least, non_empty, one_of, settings_below
from connector.errors import ConfigError
from connector.kafka.config import KNOWN_CLIENT_KEYS
from connector.worker.listeners import Listener, parse_listeners
from connector.worker.origins import are_origins

_JSON: Final = "org.apache.kafka.connect.json.JsonConverter"
_SIMPLE_HEADERS: Final = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
STORES: Final = ("config", "offset", "status")
_STORE_DEFAULTS: Final = {"config": 1, "offset": 25, "status": 5}

WORKER: Final = ConfigDef(
    [
        ConfigKey(
            "bootstrap.servers",
            "LIST",
            [],
            "HIGH",
            "Kafka brokers to connect to first, as host:port, comma separated.",
        ),
        ConfigKey("key.converter", "CLASS", _JSON, "HIGH", "Converter of record keys."),
        ConfigKey("value.converter", "CLASS", _JSON, "HIGH", "Converter of record values."),
        ConfigKey("header.converter", "CLASS", _SIMPLE_HEADERS, "LOW", "Converter of headers."),
        ConfigKey(
            "offset.storage.file.filename",
            "STRING",
            None,
            "HIGH",
            "File that keeps source offsets; connectors and statuses are kept beside it.",
            validator=non_empty,
        ),
        ConfigKey(
            "group.id",
            "STRING",
            None,
            "HIGH",
            "Name of the worker group whose topics are used.",
            validator=non_empty,
        ),
        *(
            ConfigKey(f"{store}.storage.topic", "STRING", None, "HIGH", f"Topic of {what}.")
            for store, what in (
                ("config", "connector configurations and target states"),
                ("offset", "source offsets"),
                ("status", "statuses of connectors and tasks"),
            )
        ),
        *(
            ConfigKey(
                f"{store}.storage.replication.factor",
                "SHORT",
                3,
                "LOW",
                f"Replicas of the {store} topic when it is created; -1 is the broker's default.",
            )
            for store in STORES
        ),
        *(
            ConfigKey(
                f"{store}.storage.partitions",
                "INT",
                _STORE_DEFAULTS[store],
                "LOW",
                f"Partitions of the {store} topic when it is created; -1 is the broker's default.",
            )
            for store in ("offset", "status")
        ),
        ConfigKey(
            "offset.flush.interval.ms",
            "LONG",
            60_000,
            "LOW",
            "Milliseconds between two commits of source offsets.",
            validator=at_least(1),
        ),
        ConfigKey(
            "offset.flush.timeout.ms",
            "LONG",
            5_000,
            "LOW",
            "Milliseconds to wait for records to be acknowledged before offsets are committed.",
            validator=at_least(1),
        ),
        ConfigKey(
            "task.shutdown.graceful.timeout.ms",
            "LONG",
            5_000,
            "LOW",
            "Milliseconds a task gets to finish when it is stopped.",
            validator=at_least(0),
        ),
        ConfigKey("listeners", "LIST", ["http://:8083"], "LOW", "Addresses of the REST API."),
        ConfigKey(
            "admin.listeners",
            "LIST",
            None,
            "LOW",
            "Addresses of /admin: unset = those of listeners, empty = switched off.",
        ),
        ConfigKey(
            "millrace.rest.max.connections",
            "INT",
            256,
            "LOW",
            "Open connections of a listener; all listeners together take at most half of the "
            "file descriptors.",
            validator=at_least(1),
        ),
        ConfigKey(
            "millrace.rest.max.body.bytes",
            "INT",
            8 << 20,
            "LOW",
            "Size of the largest request body; a larger one is answered with 413.",
            validator=at_least(1),
        ),
        ConfigKey("rest.advertised.host.name", "STRING", None, "LOW", "Host others reach."),
        ConfigKey("rest.advertised.port", "INT", None, "LOW", "Port others reach."),
        ConfigKey(
            "rest.advertised.listener",
            "STRING",
            None,
            "LOW",
            "Which listener others use: http or https.",
            validator=one_of("http", "https"),
        ),
        ConfigKey(
            "access.control.allow.origin",
            "STRING",
            "",
            "LOW",
            "Regular expressions of the origins that browsers may call from, comma separated, "
            "matched as a whole and in any case; * is any, empty is none.",
            validator=are_origins,
        ),
        ConfigKey(
            "access.control.allow.methods",
            "STRING",
            "",
            "LOW",
            "Methods allowed to such origins; empty means GET, POST and HEAD.",
        ),
        ConfigKey(
            "response.http.headers.config",
            "STRING",
            "",
            "LOW",
            "Headers of every response: '[add|set|addDate|setDate] name: value', comma separated.",
        ),
        ConfigKey(
            "connector.client.config.override.policy",
            "STRING",
            "All",
            "LOW",
            "Which producer.override.*, consumer.override.* and admin.override.* keys connectors "
            "may set: All, None, Principal or Allowlist.",
        ),
        ConfigKey(
            "connector.client.config.override.allowlist",
            "LIST",
            [],
            "LOW",
            "Client keys that the Allowlist policy admits.",
        ),
        ConfigKey(
            "topic.creation.enable",
            "BOOLEAN",
            True,
            "LOW",
            "Whether topics of records are created when they do not exist.",
        ),
        ConfigKey(
            "topic.tracking.enable",
            "BOOLEAN",
            True,
            "LOW",
            "Whether the topics a connector writes to are remembered.",
        ),
        ConfigKey(
            "topic.tracking.allow.reset",
            "BOOLEAN",
            True,
            "LOW",
            "Whether the remembered topics may be reset.",
        ),
        ConfigKey(
            "exactly.once.source.support",
            "STRING",
            "disabled",
            "HIGH",
            "Exactly-once delivery of source records; only disabled is available here.",
        ),
        ConfigKey("config.providers", "LIST", [], "LOW", "Names of the config providers."),
        ConfigKey(
            "internal.topics.automatic.creation.enable",
            "BOOLEAN",
            True,
            "LOW",
            "Whether the three storage topics are created when they do not exist.",
        ),
    ]
)

# Keys of Java or of a cluster with several workers: worker files contain them, and they have no
# effect on one process without a plugin path or rebalancing.
_JAVA: Final = """plugin.path plugin.discovery connect.protocol scheduled.rebalance.max.delay.ms
    worker.sync.timeout.ms worker.unsync.backoff.ms session.timeout.ms heartbeat.interval.ms
    rebalance.timeout.ms inter.worker.key.generation.algorithm inter.worker.key.size
    inter.worker.key.ttl.ms inter.worker.signature.algorithm inter.worker.verification.algorithms
    metrics.sample.window.ms metrics.num.samples metrics.recording.level metric.reporters
    rest.extension.classes internal.key.converter internal.value.converter"""
_WITHOUT_MEANING: Final = frozenset(_JAVA.split())
# Ignoring these silently would remove safety that the file configures.
_REFUSED: Final = {
    "rest.extension.classes": "REST extensions are Java classes and cannot be loaded here; "
    "protect the REST API by a proxy or by ssl.client.auth=required, and remove the key.",
    "exactly.once.source.support": "exactly-once delivery is not available here; "
    "set it to disabled or remove it.",
}
_PREFIXES: Final = (
    *("key.converter.", "value.converter.", "header.converter.", "config.providers."),
    *("producer.", "consumer.", "admin.", "listeners.https.", "metrics.context."),
    *(f"{store}.storage." for store in STORES),
)


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """A checked worker file. ``properties`` has its references resolved and holds secrets."""

    properties: Mapping[str, str]
    values: Mapping[str, Any]
    listeners: tuple[Listener, ...]
    admin_listeners: tuple[Listener, ...] | None

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def seconds(self, key: str) -> float:
        """Return the value of a key in milliseconds as seconds."""
        return float(self.values[key]) / 1000

    @property
    def standalone(self) -> bool:
        """Whether state is kept in files."""
        return self.values["offset.storage.file.filename"] is not None

    def under(self, prefix: str) -> dict[str, str]:
        """Return the properties below a prefix, the prefix removed."""
        return settings_below(self.properties, prefix)


def parse_worker_config(properties: Mapping[str, str]) -> WorkerConfig:
    """Check a worker file whose references are resolved.

    :raises ConfigError: naming the key, its value and the remedy.
    """
    values = WORKER.parse(properties)
    for key, remedy in _REFUSED.items():
        if properties.get(key, "").strip() not in ("", "disabled"):
            raise ConfigError(f"Invalid value {properties[key]} for configuration {key}: {remedy}")
    if not properties.get("bootstrap.servers", "").strip():
        raise ConfigError(
            'Missing required configuration "bootstrap.servers" which has no default value: '
            "set it to the Kafka brokers, as host:port."
        )
    _check_storage(values)
    listeners = parse_listeners("listeners", properties.get("listeners", "http://:8083"))
    if not listeners:
        raise ConfigError("Invalid value  for configuration listeners: give at least one address.")
    admin = properties.get("admin.listeners")
    admin_listeners = None if admin is None else parse_listeners("admin.listeners", admin)
    return WorkerConfig(properties, values, listeners, admin_listeners)


def _check_storage(values: Mapping[str, Any]) -> None:
    distributed = ("group.id", *(f"{store}.storage.topic" for store in STORES))
    missing = [key for key in distributed if not values[key]]
    if values["offset.storage.file.filename"] is None and missing:
        raise ConfigError(
            f'Missing required configuration "{missing[0]}" which has no default value: set '
            "offset.storage.file.filename to keep state in files, or group.id, "
            "config.storage.topic, offset.storage.topic and status.storage.topic to keep it in "
            "Kafka."
        )
    topics = [values[f"{store}.storage.topic"] for store in STORES]
    if values["offset.storage.file.filename"] is None and len(set(topics)) < len(topics):
        raise ConfigError(
            f"Invalid value {topics[0]} for configuration config.storage.topic: the three "
            "storage topics must be different."
        )


def unknown_keys(properties: Mapping[str, str]) -> list[str]:
    """Return the keys of a worker file that have no meaning, neither here nor in Connect."""
    return [
        key
        for key in properties
        if key not in WORKER
        and key not in _WITHOUT_MEANING
        and key not in KNOWN_CLIENT_KEYS
        and not key.startswith(_PREFIXES)
    ]
