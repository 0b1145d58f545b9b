"""The checked configuration of a worker: its file, as Kafka Connect's worker takes it.

The worker stores its state in files with ``offset.storage.file.filename`` (standalone), and in
Kafka with ``group.id`` and the three ``*.storage.topic`` keys (distributed).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from connector.config import settings_below
from connector.errors import ConfigError
from connector.kafka.config import KNOWN_CLIENT_KEYS, client_settings
from connector.kafka.keys import ClientKind
from connector.worker.listeners import Listener, parse_listeners
from connector.worker.worker_keys import STORES, WORKER

# Keys of Java or of a cluster with several workers: worker files contain them, and they have no
# effect on one process without a plugin path or rebalancing.
_JAVA: Final = """plugin.path plugin.discovery connect.protocol scheduled.rebalance.max.delay.ms
    worker.sync.timeout.ms worker.unsync.backoff.ms session.timeout.ms heartbeat.interval.ms
    rebalance.timeout.ms inter.worker.key.generation.algorithm inter.worker.key.size
    inter.worker.key.ttl.ms inter.worker.signature.algorithm inter.worker.verification.algorithms
    metrics.sample.window.ms metrics.num.samples metrics.recording.level metric.reporters
    rest.extension.classes internal.key.converter internal.value.converter"""
_WITHOUT_MEANING: Final = frozenset(_JAVA.split())
ADMIN_LISTENERS: Final = "admin.listeners"
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

    def client_settings(self, kind: ClientKind) -> dict[str, str]:
        """Return the Java settings of the connectors' clients of one kind, without overrides.

        Admin clients also take the top level of the file, as in Connect (Worker.adminConfigs).
        """
        settings = {
            name: text
            for name, text in self.under(f"{kind}.").items()
            # admin.listeners has the prefix of the admin client and is none of its settings
            if not f"{kind}.{name}".startswith(ADMIN_LISTENERS)
        }
        if kind == "admin":
            return {**client_settings(self.properties, kind), **settings}
        return {"bootstrap.servers": self.properties["bootstrap.servers"], **settings}


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
    admin = properties.get(ADMIN_LISTENERS)
    admin_listeners = None if admin is None else parse_listeners(ADMIN_LISTENERS, admin)
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
