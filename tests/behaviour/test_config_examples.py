"""Every file of `config-examples` works unchanged, except for the addresses in it.

The worker files start a worker of their own each; the connectors run on the first of them, on a
broker of their own, as the group and the topics are those that the files name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connector.properties import read_properties
from tests.fixtures.topics import Topics
from tests.fixtures.worker import WorkerProcess
from tools.demo.stage import EXAMPLES, fill_config
from tools.stack import DatabaseServer, KafkaBroker, Workspace

CONNECTORS = sorted(EXAMPLES.glob("*.json"))
WORKERS = sorted(EXAMPLES.glob("*.properties"))
SERVERS = {
    "io.debezium.connector.mysql.MySqlConnector": "mysql",
    "io.debezium.connector.mariadb.MariaDbConnector": "mariadb",
}


@pytest.fixture(scope="module")
def own_broker(workspace: Workspace) -> Iterator[KafkaBroker]:
    with KafkaBroker(workspace) as broker:
        yield broker


@pytest.fixture(scope="module")
def worker(
    own_broker: KafkaBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[WorkerProcess]:
    folder = tmp_path_factory.mktemp("examples")
    with worker_of(EXAMPLES / "worker.properties", own_broker, folder) as running:
        yield running


@pytest.fixture
def inventory(request: pytest.FixtureRequest) -> Iterator[DatabaseServer]:
    """The server of a connector's example, with the database that the example captures."""
    server: DatabaseServer = request.getfixturevalue(request.param)
    server.execute(
        "DROP DATABASE IF EXISTS inventory",
        "CREATE DATABASE inventory",
        "CREATE TABLE inventory.customers (id INT PRIMARY KEY, name VARCHAR(20))",
        "INSERT INTO inventory.customers VALUES (1, 'Ada')",
    )
    yield server
    server.execute("DROP DATABASE inventory")


def worker_of(
    file: Path, broker: KafkaBroker, folder: Path, connectors: tuple[Path, ...] = ()
) -> WorkerProcess:
    """Return a worker with the settings of an example and the addresses of this run."""
    worker = WorkerProcess(folder, broker.address, connectors=connectors)
    worker.properties = read_properties(file) | {
        "bootstrap.servers": broker.address,
        "listeners": worker.url,
    }
    if "offset.storage.file.filename" in worker.properties:
        offsets = folder / worker.properties["offset.storage.file.filename"]
        worker.properties["offset.storage.file.filename"] = str(offsets)
    return worker


def example(file: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(file.read_text())
    return document


def server_of(file: Path) -> str:
    return SERVERS[example(file)["config"]["connector.class"]]


by_connector = pytest.mark.parametrize(
    ("file", "inventory"),
    [pytest.param(file, server_of(file), id=file.name) for file in CONNECTORS],
    indirect=["inventory"],
)


def test_every_example_has_a_known_kind() -> None:
    assert {file.suffix for file in EXAMPLES.iterdir()} == {".json", ".properties", ".md", ".yaml"}
    assert CONNECTORS
    assert WORKERS


@by_connector
def test_a_connector_is_valid(
    worker: WorkerProcess, own_broker: KafkaBroker, inventory: DatabaseServer, file: Path
) -> None:
    config = {
        **fill_config(example(file)["config"], inventory, own_broker),
        "name": example(file)["name"],
    }
    plugin = config["connector.class"]
    answer = worker.http.put(f"/connector-plugins/{plugin}/config/validate", json=config)
    assert answer.status_code == 200, answer.text
    report = answer.json()
    values = {item["value"]["name"]: item["value"] for item in report["configs"]}
    assert {name: value["errors"] for name, value in values.items() if value["errors"]} == {}
    assert report["error_count"] == 0
    # Settings of the history's own clients are in no report, nor are ours: Debezium does not
    # define them, and the report is the same.
    checked = {
        key for key in config if not key.startswith(("schema.history.internal.", "millrace."))
    }
    assert values.keys() >= checked, "a key that no connector knows"


@by_connector
def test_a_connector_runs_and_captures(
    worker: WorkerProcess, own_broker: KafkaBroker, inventory: DatabaseServer, file: Path
) -> None:
    name, config = example(file)["name"], example(file)["config"]
    worker.create(name, fill_config(config, inventory, own_broker))
    try:
        worker.wait_for_states(name, "RUNNING", "RUNNING")
        topic = f"{config['topic.prefix']}.inventory.customers"
        messages = Topics(own_broker.address).wait_for(topic, 1)
    finally:
        assert worker.http.delete(worker.path(name)).status_code == 204
    event = messages[0].payload()
    assert event["after"] == {"id": 1, "name": "Ada"}
    listed = {item["class"]: item for item in worker.http.get("/connector-plugins").json()}
    assert listed[config["connector.class"]]["version"] == event["source"]["version"]


@pytest.mark.parametrize("file", WORKERS, ids=[file.name for file in WORKERS])
@pytest.mark.parametrize("inventory", ["mysql"], indirect=True)
def test_a_worker_starts_with_a_connector_and_stops(
    own_broker: KafkaBroker, inventory: DatabaseServer, tmp_path: Path, file: Path
) -> None:
    """`millrace WORKER mysql-source.json`, as the README says; the connector has its own name."""
    connector = tmp_path / "mysql-source.json"
    given = example(EXAMPLES / connector.name)
    name = f"{file.stem}-{given['name']}"
    config = fill_config(given["config"], inventory, own_broker) | {
        "database.server.id": "184099",
        "topic.prefix": name,
        "schema.history.internal.kafka.topic": f"schema-history.{name}",
    }
    connector.write_text(json.dumps({"name": name, "config": config}))
    worker = worker_of(file, own_broker, tmp_path, (connector,))
    if "group.id" in worker.properties:  # the module's worker has this group and these topics
        worker.properties |= {
            key: f"second-{text}"
            for key, text in worker.properties.items()
            if key == "group.id" or key.endswith("storage.topic")
        }
    with worker:
        worker.wait_for_states(name, "RUNNING", "RUNNING")
        Topics(own_broker.address).wait_for(f"{name}.inventory.customers", 1)
        assert worker.stop() == 0
    assert "isn't a known config" not in worker.log.read_text()
