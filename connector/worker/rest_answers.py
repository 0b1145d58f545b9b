"""The answers of the REST API about connectors, from memory and without waiting."""

from __future__ import annotations

from collections.abc import Mapping

from connector.errors import ConfigError, NotFoundError
from connector.plugin import Plugins
from connector.worker.config_store import ConfigStore, StoredConnector
from connector.worker.rest_entities import (
    ConnectorInfo,
    ConnectorState,
    ConnectorStateInfo,
    TaskId,
    TaskInfo,
    TaskState,
)
from connector.worker.status_store import Status, StatusStore


class RestAnswers:
    """Answers the REST API's requests for the state of connectors."""

    def __init__(self, configs: ConfigStore, statuses: StatusStore, plugins: Plugins) -> None:
        self._configs = configs
        self._statuses = statuses
        self._plugins = plugins

    def names(self) -> list[str]:
        """Return the names of all connectors, sorted."""
        return self._configs.names()

    def info(self, name: str) -> ConnectorInfo:
        """Return a connector; raises NotFoundError."""
        stored = self.stored(name)
        tasks = [TaskId(name, number) for number in range(len(stored.tasks))]
        return ConnectorInfo(name, stored.config, tasks, self._type(stored))

    def config(self, name: str) -> Mapping[str, str | None]:
        """Return a configuration as the user wrote it; raises NotFoundError."""
        return self.stored(name).config

    def tasks(self, name: str) -> list[TaskInfo]:
        """Return the tasks with their configurations; raises NotFoundError."""
        tasks = self.stored(name).tasks
        return [TaskInfo(TaskId(name, number), config) for number, config in enumerate(tasks)]

    def status(self, name: str) -> ConnectorStateInfo:
        """Return the status of a connector and its tasks; raises NotFoundError."""
        status = self._statuses.connector(name)
        stored = self._configs.get(name)
        if status is None or stored is None:
            raise NotFoundError(f"No status found for connector {name}")
        tasks = [_task_state(task, found) for task, found in self._statuses.tasks(name).items()]
        return ConnectorStateInfo(
            name,
            ConnectorState(status.state, status.worker_id, status.trace, status.version),
            tasks,
            self._type(stored),
        )

    def task_status(self, name: str, task: int) -> TaskState:
        """Return the status of one task; raises NotFoundError."""
        status = self._statuses.tasks(name).get(task)
        if status is None:
            raise NotFoundError(f"No status found for task {name}-{task}")
        return _task_state(task, status)

    def faults(self) -> list[str]:
        """Return why tasks wait or have failed, in one line each."""
        return [
            f"Task {name}-{number}: {status.trace.splitlines()[0]}"
            for name in self.names()
            for number, status in self._statuses.tasks(name).items()
            if status.trace
        ]

    def topics(self, name: str) -> list[str]:
        """Return the topics a connector has written to; none for an unknown connector."""
        return self._statuses.topics(name)

    def stored(self, name: str) -> StoredConnector:
        """Return a connector as it is stored; raises NotFoundError."""
        stored = self._configs.get(name)
        if stored is None:
            raise NotFoundError(f"Connector {name} not found")
        return stored

    def _type(self, stored: StoredConnector) -> str:
        try:
            return self._plugins.info(stored.config.get("connector.class") or "", "source").kind
        except (NotFoundError, ConfigError):
            return "unknown"


def _task_state(task: int, status: Status) -> TaskState:
    return TaskState(task, status.state, status.worker_id, status.trace, status.version)
