"""Plugins, their keys, and validation over HTTP."""

from __future__ import annotations

import pytest

from tests.fixtures.validation import BASE
from tests.fixtures.worker import WorkerProcess
from tests.rest.answers import Config, error
from tests.rest.ticker import CLASS, VERSION

MYSQL = "io.debezium.connector.mysql.MySqlConnector"
MARIADB = "io.debezium.connector.mariadb.MariaDbConnector"


def test_connectors_are_listed(worker: WorkerProcess) -> None:
    found = worker.http.get("/connector-plugins").json()
    assert {"class": CLASS, "type": "source", "version": VERSION} in found
    assert {MYSQL, MARIADB} <= {row["class"] for row in found}
    assert all(list(row) == ["class", "type", "version"] for row in found)


def test_all_plugins_are_listed(worker: WorkerProcess) -> None:
    found = worker.http.get("/connector-plugins?connectorsOnly=false").json()
    assert {"source", "transformation", "predicate", "converter", "header_converter"} == {
        row["type"] for row in found
    }


def test_keys_of_a_connector(worker: WorkerProcess) -> None:
    for plugin in (CLASS, "TickerConnector", "Ticker"):
        found = worker.http.get(f"/connector-plugins/{plugin}/config").json()
        names = [key["name"] for key in found]
        assert names[0] == "topic"
        assert set(BASE) < set(names)
        assert len(names) == len(set(names))
    assert list(found[0]) == [
        "name", "type", "required", "default_value", "importance", "documentation", "group",
        "order_in_group", "order", "width", "display_name", "dependents",
    ]  # fmt: skip


@pytest.mark.parametrize("plugin", ["org.apache.kafka.connect.json.JsonConverter", "Json"])
def test_keys_of_a_converter(worker: WorkerProcess, plugin: str) -> None:
    found = worker.http.get(f"/connector-plugins/{plugin}/config").json()
    assert "schemas.enable" in [key["name"] for key in found]


def test_unknown_plugins(worker: WorkerProcess) -> None:
    unknown = worker.http.get("/connector-plugins/Foo/config")
    assert error(unknown) == (404, 404, "Unknown plugin Foo.")


def test_the_keys_of_a_version(worker: WorkerProcess) -> None:
    path = "/connector-plugins/Ticker/config?version="
    for met in ("latest", VERSION, "[1,2)", "(,1.3]"):
        assert worker.http.get(path + met).status_code == 200
    missed = f"Plugin {CLASS} not found that matches the version range [9,9], "
    available = f"available versions: [{VERSION}]"
    assert error(worker.http.get(path + "9")) == (400, 400, missed + available)
    assert error(worker.http.get(path + "[1")) == (400, 400, "Invalid version specification: [1")


@pytest.mark.parametrize("plugin", [CLASS, "TickerConnector", "Ticker"])
def test_validation_answers_200_whatever_it_finds(worker: WorkerProcess, plugin: str) -> None:
    path = f"/connector-plugins/{plugin}/config/validate"
    good = {"name": "c", "connector.class": CLASS, "topic": "t"}
    answer = worker.http.put(path, json=good)
    assert (answer.status_code, answer.json()["error_count"]) == (200, 0)
    assert answer.json()["name"] == CLASS
    assert list(answer.json()) == ["name", "error_count", "groups", "configs"]
    bad = worker.http.put(path, json={"connector.class": CLASS, "tasks.max": "x"})
    assert (bad.status_code, bad.json()["error_count"]) == (200, 3)
    first = bad.json()["configs"][0]
    assert list(first) == ["definition", "value"]
    assert first["value"] == {
        "name": "name",
        "value": None,
        "recommended_values": [],
        "errors": ['Missing required configuration "name" which has no default value.'],
        "visible": True,
    }


def test_validation_of_another_class(worker: WorkerProcess) -> None:
    for included, plugin in ((CLASS, MYSQL), (MARIADB, MYSQL), ("TickerConnectorX", "Ticker")):
        answer = worker.http.put(
            f"/connector-plugins/{plugin}/config/validate", json={"connector.class": included}
        )
        text = f"Included connector type {included} does not match request type {plugin}"
        assert error(answer) == (400, 400, text)


def test_validation_without_a_class(worker: WorkerProcess) -> None:
    answer = worker.http.put(f"/connector-plugins/{CLASS}/config/validate", json={"topic": "t"})
    assert error(answer) == (400, 400, "Connector config contains no connector type")


def test_validation_shows_no_secret(worker: WorkerProcess, ticker: Config) -> None:
    file = worker.folder / "validated.properties"
    file.write_text("word=s3cret-word\n")
    config = {
        **ticker,
        "name": "c",
        "password": f"${{file:{file}:word}}",
        "interval.ms": f"${{file:{file}:word}}",
        "errors.log.enable": f"${{file:{file}:word}}",
        "password.is": "other",
    }
    answer = worker.http.put(f"/connector-plugins/{CLASS}/config/validate", json=config)
    assert answer.json()["error_count"] == 3
    assert "s3cret-word" not in answer.text
    assert "s3cret-word" not in worker.log.read_text()
