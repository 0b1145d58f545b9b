"""Connectors and the states that a herder reports of them."""

from __future__ import annotations

from connector.worker.herder import Herder
from connector.worker.state import TargetState
from tests.fixtures.idle_connector import CLASS

STARTED, PAUSED, STOPPED = TargetState.STARTED, TargetState.PAUSED, TargetState.STOPPED
IDLE: dict[str, str | None] = {"connector.class": CLASS}


def states(herder: Herder, name: str = "c") -> tuple[str, list[str]]:
    status = herder.answers.status(name)
    return status.connector.state, [task.state for task in status.tasks]
