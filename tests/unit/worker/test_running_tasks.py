"""Signals and progress of snapshots reach the task that runs, whatever its connector does."""

from __future__ import annotations

import time

import pytest

from connector.errors import ConflictError
from connector.worker.herder import Herder
from connector.worker.requests import run_in_background
from connector.worker.state import TargetState
from tests.fixtures.idle_connector import CLASS
from tests.fixtures.worker import wait_for

IDLE: dict[str, str | None] = {"connector.class": CLASS}
REFUSED = r"^The task of c does not run here, or signal.enabled.channels lacks rest.$"


def add(herder: Herder) -> None:
    herder.tasks.add_signal("c", "1", "log", {"message": "m"})


def assert_refused(herder: Herder) -> None:
    with pytest.raises(ConflictError, match=REFUSED):
        add(herder)
    assert herder.tasks.signals("c") == herder.tasks.snapshots("c") == []


def test_a_task_gets_its_signals_also_while_it_is_paused(herder: Herder) -> None:
    herder.create("c", IDLE)
    assert herder.tasks.snapshots("c") == []
    assert herder.tasks.signals("c") == []
    add(herder)
    herder.set_target("c", TargetState.PAUSED)
    add(herder)
    assert len(herder.tasks.signals("c")) == 2
    assert herder.tasks.snapshots("c") == [{"task": 0, "rows": 2}]


@pytest.mark.parametrize("fault", ["fails", "takes no signals"])
def test_a_task_that_takes_none_refuses_them(herder: Herder, fault: str) -> None:
    herder.create("c", {**IDLE, "fault": fault})
    with pytest.raises(ConflictError, match=REFUSED):
        add(herder)


def test_nothing_runs_before_the_start_and_after_the_stop(herder: Herder) -> None:
    assert_refused(herder)
    herder.create("c", IDLE, TargetState.STOPPED)
    assert_refused(herder)
    herder.set_target("c", TargetState.STARTED)
    add(herder)
    herder.set_target("c", TargetState.STOPPED)
    assert_refused(herder)
    herder.delete("c")
    assert_refused(herder)


def test_a_restart_starts_without_signals(herder: Herder) -> None:
    herder.create("c", IDLE)
    add(herder)
    herder.restart_task("c", 0)
    assert herder.tasks.signals("c") == []
    add(herder)


def test_no_request_waits_for_a_command_in_progress(herder: Herder) -> None:
    herder.create("c", {**IDLE, "fault": "stop hangs"})
    add(herder)
    run_in_background("delete", lambda: herder.delete("c"))
    wait_for(lambda: not herder.tasks.signals("c"), 5, "the stop to begin")
    begun = time.monotonic()
    with pytest.raises(ConflictError):
        add(herder)
    assert time.monotonic() - begun < 0.1
