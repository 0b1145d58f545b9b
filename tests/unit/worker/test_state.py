"""The tables of states."""

from __future__ import annotations

from itertools import product

from connector.worker.restart import RestartPlan, plan_restart
from connector.worker.state import ACTIONS, STATE_OF_TARGET, State, TargetState
from connector.worker.status_store import Status


def test_the_tables_are_complete() -> None:
    assert set(ACTIONS) == set(product(TargetState, TargetState))
    assert set(STATE_OF_TARGET) == set(TargetState)


def test_the_same_target_state_again_changes_nothing() -> None:
    assert [ACTIONS[state, state] for state in (TargetState.STARTED, TargetState.PAUSED)] == [
        (),
        (),
    ]


def test_a_restart_reaches_what_was_requested() -> None:
    failed, running = Status(State.FAILED, "w"), Status(State.RUNNING, "w")

    def plan(connector: Status, task: Status, tasks: bool, failures: bool) -> RestartPlan:
        return plan_restart(connector, {0: task}, include_tasks=tasks, only_failed=failures)

    assert plan(running, running, True, False) == RestartPlan(True, (0,))
    assert plan(running, failed, True, True) == RestartPlan(False, (0,))
    assert plan(failed, running, True, True) == RestartPlan(True, ())
    assert plan(failed, failed, False, True) == RestartPlan(True, ())
    assert plan(running, running, False, True) == RestartPlan(False, ())
