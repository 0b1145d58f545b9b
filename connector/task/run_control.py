"""How a task controls its run."""

from __future__ import annotations

from typing import Protocol

from connector.capture.signals.rest_channel import RestChannel
from connector.task.health import TaskHealth
from connector.task.metrics import TaskMetrics


class RunControl(Protocol):
    """What a run reads of its task, at any time."""

    metrics: TaskMetrics
    health: TaskHealth
    batch_bytes: int | None

    def use_channel(self, channel: RestChannel | None) -> None:
        """Note the channel on which this run takes the signals of the REST API."""

    @property
    def stopping(self) -> bool:
        """Whether the run has to stop."""

    @property
    def seconds_left(self) -> float:
        """How long a stop may still take."""

    @property
    def paused(self) -> bool:
        """Whether the run must not read for now."""

    @property
    def abandoned(self) -> bool:
        """Whether the worker no longer waits for the run, which must not store anything."""
