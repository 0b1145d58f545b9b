"""Pausing, stopping, resuming, restarting, and failing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fixtures.topics import Topics
from tests.fixtures.worker import WorkerProcess, wait_for
from tests.rest.answers import Config, error
from tests.rest.ticker import numbers


def test_commands_answer_as_connect_does(worker: WorkerProcess, name: str, ticker: Config) -> None:
    worker.create(name, ticker)
    for method, command, status in (
        ("PUT", "pause", 202),
        ("PUT", "pause", 202),
        ("PUT", "resume", 202),
        ("PUT", "resume", 202),
        ("PUT", "stop", 204),
        ("PUT", "stop", 204),
        ("PUT", "pause", 202),
        ("PUT", "resume", 202),
        ("POST", "restart", 204),
        ("POST", "tasks/0/restart", 204),
    ):
        answer = worker.http.request(method, f"/connectors/{name}/{command}")
        assert (answer.status_code, answer.content) == (status, b""), command


def test_unknown_connectors(worker: WorkerProcess) -> None:
    for method, command, text in (
        ("PUT", "pause", "Unknown connector x"),
        ("PUT", "resume", "Unknown connector x"),
        ("PUT", "stop", "Unknown connector x"),
        ("POST", "restart", "Unknown connector: x"),
        ("POST", "restart?includeTasks=true", "Unknown connector: x"),
        ("POST", "tasks/0/restart", "Unknown connector: x"),
    ):
        answer = worker.http.request(method, f"/connectors/x/{command}")
        assert error(answer) == (404, 404, text)


def test_a_paused_task_reads_no_more(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    worker.create(name, {**ticker, "messages": "1000", "interval.ms": "5"})
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    worker.http.put(f"/connectors/{name}/pause")
    worker.wait_for_states(name, "PAUSED", "PAUSED")
    before = len(topics.read(name))
    assert len(worker.http.get(f"/connectors/{name}/tasks").json()) == 1
    worker.http.put(f"/connectors/{name}/resume")
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    worker.http.put(f"/connectors/{name}/stop")
    worker.wait_for_states(name, "STOPPED")
    after = numbers([got.value for got in topics.read(name)])
    assert after == list(range(1, len(after) + 1))
    assert len(after) >= before


def test_stopped_has_no_tasks_and_pause_keeps_it_so(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    worker.create(name, ticker)
    worker.http.put(f"/connectors/{name}/stop")
    worker.wait_for_states(name, "STOPPED")
    assert worker.http.get(f"/connectors/{name}/tasks").json() == []
    assert worker.http.get(f"/connectors/{name}").json()["tasks"] == []
    worker.http.put(f"/connectors/{name}/pause")
    worker.wait_for_states(name, "PAUSED")
    worker.http.put(f"/connectors/{name}/resume")
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    assert worker.http.delete(f"/connectors/{name}").status_code == 204
    assert worker.http.get(f"/connectors/{name}/status").status_code == 404


@pytest.mark.parametrize(("state", "shown"), [("paused", "PAUSED"), ("STOPPED", "STOPPED")])
def test_creating_at_rest(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config, state: str, shown: str
) -> None:
    assert worker.create(name, ticker, state)["tasks"] == []
    worker.wait_for_states(name, shown)
    assert topics.partitions(name) == 0
    worker.http.put(f"/connectors/{name}/resume")
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    topics.wait_for(name, 20)


def test_creating_running(worker: WorkerProcess, name: str, ticker: Config) -> None:
    worker.create(name, ticker, "Running")
    worker.wait_for_states(name, "RUNNING", "RUNNING")


@pytest.mark.parametrize("fault", ["create.error", "start.error"])
def test_a_task_that_fails_to_start(
    worker: WorkerProcess, name: str, ticker: Config, fault: str
) -> None:
    worker.create(name, {**ticker, fault: "true"})
    worker.wait_for_states(name, "RUNNING", "FAILED")
    trace = worker.status(name)["tasks"][0]["trace"]
    assert trace.startswith("StopError: ")
    worker.http.put(f"/connectors/{name}/stop")
    worker.wait_for_states(name, "STOPPED")
    worker.http.put(f"/connectors/{name}/config", json=ticker)
    worker.http.put(f"/connectors/{name}/resume")
    worker.wait_for_states(name, "RUNNING", "RUNNING")


def test_a_failed_task_waits_for_its_restart(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    worker.create(name, {**ticker, "fail.after": "3"})
    worker.wait_for_states(name, "RUNNING", "FAILED")
    first = worker.status(name)["tasks"][0]["trace"].splitlines()[0]
    assert first == "StopError: failed after 3. Take away fail.after."
    assert worker.http.post(f"/connectors/{name}/restart").status_code == 204
    worker.wait_for_states(name, "RUNNING", "FAILED")
    worker.http.put(f"/connectors/{name}/config", json=ticker)
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    assert "trace" not in worker.status(name)["tasks"][0]
    assert numbers([got.value for got in topics.wait_for(name, 20)]) == list(range(1, 21))


def test_a_task_that_fails_to_stop_is_stopped_all_the_same(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    worker.create(name, {**ticker, "stop.error": "true"})
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    worker.http.put(f"/connectors/{name}/stop")
    worker.wait_for_states(name, "STOPPED")
    assert worker.http.delete(f"/connectors/{name}").status_code == 204


def test_restarting_with_parameters(worker: WorkerProcess, name: str, ticker: Config) -> None:
    worker.create(name, {**ticker, "fail.after": "3"})
    worker.wait_for_states(name, "RUNNING", "FAILED")
    path = f"/connectors/{name}/restart"
    only_failed = worker.http.post(path + "?onlyFailed=true")
    assert only_failed.status_code == 202
    assert [task["state"] for task in only_failed.json()["tasks"]] == ["FAILED"]
    answer = worker.http.post(path + "?includeTasks=TRUE&onlyFailed=True")
    assert answer.status_code == 202
    body = answer.json()
    assert (body["name"], body["type"]) == (name, "source")
    assert (body["connector"]["state"], body["tasks"][0]["state"]) == ("RUNNING", "RESTARTING")
    assert body["tasks"][0]["trace"].startswith("StopError: failed after 3")
    worker.wait_for_states(name, "RUNNING", "FAILED")
    every = worker.http.post(path + "?includeTasks=true&onlyFailed=false").json()
    assert (every["connector"]["state"], every["tasks"][0]["state"]) == ("RESTARTING", "RESTARTING")
    worker.wait_for_states(name, "RUNNING", "FAILED")
    assert worker.http.post(path + "?includeTasks=yes&forward=false").status_code == 204


def test_a_healthy_connector_is_not_restarted_for_failures(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    worker.create(name, ticker)
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    answer = worker.http.post(f"/connectors/{name}/restart?includeTasks=true&onlyFailed=true")
    assert (answer.status_code, answer.json()) == (202, worker.status(name))


def test_an_unknown_task(worker: WorkerProcess, name: str, ticker: Config) -> None:
    worker.create(name, ticker)
    for task in (9, -1):
        answer = worker.http.post(f"/connectors/{name}/tasks/{task}/restart")
        assert error(answer) == (404, 404, f"Unknown task: {name}-{task}")
    text = error(worker.http.get(f"/connectors/{name}/tasks/9/status"))[2]
    assert text == f"No status found for task {name}-9"


@pytest.mark.parametrize("number", ["x", "1.5", "0.0", "0_0", "%200", "4294967296"])
def test_a_task_number_is_an_integer_of_java(
    worker: WorkerProcess, name: str, ticker: Config, number: str
) -> None:
    worker.create(name, ticker)
    for method, command in (("GET", "status"), ("POST", "restart")):
        answer = worker.http.request(method, f"/connectors/{name}/tasks/{number}/{command}")
        assert error(answer) == (404, 404, "HTTP 404 Not Found")


def test_a_task_number_may_have_a_sign_and_zeros(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    worker.create(name, ticker)
    wait_for(lambda: worker.states(name) == ("RUNNING", ["RUNNING"]))
    for number in ("+0", "-0", "00", "%30"):
        assert worker.http.get(f"/connectors/{name}/tasks/{number}/status").json()["id"] == 0


def test_a_hanging_connector_does_not_block_others(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    slow = f"{name}-slow"
    config = {**ticker, "create.block.ms": "3000"}
    with ThreadPoolExecutor() as pool:
        creating = pool.submit(worker.create, slow, config)
        wait_for(lambda: worker.status(slow))
        worker.create(name, ticker)
        worker.wait_for_states(name, "RUNNING", "RUNNING")
        topics.wait_for(name, 20)
        assert not creating.done()
        assert worker.http.get("/health").status_code == 200
        creating.result()
    assert worker.http.delete(worker.path(slow)).status_code == 204
