"""Statuses and active topics of connectors, stored in Connect's records.

======================================== =================================================
key                                      value
======================================== =================================================
``status-connector-<name>``              ``{"state","trace","worker_id","generation","version"}``
``status-task-<name>-<id>``              the same
``status-topic-<topic>:connector-<name>``  ``{"topic":{"name","connector","task",…}}`` (KIP-558)
======================================== =================================================

A status describes the present; losing one in a crash does no harm, so writes are not awaited.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from connector.worker.state import State
from connector.worker.storage import Log, parse_json

_log = logging.getLogger(__name__)

_CONNECTOR: Final = "status-connector-"
_TASK: Final = "status-task-"
_TASK_KEY: Final = re.compile(r"status-task-(.+)-(\d+)", re.DOTALL)
_TOPIC_KEY: Final = re.compile(r"status-topic-(.+?):connector-(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Status:
    """The status of one connector or task. ``trace`` describes a failure."""

    state: State
    worker_id: str
    trace: str | None = None
    version: str | None = None


class StatusStore:
    """Statuses and active topics by connector; ``now`` gives milliseconds since 1970."""

    def __init__(self, log: Log, now: Callable[[], int]) -> None:
        self._log = log
        self._now = now
        self._connectors: dict[str, Status] = {}
        self._tasks: dict[str, dict[int, Status]] = {}
        self._topics: dict[str, dict[str, None]] = {}
        self._lock = threading.Lock()

    def open(self) -> None:
        """Read the log; raises as `Log.read` does."""
        for raw, value in self._log.read().items():
            key = raw.decode(errors="replace")
            if topic := _TOPIC_KEY.fullmatch(key):
                self._topics.setdefault(topic[2], {})[topic[1]] = None
            elif (status := _status(value)) is None:
                _log.warning("Ignoring the record %s among the statuses: unreadable.", key)
            elif task := _TASK_KEY.fullmatch(key):
                self._tasks.setdefault(task[1], {})[int(task[2])] = status
            elif key.startswith(_CONNECTOR):
                self._connectors[key.removeprefix(_CONNECTOR)] = status

    def connector(self, name: str) -> Status | None:
        """Return the status of a connector."""
        with self._lock:
            return self._connectors.get(name)

    def tasks(self, name: str) -> dict[int, Status]:
        """Return the statuses of a connector's tasks by id, in order."""
        with self._lock:
            return dict(sorted(self._tasks.get(name, {}).items()))

    def topics(self, name: str) -> list[str]:
        """Return the topics a connector has written to since it was created or reset."""
        with self._lock:
            return list(self._topics.get(name, {}))

    def put_connector(self, name: str, status: Status) -> None:
        """Replace the status of a connector."""
        with self._lock:
            self._connectors[name] = status
            self._post(_CONNECTOR + name, _record(status))

    def put_task(self, name: str, task: int, status: Status) -> None:
        """Replace the status of a task."""
        with self._lock:
            self._tasks.setdefault(name, {})[task] = status
            self._post(f"{_TASK}{name}-{task}", _record(status))

    def remove_tasks(self, name: str) -> None:
        """Remove the statuses of all tasks of a connector."""
        with self._lock:
            for task in self._tasks.pop(name, {}):
                self._post(f"{_TASK}{name}-{task}", None)

    def add_topics(self, name: str, task: int, topics: Iterable[str]) -> None:
        """Add topics that a task has written to."""
        with self._lock:
            known = self._topics.setdefault(name, {})
            for topic in topics:
                if topic not in known:
                    known[topic] = None
                    self._post(_topic_key(topic, name), self._topic_record(topic, name, task))

    def reset_topics(self, name: str) -> None:
        """Remove the active topics of a connector."""
        with self._lock:
            for topic in self._topics.pop(name, {}):
                self._post(_topic_key(topic, name), None)

    def remove(self, name: str) -> None:
        """Remove the statuses and active topics of a connector."""
        self.remove_tasks(name)
        self.reset_topics(name)
        with self._lock:
            if self._connectors.pop(name, None) is not None:
                self._post(_CONNECTOR + name, None)

    def _topic_record(self, topic: str, name: str, task: int) -> dict[str, Any]:
        found = {"name": topic, "connector": name, "task": task, "discoverTimestamp": self._now()}
        return {"topic": found}

    def _post(self, key: str, document: dict[str, Any] | None) -> None:
        value = None if document is None else _json(document)
        self._log.post((key.encode(), value))


def _topic_key(topic: str, name: str) -> str:
    return f"status-topic-{topic}:connector-{name}"


def _json(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def _record(status: Status) -> dict[str, Any]:
    return {
        "state": status.state.value,
        "trace": status.trace,
        "worker_id": status.worker_id,
        "generation": 0,  # counts a cluster's rebalances; there are none here
        "version": status.version,
    }


def _status(value: bytes) -> Status | None:
    try:
        document = parse_json(value)
        state = State(document["state"])
        texts = document["worker_id"], document.get("trace"), document.get("version")
    except (ValueError, KeyError, TypeError):
        return None
    worker_id, trace, version = texts
    if not isinstance(worker_id, str) or not all(isinstance(text, str | None) for text in texts):
        return None
    return Status(state, worker_id, trace, version)
