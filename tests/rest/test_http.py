"""How the API speaks HTTP: paths, methods, content types, and faults of a body."""

from __future__ import annotations

import http.client
import re
import time

import pytest

from tests.fixtures.worker import JSON, WorkerProcess
from tests.rest.answers import Config, error


def test_the_worker_identifies_itself(worker: WorkerProcess) -> None:
    body = worker.http.get("/").json()
    assert list(body) == ["version", "commit", "kafka_cluster_id"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", body["version"])
    assert body["kafka_cluster_id"]


def test_a_healthy_worker(worker: WorkerProcess) -> None:
    answer = worker.http.get("/health")
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "status": "healthy",
            "message": "Worker has completed startup and is ready to handle requests.",
        },
    )


@pytest.mark.parametrize("path", ["/nope", "/connectors/x/nope", "//connectors", "/connectors//"])
def test_unknown_paths(worker: WorkerProcess, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", worker.port, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 404
    assert answer.read() == b'{"error_code":404,"message":"HTTP 404 Not Found"}'
    connection.close()


@pytest.mark.parametrize(
    "path", ["/connectors/", "/connector-plugins/", "/admin/loggers/", "/health/"]
)
def test_a_slash_at_the_end_makes_no_difference(worker: WorkerProcess, path: str) -> None:
    assert worker.http.get(path, follow_redirects=False).status_code == 200


def test_creating_with_a_slash_at_the_end(worker: WorkerProcess, name: str, ticker: Config) -> None:
    created = worker.http.post("/connectors/", json={"name": name, "config": ticker})
    assert created.status_code == 201


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", "/connectors"),
        ("POST", "/connectors/x"),
        ("PUT", "/"),
        ("GET", "/connectors/x/pause"),
    ],
)
def test_wrong_methods(worker: WorkerProcess, method: str, path: str) -> None:
    answer = worker.http.request(method, path)
    assert error(answer) == (405, 405, "HTTP 405 Method Not Allowed")


@pytest.mark.parametrize("path", ["/", "/connectors", "/health", "/connectors/x/status"])
def test_head_is_get_without_a_body(worker: WorkerProcess, path: str) -> None:
    head, get = worker.http.head(path), worker.http.get(path)
    assert head.status_code == get.status_code
    assert head.content == b""
    assert head.headers["content-length"] == get.headers["content-length"]


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/connectors", "HEAD, POST, GET, OPTIONS"),
        ("/connectors/x/status", "HEAD, GET, OPTIONS"),
        ("/connectors/x/pause", "PUT, OPTIONS"),
    ],
)
def test_options_list_the_methods(worker: WorkerProcess, path: str, methods: str) -> None:
    answer = worker.http.options(path)
    assert (answer.status_code, answer.text) == (200, methods)
    assert answer.headers["allow"] == methods.replace(" ", "")
    assert answer.headers["content-type"].startswith("text/plain")


def test_options_of_an_unknown_path(worker: WorkerProcess) -> None:
    assert error(worker.http.options("/nope"))[0] == 404


@pytest.mark.parametrize("sent", ["text/plain", "application/x-www-form-urlencoded", "text/json"])
def test_what_is_sent_must_be_json(worker: WorkerProcess, sent: str) -> None:
    for method, path in (("POST", "/connectors"), ("PUT", "/connectors/x/config")):
        answer = worker.http.request(method, path, content="{}", headers={"Content-Type": sent})
        assert error(answer) == (415, 415, "HTTP 415 Unsupported Media Type")


def test_json_with_a_character_set(worker: WorkerProcess, name: str, ticker: Config) -> None:
    answer = worker.http.put(
        f"/connectors/{name}/config",
        json=ticker,
        headers={"Content-Type": "application/json; charset=utf-8"},
    )
    assert answer.status_code == 201


def test_commands_without_a_body_or_with_one_that_says_nothing(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    worker.create(name, ticker)
    assert worker.http.put(f"/connectors/{name}/pause").status_code == 202
    assert worker.http.put(f"/connectors/{name}/resume", json={}).status_code == 202
    assert worker.http.post(f"/connectors/{name}/restart", json={}).status_code == 204


@pytest.mark.parametrize("accept", ["text/html", "application/xml, text/plain;q=0.5"])
def test_json_must_be_acceptable(worker: WorkerProcess, accept: str) -> None:
    answer = worker.http.get("/connectors", headers={"Accept": accept})
    assert error(answer) == (406, 406, "HTTP 406 Not Acceptable")


@pytest.mark.parametrize(
    "accept", ["*/*", "application/json", "application/*", "text/html, application/json;q=0.9"]
)
def test_ways_to_accept_json(worker: WorkerProcess, accept: str) -> None:
    answer = worker.http.get("/connectors", headers={"Accept": accept})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("{", "Unexpected end-of-input"),
        ("{a}", "Unexpected character ('a' (code 97))"),
        ('{"name": "x"} y', "Unexpected character ('y' (code 121))"),
        ("[]", "Cannot deserialize value of type `Object` from Array value"),
        ('"a"', "Cannot construct instance of"),
        ("5", "Cannot construct instance of"),
        ("null", "needs a JSON body"),
        ("", "needs a JSON body"),
        ('{"nam": "x"}', 'Unrecognized field "nam"'),
        ('{"name": ["x"], "config": {}}', "Cannot deserialize value of type `String` from Array"),
        ('{"name": "x"}', 'The field "config" is missing or null'),
        ('{"name": "x", "config": null}', 'The field "config" is missing or null'),
        ('{"name": "x", "config": []}', "Cannot deserialize value of type `Map` from Array value"),
        ('{"name": "x", "config": {"a": {}}}', "type `String` from Object value (at config.a)"),
        ('{"name": "x", "config": {}, "initial_state": "foo"}', "instance of `InitialState`"),
    ],
)
def test_faults_of_a_body(worker: WorkerProcess, body: str, text: str) -> None:
    status, _, message = error(worker.http.post("/connectors", content=body, headers=JSON))
    assert status == 400
    assert text in message


def test_a_wrapped_configuration_where_a_flat_one_belongs(worker: WorkerProcess) -> None:
    answer = worker.http.put("/connectors/x/config", json={"name": "x", "config": {"a": "b"}})
    assert "Cannot deserialize value of type `String` from Object" in error(answer)[2]


def test_what_reading_a_connector_gave_may_be_sent_back(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    body = worker.create(name, ticker)
    worker.http.delete(f"/connectors/{name}")
    assert worker.http.post("/connectors", json=body).json() == body


def test_forward_is_taken_and_means_nothing(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    body = {"name": name, "config": ticker}
    assert worker.http.post("/connectors?forward=false", json=body).status_code == 201
    assert worker.http.delete(f"/connectors/{name}?forward=true").status_code == 204


def test_metrics(worker: WorkerProcess, name: str, ticker: Config) -> None:
    worker.create(name, ticker)
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    answer = worker.http.get("/metrics", headers={"Accept": "text/plain"})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert f'millrace_connector_state{{connector="{name}",state="RUNNING"}} 1.0' in answer.text
    assert f'millrace_task_state{{connector="{name}",state="RUNNING",task="0"}} 1.0' in answer.text
    worker.http.delete(f"/connectors/{name}")
    assert name not in worker.http.get("/metrics").text


def test_every_request_is_logged(worker: WorkerProcess) -> None:
    worker.http.get("/connectors/logged-once/status")
    lines = [line for line in worker.log.read_text().splitlines() if "logged-once" in line]
    assert len(lines) == 1
    assert '127.0.0.1 "GET /connectors/logged-once/status" 404 ' in lines[0]


def test_answers_do_not_wait_for_acknowledgements(worker: WorkerProcess) -> None:
    began = time.perf_counter()
    for _ in range(50):
        worker.http.get("/connectors")
    assert (time.perf_counter() - began) / 50 < 0.03
