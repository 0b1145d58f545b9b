"""Log levels over HTTP (KIP-495, KIP-976)."""

from __future__ import annotations

import time

import pytest

from tests.fixtures.worker import WorkerProcess
from tests.rest.answers import error


@pytest.fixture
def logger(name: str) -> str:
    return f"org.example.{name}"


def test_listing(worker: WorkerProcess) -> None:
    found = worker.http.get("/admin/loggers").json()
    assert found["root"] == {"level": "INFO", "last_modified": None}
    assert list(found) == sorted(found)
    for root in ("root", "ROOT"):
        assert worker.http.get(f"/admin/loggers/{root}").json() == found["root"]


def test_setting(worker: WorkerProcess, logger: str) -> None:
    http = worker.http
    assert http.put(f"/admin/loggers/{logger}.a", json={"level": "WARN"}).json() == [f"{logger}.a"]
    before = time.time() * 1000
    answer = http.put(f"/admin/loggers/{logger}", json={"level": "debug"})
    assert (answer.status_code, answer.json()) == (200, [logger, f"{logger}.a"])
    found = http.get(f"/admin/loggers/{logger}.a").json()
    assert found["level"] == "DEBUG"
    assert before - 1000 < found["last_modified"] < time.time() * 1000 + 1000
    again = http.put(f"/admin/loggers/{logger}?scope=nonsense", json={"level": "DEBUG"})
    assert again.json() == []
    assert http.get(f"/admin/loggers/{logger}.a").json() == found


def test_the_whole_cluster_is_this_worker(worker: WorkerProcess, logger: str) -> None:
    answer = worker.http.put(f"/admin/loggers/{logger}?scope=cluster", json={"level": "TRACE"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert worker.http.get(f"/admin/loggers/{logger}").json()["level"] == "TRACE"


def test_faults(worker: WorkerProcess, logger: str) -> None:
    http, path = worker.http, f"/admin/loggers/{logger}"
    assert error(http.get(path)) == (404, 404, f"Logger {logger} not found.")
    missing = "Desired 'level' parameter was not specified in request."
    assert error(http.put(path, json={})) == (400, 400, missing)
    assert error(http.put(path, json={"levl": "INFO"})) == (400, 400, missing)
    assert error(http.put(path, json={"level": "loud"})) == (404, 404, "invalid log level 'loud'.")


def test_a_level_has_its_effect(worker: WorkerProcess) -> None:
    path = "/admin/loggers/restapi.access"
    worker.http.put(path, json={"level": "OFF"})
    worker.http.get("/connectors/unlogged/status")
    worker.http.put(path, json={"level": "INFO"})
    assert "unlogged" not in worker.log.read_text()
