"""Creating, reading, changing and deleting connectors."""

from __future__ import annotations

from urllib.parse import quote, unquote

import pytest

from tests.fixtures.topics import Topics
from tests.fixtures.worker import WorkerProcess, wait_for
from tests.rest.answers import Config, error
from tests.rest.ticker import CLASS, TASK_CLASS, VERSION, numbers

STRANGE = "ta/b&c=d//\\x=1þ.1>< `'\" x%y+z!ሴ#$&'(æ)*+,:;=?ñ@[]ÿ"


def test_the_life_of_a_connector(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    """The steps of Kafka's own connect_rest_test, with exact bodies."""
    http = worker.http
    config = {**ticker, "name": name}
    info = {
        "name": name,
        "config": config,
        "tasks": [{"connector": name, "task": 0}],
        "type": "source",
    }
    created = http.post("/connectors", json={"name": name, "config": ticker})
    assert (created.status_code, created.json()) == (201, info)
    assert list(created.json()) == ["name", "config", "tasks", "type"]
    assert created.headers["location"] == f"{worker.url}/connectors/{name}"
    again = http.post("/connectors", json={"name": name, "config": ticker})
    assert error(again) == (409, 409, f"Connector {name} already exists")

    assert name in http.get("/connectors").json()
    assert http.get(f"/connectors/{name}").json() == info
    assert http.get(f"/connectors/{name}/config").json() == config
    assert http.get(f"/connectors/{name}/tasks").json() == [
        {"id": {"connector": name, "task": 0}, "config": {**config, "task.class": TASK_CLASS}}
    ]
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    part = {"worker_id": worker.worker_id, "version": VERSION}
    assert http.get(f"/connectors/{name}/status").json() == {
        "name": name,
        "connector": {"state": "RUNNING", **part},
        "tasks": [{"id": 0, "state": "RUNNING", **part}],
        "type": "source",
    }
    assert http.get(f"/connectors/{name}/tasks/0/status").json() == {
        "id": 0,
        "state": "RUNNING",
        **part,
    }
    assert numbers([got.value for got in topics.wait_for(name, 20)]) == list(range(1, 21))

    deleted = http.delete(f"/connectors/{name}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert error(http.delete(f"/connectors/{name}")) == (404, 404, f"Connector {name} not found")
    assert name not in http.get("/connectors").json()


def test_texts_of_errors_for_unknown_names(worker: WorkerProcess) -> None:
    for method, path, text in (
        ("GET", "/connectors/x", "Connector x not found"),
        ("GET", "/connectors/x/config", "Connector x not found"),
        ("GET", "/connectors/x/tasks", "Connector x not found"),
        ("DELETE", "/connectors/x", "Connector x not found"),
        ("GET", "/connectors/x/status", "No status found for connector x"),
        ("GET", "/connectors/x/tasks/0/status", "No status found for task x-0"),
    ):
        assert error(worker.http.request(method, path)) == (404, 404, text)
    patched = worker.http.patch("/connectors/x/config", json={})
    assert error(patched) == (404, 404, "Connector x not found")


def test_listing_with_details(worker: WorkerProcess, name: str, ticker: Config) -> None:
    worker.create(name, ticker)
    worker.wait_for_states(name, "RUNNING", "RUNNING")
    http = worker.http
    status = http.get(f"/connectors/{name}/status").json()
    info = http.get(f"/connectors/{name}").json()
    assert http.get("/connectors?expand=status").json()[name] == {"status": status}
    assert http.get("/connectors?expand=info").json()[name] == {"info": info}
    both = http.get("/connectors?expand=status&expand=info").json()[name]
    assert both == {"status": status, "info": info}
    for nothing in ("other", ""):
        assert http.get(f"/connectors?expand={nothing}").json()[name] == {}


def test_scalars_become_texts_as_they_are_written(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    numbers = (
        '"tasks.max": 1, "driver.a": 1.50, "driver.b": 1e3, "driver.c": true, "driver.d": -0.0, '
        '"driver.e": 12345678901234567890'
    )
    config = f'{{"connector.class": "{CLASS}", "topic": "{name}", {numbers}}}'
    body = f'{{"name": "{name}", "config": {config}}}'
    created = worker.http.post(
        "/connectors", content=body, headers={"Content-Type": "application/json"}
    )
    assert created.status_code == 201, created.text
    assert created.json()["config"] == {
        "connector.class": CLASS,
        "topic": name,
        "tasks.max": "1",
        "driver.a": "1.50",
        "driver.b": "1e3",
        "driver.c": "true",
        "driver.d": "-0.0",
        "driver.e": "12345678901234567890",
        "name": name,
    }


def test_a_name_is_trimmed(worker: WorkerProcess, name: str, ticker: Config) -> None:
    created = worker.http.post("/connectors", json={"name": f"  {name} ", "config": ticker})
    assert (created.status_code, created.json()["name"]) == (201, name)


@pytest.mark.parametrize("body", [{"name": "   "}, {"name": ""}, {"name": None}, {}])
def test_a_name_must_be_given(worker: WorkerProcess, ticker: Config, body: Config) -> None:
    status, _, text = error(worker.http.post("/connectors", json={**body, "config": ticker}))
    assert status == 400
    assert "Invalid value  for configuration name: String may not be empty" in text


def test_a_name_of_control_characters_is_refused(worker: WorkerProcess, ticker: Config) -> None:
    for answer in (
        worker.http.post("/connectors", json={"name": "a\r\nb", "config": ticker}),
        worker.http.put("/connectors/a%0D%0Ab/config", json=ticker),
    ):
        status, _, text = error(answer)
        assert status == 400
        assert "had the following ASCII chars: 13, 10" in text


def test_a_strange_name(worker: WorkerProcess, topics: Topics, name: str, ticker: Config) -> None:
    strange = STRANGE + name
    path = "/connectors/" + quote(strange, safe="")
    try:
        created = worker.http.post("/connectors", json={"name": strange, "config": ticker})
        assert created.status_code == 201, created.text
        assert unquote(created.headers["location"]) == f"{worker.url}/connectors/{strange}"
        assert worker.http.get(path).json()["name"] == strange
        wait_for(lambda: worker.states(strange) == ("RUNNING", ["RUNNING"]))
        topics.wait_for(name, 1)
        assert worker.http.put(path + "/pause").status_code == 202
        worker.wait_for_states(strange, "PAUSED", "PAUSED")
        assert worker.http.get(path + "/topics").json() == {strange: {"topics": [name]}}
        assert worker.http.delete(path).status_code == 204
        put = worker.http.put(path + "/config", json={**ticker, "name": strange})
        assert put.status_code == 201
        assert unquote(put.headers["location"]) == f"{worker.url}/connectors/{strange}"
    finally:
        worker.http.delete(path)


def test_a_plus_in_a_path_is_a_plus(worker: WorkerProcess, ticker: Config) -> None:
    text = error(worker.http.get("/connectors/a+b"))[2]
    assert text == "Connector a+b not found"


def test_the_name_in_the_configuration_must_fit(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    text = f"Connector name configuration (other) doesn't match connector name in the URL ({name})"
    config = {**ticker, "name": "other"}
    posted = worker.http.post("/connectors", json={"name": name, "config": config})
    assert error(posted) == (400, 400, text)
    put = worker.http.put(f"/connectors/{name}/config", json=config)
    assert error(put) == (400, 400, text)


def test_a_faulty_configuration_creates_nothing(
    worker: WorkerProcess, name: str, ticker: Config
) -> None:
    config = {**ticker, "tasks.max": "0", "interval.ms": "x"}
    answer = worker.http.post("/connectors", json={"name": name, "config": config})
    assert error(answer) == (
        400,
        400,
        (
            "Connector configuration is invalid and contains the following 2 error(s):\n"
            "Invalid value 0 for configuration tasks.max: Value must be at least 1\n"
            "Invalid value x for configuration interval.ms: Not a number of type INT\n"
            "You can also find the above list of errors at the endpoint "
            "`/connector-plugins/{connectorType}/config/validate`"
        ),
    )
    assert worker.http.get(f"/connectors/{name}").status_code == 404


def test_a_configuration_without_a_class_is_not_repeated(worker: WorkerProcess) -> None:
    for config in ({}, {"password": "s3cret"}):
        answer = worker.http.post("/connectors", json={"name": "x", "config": config})
        assert error(answer) == (400, 400, "Connector config contains no connector type")


def test_an_unknown_class(worker: WorkerProcess) -> None:
    config = {"connector.class": "io.debezium.connector.oracle.OracleConnector"}
    status, _, text = error(worker.http.post("/connectors", json={"name": "x", "config": config}))
    assert status == 400
    assert text.startswith(
        "Failed to find any class that implements Connector and which name matches "
        "io.debezium.connector.oracle.OracleConnector, available connectors are: "
    )


def test_put_creates_and_changes(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    path = f"/connectors/{name}/config"
    created = worker.http.put(path, json=ticker)
    assert created.status_code == 201
    assert created.headers["location"] == f"{worker.url}/connectors/{name}"
    topics.wait_for(name, 20)
    changed = worker.http.put(path, json={**ticker, "messages": "25"})
    assert changed.status_code == 200
    assert "location" not in changed.headers
    assert changed.json()["config"] == {**ticker, "messages": "25", "name": name}
    assert numbers([got.value for got in topics.wait_for(name, 25)]) == list(range(1, 26))


def test_a_converter_alone_restarts_the_task(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    worker.create(name, ticker)
    topics.wait_for(name, 20)
    converter = "org.apache.kafka.connect.storage.StringConverter"
    config = {**ticker, "messages": "21", "value.converter": converter}
    assert worker.http.put(f"/connectors/{name}/config", json=config).status_code == 200
    assert topics.wait_for(name, 21)[-1].value == b"{n=21}"


def test_patch(worker: WorkerProcess, name: str, ticker: Config) -> None:
    worker.create(name, {**ticker, "driver.a": "1", "driver.b": "2"})
    patch = {"driver.a": "changed", "driver.b": None, "driver.c": 3}
    answer = worker.http.patch(f"/connectors/{name}/config", json=patch)
    assert answer.status_code == 200
    expected = {**ticker, "driver.a": "changed", "driver.c": "3", "name": name}
    assert answer.json()["config"] == expected
    assert worker.http.get(f"/connectors/{name}/config").json() == expected
    empty = worker.http.patch(f"/connectors/{name}/config", json={})
    assert empty.json()["config"] == expected


def test_references_are_never_resolved_in_answers(
    worker: WorkerProcess, topics: Topics, name: str, ticker: Config
) -> None:
    file = worker.folder / f"{name}.properties"
    file.write_text("password=s3cret-of-the-file\n")
    reference = f"${{file:{file}:password}}"
    config = {**ticker, "password": reference, "password.is": "s3cret-of-the-file"}
    worker.create(name, config)
    topics.wait_for(name, 5)
    for path in ("", "/config", "/tasks", "/status"):
        answer = worker.http.get(f"/connectors/{name}{path}").text
        assert ("s3cret" in answer) == (path != "/status")  # password.is is written in plain
        assert answer.count("s3cret-of-the-file") == (0 if path == "/status" else 1)
    assert worker.http.get(f"/connectors/{name}/config").json()["password"] == reference
    file.unlink()
    refused = worker.http.post(f"/connectors/{name}/restart")
    assert error(refused) == (500, 500, f"Could not read properties from file {file}")
    status = worker.status(name)
    assert status["connector"]["state"] == "FAILED"
    assert "Could not read properties from file" in status["connector"]["trace"]
    assert [task["state"] for task in status["tasks"]] == ["RUNNING"]
    file.write_text("password=s3cret-of-the-file\n")
    assert worker.http.post(f"/connectors/{name}/restart").status_code == 204
    worker.wait_for_states(name, "RUNNING", "RUNNING")
