"""What a capture is made of, and what the owner of a run wants of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from connector.capture.engine import EngineOptions
from connector.capture.source import Source
from connector.capture.tables import TableId
from connector.debezium.events import EventOptions
from connector.plugin import TaskContext
from connector.task.health import TaskHealth
from connector.task.metrics import Figures


class Action(Protocol):
    """What is done with every heartbeat besides writing it."""

    def run(self) -> None:
        """Do it.

        :raises StopError: it can never be done.
        """

    def close(self) -> None:
        """Release what it holds."""


@dataclass(frozen=True, slots=True)
class Capture:
    """What a database connector makes of its configuration, for one task."""

    source: Source
    engine: EngineOptions
    events: EventOptions
    captures: Callable[[TableId], bool]
    heartbeat_interval: float
    partition: Mapping[str, str]
    heartbeat_action: Action | None = None
    metric_tags: Mapping[str, str] = field(default_factory=dict)


class OpenCapture(Protocol):
    """Builds a capture; nothing is connected yet."""

    def __call__(self, config: Mapping[str, str], context: TaskContext, run: str) -> Capture:
        """Read the configuration.

        :raises ConfigError: a value cannot be used.
        """
        ...


class Wishes(Protocol):
    """What the owner of a run wants of it, at any time."""

    figures: Figures
    health: TaskHealth
    batch_bytes: int | None

    @property
    def stopping(self) -> bool:
        """Whether the run is to end."""

    @property
    def seconds_left(self) -> float:
        """How long a stop may still take."""

    @property
    def paused(self) -> bool:
        """Whether the run is not to read for now."""

    @property
    def abandoned(self) -> bool:
        """Whether nobody waits for the run any more: nothing may be stored."""
