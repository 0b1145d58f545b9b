"""From the ``schema.history.internal…`` keys to the history they name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from connector.capture.history.file import FileHistory
from connector.capture.history.kafka import KafkaHistory
from connector.capture.history.memory import MemoryHistory
from connector.capture.history.snapshot import SnapshotFile
from connector.capture.history.store import HistoryStore
from connector.config import settings_below
from connector.errors import ConfigError
from connector.fence import Fence
from connector.kafka.config import client_config
from connector.kafka.keys import ClientKind
from connector.kafka.ordered_topic import OrderedTopic
from connector.kafka.topics import Topics
from connector.version import VERSION

_PREFIX: Final = "schema.history.internal."
_SERVERS, _TOPIC = f"{_PREFIX}kafka.bootstrap.servers", f"{_PREFIX}kafka.topic"
_FILE: Final = f"{_PREFIX}file.filename"
_SNAPSHOT: Final = "millrace.schema.history.snapshot.file"
_CLIENTS: Final[tuple[ClientKind, ...]] = ("producer", "consumer")
_DECIDES: Final = re.compile(
    r"(?!schema\.history\.internal\.(?:consumer|producer)\.)"
    r"(?:connector\.class|topic\.prefix|compat\.mode|include\.schema\.|gtid\.source\.|"
    r"schema\.history\.internal|(?:database|table)\.(?:include|exclude|ignore))"
)


def history_store(
    values: Mapping[str, Any], config: Mapping[str, str], fence: Fence
) -> HistoryStore:
    """Build the history of a connector; nothing is connected yet.

    :param values: the parsed keys of the connector.
    :param config: its whole configuration, for the pass-through settings of the Kafka clients.
    :param fence: nothing is written once it is closed.
    :raises ConfigError: what the chosen history needs is not set.
    """
    return STORES[values["schema.history.internal"]](values, config, fence)


def snapshot_file(values: Mapping[str, Any], config: Mapping[str, str]) -> SnapshotFile | None:
    """Build the file of history snapshots, None if it is not configured.

    A snapshot depends on the keys that affect the recovered tables, on those that locate the
    history, and on the version of the product.
    """
    path = values[_SNAPSHOT]
    if not path:
        return None
    basis = {key: config[key] for key in sorted(config) if _DECIDES.match(key)}
    return SnapshotFile(Path(path), {"config": basis, "product": VERSION})


def client_faults(config: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with the settings of the history's Kafka clients, by key.

    Nothing is opened.
    """
    found = {}
    for kind in _CLIENTS:
        prefix = f"{_PREFIX}{kind}."
        own = settings_below(config, prefix)
        try:
            client_config(own, kind)
        except ConfigError as error:
            named = next((name for name in own if name in str(error)), next(iter(own)))
            found[prefix + named] = str(error)
    return found


def _kafka(values: Mapping[str, Any], config: Mapping[str, str], fence: Fence) -> HistoryStore:
    topic, servers = _needed(values, _TOPIC), _needed(values, _SERVERS)
    kafka = f"{_PREFIX}kafka."
    silence = values[f"{kafka}recovery.poll.interval.ms"] * values[f"{kafka}recovery.attempts"]
    common = {"bootstrap.servers": servers, "client.id": f"{values['topic.prefix']}-schemahistory"}
    consumer = {**common, **settings_below(config, f"{_PREFIX}consumer.")}
    producer = {**common, **settings_below(config, f"{_PREFIX}producer.")}
    return KafkaHistory(
        topic,
        OrderedTopic(
            topic,
            client_config(consumer, "consumer"),
            client_config(producer, "producer"),
            silence=silence / 1000,
            fence=fence,
        ),
        Topics(client_config(producer, "admin"), fence),
    )


def _file(values: Mapping[str, Any], _: Mapping[str, str], fence: Fence) -> HistoryStore:
    return FileHistory(Path(_needed(values, _FILE)), fence)


def _memory(_: Mapping[str, Any], __: Mapping[str, str], ___: Fence) -> HistoryStore:
    return MemoryHistory()


BuildHistoryStore = Callable[[Mapping[str, Any], Mapping[str, str], Fence], HistoryStore]
STORES: Final[dict[str, BuildHistoryStore]] = {
    "io.debezium.storage.kafka.history.KafkaSchemaHistory": _kafka,
    "io.debezium.storage.file.history.FileSchemaHistory": _file,
    "io.debezium.relational.history.MemorySchemaHistory": _memory,
}


def _needed(values: Mapping[str, Any], key: str) -> str:
    value = values[key]
    if not value:
        raise ConfigError(f'Missing required configuration "{key}" of the schema history')
    return str(value)
