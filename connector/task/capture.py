"""The capture that a database connector builds for one run of a task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from connector.capture.engine import EngineOptions
from connector.capture.signals.processor import Signals
from connector.capture.source import Source
from connector.capture.tables import TableId
from connector.data.schema import Schema
from connector.plugin import TaskContext
from connector.task.pipeline import EventEncoder


class HeartbeatHook(Protocol):
    """Runs with every heartbeat, such as a statement in the database."""

    def run(self) -> None:
        """Run the action.

        :raises StopError: it can never succeed.
        """

    def close(self) -> None:
        """Release its connection."""


@dataclass(frozen=True, slots=True)
class Capture:
    """What a database connector builds from its configuration, for one run.

    ``database`` is the database's name in events and metrics, ``server`` the topic prefix.
    ``coordinates`` are the fields of the source block that say where an event stands.
    """

    source: Source[Any]  # a task does not read positions
    engine: EngineOptions
    encoder: EventEncoder
    database: str
    server: str
    source_schema: Schema
    coordinates: tuple[str, ...]
    captures: Callable[[TableId], bool]
    heartbeat_interval: float
    partition: Mapping[str, str]
    heartbeat_action: HeartbeatHook | None = None
    signals: Signals | None = None
    metric_tags: Mapping[str, str] = field(default_factory=dict)


class OpenCapture(Protocol):
    """Builds a capture; nothing is connected yet."""

    def __call__(self, config: Mapping[str, str], context: TaskContext, run: str) -> Capture:
        """Read the configuration.

        :raises ConfigError: a value cannot be used.
        """
        ...
