"""Connector configurations and target states, stored in Connect's records (KIP-26 and later).

=========================== ===================================================
key                         value
=========================== ===================================================
``connector-<name>``        ``{"properties":{…}}`` as the user wrote it
``task-<name>-<id>``        ``{"properties":{…}}``
``commit-<name>``           ``{"tasks":<how many of them count>}``
``target-state-<name>``     ``{"state":…,"state.v2":…}``; the first knows no STOPPED
=========================== ===================================================

Other keys (session keys, restart requests …) belong to Connect clusters and stay as they are.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from connector.plugin import Partition
from connector.worker.state import TargetState
from connector.worker.storage import Log, LogEntry, parse_json

_log = logging.getLogger(__name__)

Config = dict[str, str | None]
_CONNECTOR: Final = "connector-"
_TARGET: Final = "target-state-"
_TASK: Final = "task-"
_COMMIT: Final = "commit-"
_EXPECTED: Final = "millrace-offset-of-"  # Connect skips records of this name


@dataclass(slots=True)
class StoredConnector:
    """The stored state of one connector."""

    config: Config
    target: TargetState = TargetState.STARTED
    tasks: list[Config] = field(default_factory=list)


class ConfigStore:
    """The connectors by name. Reads answer from memory, writes return when they are durable.

    Writes of one connector never overlap: the herder sees to that.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._stored: dict[str, StoredConnector] = {}
        self._expected: dict[str, Partition] = {}
        self._lock = threading.Lock()

    def open(self) -> None:
        """Read the log; raises as `Log.read` does."""
        documents = {key.decode(errors="replace"): value for key, value in self._log.read().items()}
        for key in documents:
            if key.startswith(_EXPECTED):
                self._expected[key.removeprefix(_EXPECTED)] = _document(documents, key)
            if key.startswith(_CONNECTOR):
                name = key.removeprefix(_CONNECTOR)
                config = _properties(documents, key)
                if config is not None:
                    target = _target(_document(documents, _TARGET + name))
                    self._stored[name] = StoredConnector(config, target, _tasks(documents, name))

    def names(self) -> list[str]:
        """Return the names of all connectors, sorted."""
        with self._lock:
            return sorted(self._stored)

    def get(self, name: str) -> StoredConnector | None:
        """Return a connector as it is stored; must not be changed."""
        with self._lock:
            return self._stored.get(name)

    def put(self, name: str, config: Mapping[str, str | None], target: TargetState | None) -> None:
        """Store a configuration; with a target for a new connector, written before it."""
        entries = [_entry(_CONNECTOR + name, {"properties": config})]
        if target is not None:
            entries.insert(0, _entry(_TARGET + name, _states(target)))
        self._log.write(entries)
        with self._lock:
            old = self._stored.get(name) or StoredConnector({})
            self._stored[name] = StoredConnector(dict(config), target or old.target, old.tasks)

    def put_target(self, name: str, target: TargetState) -> None:
        """Store the target state of a connector."""
        self._log.write([_entry(_TARGET + name, _states(target))])
        self._change(name, target=target)

    def put_tasks(self, name: str, tasks: Sequence[Mapping[str, str | None]]) -> None:
        """Store the configurations of a connector's tasks; none for a stopped connector."""
        entries = [
            _entry(f"{_TASK}{name}-{number}", {"properties": config})
            for number, config in enumerate(tasks)
        ]
        self._log.write([*entries, _entry(_COMMIT + name, {"tasks": len(tasks)})])
        self._change(name, tasks=[dict(config) for config in tasks])

    def remove(self, name: str) -> None:
        """Remove a connector and its target state, as Connect does; task records stay."""
        entries = [_entry(_CONNECTOR + name, None), _entry(_TARGET + name, None)]
        if self.expected_partition(name) is not None:
            entries.append(_entry(_EXPECTED + name, None))
        self._log.write(entries)
        with self._lock:
            self._stored.pop(name, None)
            self._expected.pop(name, None)

    def expected_partition(self, connector: str) -> Partition | None:
        """Return the partition for which a connector has stored an offset."""
        with self._lock:
            return self._expected.get(connector)

    def put_expected_partition(self, connector: str, partition: Partition | None) -> None:
        """Store for which partition a connector has stored an offset, or remove it."""
        if partition == self.expected_partition(connector):
            return
        self._log.write([_entry(_EXPECTED + connector, partition)])
        with self._lock:
            self._expected.pop(connector, None)
            if partition is not None:
                self._expected[connector] = dict(partition)

    def _change(
        self, name: str, *, target: TargetState | None = None, tasks: list[Config] | None = None
    ) -> None:
        with self._lock:
            old = self._stored[name]
            self._stored[name] = StoredConnector(
                old.config, target or old.target, old.tasks if tasks is None else tasks
            )


def _states(target: TargetState) -> dict[str, str]:
    old = TargetState.PAUSED if target is TargetState.STOPPED else target
    return {"state": old.value, "state.v2": target.value}


def _entry(key: str, document: Mapping[str, Any] | None) -> LogEntry:
    if document is None:
        return key.encode(), None
    return key.encode(), json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def _document(documents: Mapping[str, bytes], key: str) -> dict[str, Any]:
    """Return a JSON object, empty when it is missing; a broken one is left out with a warning."""
    try:
        document = parse_json(documents.get(key, b"{}"))
    except ValueError:
        document = None
    if isinstance(document, dict):
        return document
    _log.warning("Ignoring the record %s among the configurations: it is no JSON object.", key)
    return {}


def _properties(documents: Mapping[str, bytes], key: str) -> Config | None:
    properties = _document(documents, key).get("properties")
    if not isinstance(properties, dict):
        return None
    return {name: _text(value) for name, value in properties.items()}


def _text(value: Any) -> str | None:
    """Return a value as text: entries written by hand may hold numbers."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _target(document: Mapping[str, Any]) -> TargetState:
    text = document.get("state.v2") or document.get("state") or "STARTED"
    is_known = isinstance(text, str) and text in TargetState.__members__
    return TargetState(text) if is_known else TargetState.STARTED


def _tasks(documents: Mapping[str, bytes], name: str) -> list[Config]:
    count = _document(documents, _COMMIT + name).get("tasks")
    numbers = range(count if type(count) is int else 0)
    found = (_properties(documents, f"{_TASK}{name}-{number}") for number in numbers)
    return [config for config in found if config is not None]
