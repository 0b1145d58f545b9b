"""Decides which parts of a connector a restart request restarts (KIP-745), and starts them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from connector.worker.instance import ConnectorInstance, StartError
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
