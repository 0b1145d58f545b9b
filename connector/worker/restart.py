"""Decides which parts of a connector a restart request restarts (KIP-745), and starts them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from connector.worker.instance import ConnectorInstance, StartError
from connector.worker.rest_entities import ConnectorStateInfo
from connector.worker.state import State
from connector.worker.status_store import Status


@dataclass(frozen=True, slots=True)
class RestartPlan:
    """Whether the connector itself restarts, and which of its tasks."""

    connector: bool
    tasks: tuple[int, ...]


def plan_restart(
    connector: Status, tasks: Mapping[int, Status], *, include_tasks: bool, only_failed: bool
) -> RestartPlan:
    """Choose what to restart: all or only what failed, with or without the tasks."""
    return RestartPlan(
        _is_selected(connector, only_failed=only_failed),
        tuple(
            task
            for task, status in tasks.items()
            if include_tasks and _is_selected(status, only_failed=only_failed)
        ),
    )


def show_plan(status: ConnectorStateInfo, plan: RestartPlan) -> ConnectorStateInfo:
    """Return a status whose planned parts are RESTARTING; what failed before keeps its trace."""
    connector, tasks = status.connector, status.tasks
    if plan.connector:
        connector = replace(connector, state=State.RESTARTING)
    tasks = [
        replace(task, state=State.RESTARTING) if task.id in plan.tasks else task for task in tasks
    ]
    return replace(status, connector=connector, tasks=tasks)


def start_planned(instance: ConnectorInstance, plan: RestartPlan) -> None:
    """Start what a plan names; without a task, the connector adds one as at its first start.

    :raises StartError: the connector or the task of the plan cannot start.
    """
    try:
        if plan.connector:
            instance.start_connector()
    finally:
        if plan.tasks:
            instance.start_task()
    if instance.idle:
        with suppress(StartError):
            instance.start_task()


def _is_selected(status: Status, *, only_failed: bool) -> bool:
    return not only_failed or status.state is State.FAILED
