"""Connectors and tasks that cannot start, and what starts them again."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from connector.worker.herder import Herder
from connector.worker.instance import StartError
from tests.fixtures.idle_worker import WorkerLogs
from tests.fixtures.worker import wait_for
from tests.unit.worker.herder_states import IDLE, PAUSED, STARTED, STOPPED, states

FILES = {
    "config.providers": "file",
    "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
}


def test_a_task_that_cannot_be_made_has_failed(herder: Herder) -> None:
    herder.create("c", {**IDLE, "fault": "create raises"})
    assert states(herder) == ("RUNNING", ["FAILED"])
    trace = herder.answers.task_status("c", 0).trace
    assert trace is not None
    assert trace.splitlines()[0] == "StopError: cannot be created. Unset fault."


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """A file with a secret, which `with_secret` refers to."""
    file = tmp_path / "secrets.properties"
    file.write_text("x=s3cret\n")
    return file


def with_secret(secrets: Path) -> dict[str, str | None]:
    return {**IDLE, "password": f"${{file:{secrets}:x}}"}


def test_a_connector_whose_secrets_cannot_be_read_has_failed(
    memory: WorkerLogs, secrets: Path
) -> None:
    memory.herder(FILES).create("c", with_secret(secrets))
    secrets.unlink()
    second = memory.herder(FILES)
    wait_for(lambda: states(second) == ("FAILED", []))
    second.set_target("c", STOPPED)
    assert states(second) == ("STOPPED", [])


def test_a_failed_connector_that_is_paused_stays_failed_until_it_is_restarted(
    memory: WorkerLogs, secrets: Path
) -> None:
    herder = memory.herder(FILES)
    herder.create("c", with_secret(secrets))
    secrets.unlink()
    with pytest.raises(StartError):
        herder.restart("c", include_tasks=False, only_failed=False)
    failed = herder.answers.status("c").connector
    herder.set_target("c", PAUSED)
    assert herder.answers.status("c").connector == failed
    assert states(herder) == ("FAILED", ["PAUSED"])
    assert (failed.trace or "").startswith("ProviderError: Could not read properties")
    herder.restart("c", include_tasks=False, only_failed=False)
    assert states(herder) == ("PAUSED", ["PAUSED"])


def test_a_restart_whose_secrets_cannot_be_read_fails_with_the_reason(
    memory: WorkerLogs, secrets: Path
) -> None:
    herder = memory.herder(FILES)
    herder.create("c", with_secret(secrets))
    secrets.unlink()
    reason = f"^Could not read properties from file {secrets}$"
    with pytest.raises(StartError, match=reason):
        herder.restart("c", include_tasks=False, only_failed=False)
    assert states(herder) == ("FAILED", ["RUNNING"])
    with pytest.raises(StartError, match=reason):
        herder.restart_task("c", 0)
    assert states(herder) == ("FAILED", ["FAILED"])
    assert herder.restart("c", include_tasks=True, only_failed=False) is not None
    wait_for(lambda: states(herder) == ("FAILED", ["FAILED"]))


def test_a_restart_of_a_task_that_cannot_be_made_fails(herder: Herder) -> None:
    herder.create("c", {**IDLE, "fault": "create raises"})
    with pytest.raises(StartError, match=r"^Failed to start task: c-0$"):
        herder.restart_task("c", 0)
    assert herder.restart("c", include_tasks=False, only_failed=False) is None


def test_a_restart_of_a_connector_whose_class_is_gone_fails(herder: Herder) -> None:
    herder.create("c", IDLE)
    stored = herder.answers.stored("c")
    stored.config["connector.class"] = "org.example.Gone"
    with pytest.raises(StartError, match=r"^Failed to start connector: c$"):
        herder.restart("c", include_tasks=False, only_failed=False)


@pytest.mark.parametrize("patched", [False, True])
def test_the_same_configuration_starts_what_could_not_start(
    memory: WorkerLogs, secrets: Path, patched: bool
) -> None:
    config = with_secret(secrets)
    memory.herder(FILES).create("c", config)
    hidden = secrets.rename(secrets.with_name("hidden"))
    herder = memory.herder(FILES)
    wait_for(lambda: states(herder) == ("FAILED", []))
    hidden.rename(secrets)
    if patched:
        herder.patch_config("c", {})
    else:
        herder.put_config("c", config)
    assert states(herder) == ("RUNNING", ["RUNNING"])


def test_the_same_configuration_starts_a_task_that_could_not_be_made(herder: Herder) -> None:
    herder.create("first", {**IDLE, "user": "u"})
    herder.set_target("first", STOPPED)
    herder.create("second", {**IDLE, "user": "u"})
    herder.set_target("first", STARTED)
    assert states(herder, "first") == ("RUNNING", ["FAILED"])
    herder.delete("second")
    herder.put_config("first", {**IDLE, "user": "u"})
    assert states(herder, "first") == ("RUNNING", ["RUNNING"])


def test_a_request_before_the_start_of_a_connector_keeps_the_status_of_its_task(
    memory: WorkerLogs,
) -> None:
    """A worker that has just started accepts requests before all its connectors are started."""
    herder = memory.herder()
    herder.create("c", IDLE)
    herder.start()
    for thread in threading.enumerate():
        if thread.name == "start-c":
            thread.join()
    assert states(herder) == ("RUNNING", ["RUNNING"])


def test_a_connector_whose_stop_was_interrupted_has_no_tasks_after_a_restart(
    memory: WorkerLogs,
) -> None:
    """The worker was killed between the writes of the target state and of the tasks."""
    memory.herder().create("c", IDLE)
    states_of_target = b'{"state":"PAUSED","state.v2":"STOPPED"}'
    memory.configs.post((b"target-state-c", states_of_target))
    herder = memory.herder()
    wait_for(lambda: states(herder) == ("STOPPED", []))
    assert herder.answers.tasks("c") == []
    assert memory.configs.entries[b"commit-c"] == b'{"tasks":0}'
