"""The tasks that run on this worker, for requests about their snapshots and signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from connector.errors import ConflictError
from connector.plugin import SnapshotTask
from connector.worker.instances import ConnectorInstances

_NO_SIGNALS: Final = "The task of {} does not run here, or signal.enabled.channels lacks rest."


class RunningTasks:
    """Hands requests to tasks without waiting for the commands that change them."""

    def __init__(self, instances: ConnectorInstances) -> None:
        self._instances = instances

    def snapshots(self, name: str) -> Sequence[Mapping[str, object]]:
        """Return how far the snapshots of a connector's tasks have come."""
        task = self._task(name)
        reports = [] if task is None else task.snapshot_reports()
        return [{"task": 0, **report} for report in reports]

    def signals(self, name: str) -> Sequence[Mapping[str, object]]:
        """Return the last signals that a connector got through the REST API."""
        task = self._task(name)
        return [] if task is None else task.signals()

    def add_signal(
        self, name: str, identity: str, type_: str, data: Mapping[str, Any]
    ) -> Mapping[str, object]:
        """Hand a signal to the task of a connector; return it as `signals` does.

        :raises ConflictError: its task does not run here, or takes no signals of the REST API.
        """
        task = self._task(name)
        added = None if task is None else task.add_signal(identity, type_, data)
        if added is None:
            raise ConflictError(_NO_SIGNALS.format(name))
        return added

    def _task(self, name: str) -> SnapshotTask | None:
        task = self._instances.running_task(name)
        return task if isinstance(task, SnapshotTask) else None
