"""Restarts, hanging connectors, races, and the end of a worker."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial

import pytest

from connector.errors import AlreadyExistsError, NotFoundError
from connector.plugin_table import PluginTable
from connector.worker.config_store import ConfigStore
from connector.worker.herder import Herder
from connector.worker.instance import ConnectorInstance
from connector.worker.instances import ConnectorInstances, ShuttingDownError
from connector.worker.requests import RequestTimeoutError
from connector.worker.rest_answers import RestAnswers
from connector.worker.state import State
from connector.worker.status_store import Status, StatusStore
from connector.worker.storage.memory import MemoryLog
from tests.fixtures.idle_connector import IDLE_ROWS, IdleTask
from tests.fixtures.idle_worker import WorkerLogs
from tests.fixtures.worker import wait_for
from tests.unit.worker.herder_states import IDLE, PAUSED, STARTED, STOPPED, states


def is_in(herder: Herder, name: str, expected: tuple[str, list[str]]) -> bool:
    return states(herder, name) == expected


def test_a_task_that_does_not_stop_is_abandoned(herder: Herder) -> None:
    for fault in ("stop hangs", "stop raises"):
        herder.create(fault, {**IDLE, "fault": fault})
        herder.set_target(fault, STOPPED)
        assert states(herder, fault) == ("STOPPED", [])
        herder.delete(fault)


def test_a_hanging_connector_does_not_block_others(memory: WorkerLogs) -> None:
    herder = memory.herder(timeout=0.2)
    for fault in ("validate hangs", "start hangs"):
        with pytest.raises(
            RequestTimeoutError, match=r"^Request timed out\. The worker is currently "
        ):
            herder.create(fault, {**IDLE, "fault": fault})
        herder.create("c", IDLE)
        assert states(herder) == ("RUNNING", ["RUNNING"])
        herder.delete("c")
    with pytest.raises(RequestTimeoutError):
        herder.set_target("start hangs", PAUSED)
    assert herder.responds(0.1)


def test_a_worker_goes_on_where_another_stopped(memory: WorkerLogs) -> None:
    first = memory.herder()
    first.create("running", IDLE)
    first.create("paused", IDLE)
    first.set_target("paused", PAUSED)
    first.create("stopped", IDLE)
    first.set_target("stopped", STOPPED)
    first.create("deleted", IDLE)
    first.delete("deleted")
    assert first.stop(1)
    assert states(first, "running") == ("UNASSIGNED", ["UNASSIGNED"])
    with pytest.raises(ShuttingDownError):
        first.create("late", IDLE)
    second = memory.herder()
    assert second.answers.names() == ["paused", "running", "stopped"]
    for name, expected in (
        ("running", ("RUNNING", ["RUNNING"])),
        ("paused", ("PAUSED", ["PAUSED"])),
        ("stopped", ("STOPPED", [])),
    ):
        wait_for(partial(is_in, second, name, expected))
    second.set_target("paused", STARTED)
    assert states(second, "paused") == ("RUNNING", ["RUNNING"])


def test_a_stop_reports_tasks_that_did_not_end(memory: WorkerLogs) -> None:
    herder = memory.herder()
    herder.create("c", {**IDLE, "fault": "stop hangs"})
    herder.create("d", IDLE)
    began = time.monotonic()
    assert not herder.stop(1)
    assert time.monotonic() - began < 1


def test_what_commands_race_for_ends_in_one_state(herder: Herder) -> None:
    herder.create("c", IDLE)
    targets = [STARTED, PAUSED, STOPPED] * 6
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda target: herder.set_target("c", target), targets))
    herder.set_target("c", STARTED)
    assert states(herder) == ("RUNNING", ["RUNNING"])


def test_deleting_and_creating_race_without_leftovers(herder: Herder) -> None:
    done = threading.Event()

    def churn() -> None:
        while not done.is_set():
            with suppress(AlreadyExistsError):
                assert herder.create("c", IDLE).name == "c"
            with suppress(NotFoundError):
                herder.delete("c")

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(churn) for _ in range(4)]
        time.sleep(0.3)
        done.set()
        for future in futures:
            future.result()
    if herder.answers.names():
        herder.delete("c")
    assert herder.create("c", IDLE).name == "c"
    assert states(herder) == ("RUNNING", ["RUNNING"])


def delete_behind(monkeypatch: pytest.MonkeyPatch, herder: Herder) -> None:
    """Delete a connector as soon as its next command releases the lock."""
    real = ConnectorInstances.exclusive

    @contextmanager
    def exclusive(instances: ConnectorInstances, name: str) -> Iterator[ConnectorInstance]:
        with real(instances, name) as instance:
            yield instance
        monkeypatch.setattr(ConnectorInstances, "exclusive", real)
        herder.delete(name)

    monkeypatch.setattr(ConnectorInstances, "exclusive", exclusive)


def test_what_is_deleted_right_behind_a_change_is_still_described(
    herder: Herder, monkeypatch: pytest.MonkeyPatch
) -> None:
    delete_behind(monkeypatch, herder)
    assert herder.create("c", IDLE).config == {**IDLE, "name": "c"}
    delete_behind(monkeypatch, herder)
    assert herder.put_config("c", IDLE)[0]
    herder.create("c", IDLE)
    delete_behind(monkeypatch, herder)
    assert herder.patch_config("c", {"limit": "8"}).config["limit"] == "8"
    assert herder.answers.names() == []


class VanishingTasks(StatusStore):
    """A store whose tasks are gone when they are read again."""

    def tasks(self, name: str) -> dict[int, Status]:
        found = super().tasks(name)
        self.remove_tasks(name)
        return found


def test_a_status_is_shown_while_its_tasks_are_removed() -> None:
    configs, statuses = ConfigStore(MemoryLog()), VanishingTasks(MemoryLog(), lambda: 0)
    configs.put("c", IDLE, STARTED)
    statuses.put_connector("c", Status(State.RUNNING, "w"))
    statuses.put_task("c", 0, Status(State.RUNNING, "w"))
    status = RestAnswers(configs, statuses, PluginTable(IDLE_ROWS)).status("c")
    assert [(task.id, task.state) for task in status.tasks] == [(0, "RUNNING")]


def test_restarting(herder: Herder) -> None:
    herder.create("c", {**IDLE, "fault": "fails"})
    assert herder.restart("c", include_tasks=False, only_failed=False) is None
    assert states(herder) == ("RUNNING", ["FAILED"])
    view = herder.restart("c", include_tasks=True, only_failed=True)
    assert view is not None
    assert view.connector.state == "RUNNING"
    assert [task.state for task in view.tasks] == ["RESTARTING"]
    assert view.tasks[0].trace == "StopError: it fails\n  somewhere"
    wait_for(lambda: states(herder) == ("RUNNING", ["FAILED"]))
    view = herder.restart("c", include_tasks=True, only_failed=False)
    assert view is not None
    assert (view.connector.state, view.tasks[0].state) == ("RESTARTING", "RESTARTING")
    wait_for(lambda: states(herder) == ("RUNNING", ["FAILED"]))


def test_restarting_what_is_healthy_but_only_if_failed_does_nothing(herder: Herder) -> None:
    herder.create("c", IDLE)
    view = herder.restart("c", include_tasks=True, only_failed=True)
    assert view == herder.answers.status("c")


def test_restarting_does_not_wake_what_rests(herder: Herder) -> None:
    herder.create("c", IDLE)
    herder.set_target("c", PAUSED)
    herder.restart_task("c", 0)
    assert states(herder) == ("PAUSED", ["PAUSED"])
    herder.restart("c", include_tasks=True, only_failed=False)
    wait_for(lambda: states(herder) == ("PAUSED", ["PAUSED"]))
    herder.set_target("c", STARTED)
    assert states(herder) == ("RUNNING", ["RUNNING"])
    herder.set_target("c", STOPPED)
    herder.restart("c", include_tasks=True, only_failed=False)
    wait_for(lambda: states(herder) == ("STOPPED", []))
    with pytest.raises(NotFoundError, match=r"^Unknown task: c-0$"):
        herder.restart_task("c", 0)


def test_many_at_once_create_one(herder: Herder) -> None:
    def create(_: int) -> bool:
        try:
            herder.create("c", IDLE)
        except AlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(create, range(8))) == [False] * 7 + [True]


def test_a_herder_that_is_stuck_does_not_respond(herder: Herder) -> None:
    assert herder.responds(0.05)
    with herder._instances._lock:
        assert not herder.responds(0.05)


def test_a_task_that_was_ended_is_not_heard_any_more(herder: Herder) -> None:
    herder.create("c", IDLE)
    instance = herder._instances._instances["c"]
    run = instance._run
    assert run is not None
    task = run.task
    assert isinstance(task, IdleTask)
    task.context.topics_used(["t"])
    assert herder.answers.topics("c") == ["t"]
    herder.delete("c")
    task.context.topics_used(["late"])
    task.context.report("FAILED", "late")
    herder.create("c", IDLE)
    assert (herder.answers.topics("c"), states(herder)) == ([], ("RUNNING", ["RUNNING"]))
