"""Configurations as Debezium's documentation printed them over the years start as they are.

Only addresses and credentials are replaced.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing

import pytest

from connector.mysql.old_names import translate
from tests.fixtures.topics import Topics
from tools.stack import CAPTURE, ConnectClient, DatabaseServer, KafkaBroker, MillraceWorker
from tools.stack.http import http

MYSQL = "io.debezium.connector.mysql.MySqlConnector"
GENERATIONS = {
    "0.5": {
        "connector.class": MYSQL,
        "database.hostname": "192.168.99.100",
        "database.port": "3306",
        "database.user": "debezium",
        "database.password": "dbz",
        "database.server.id": "184054",
        "database.server.name": "fullfillment",
        "database.whitelist": "inventory",
        "database.history.kafka.bootstrap.servers": "kafka:9092",
        "database.history.kafka.topic": "dbhistory.fullfillment",
        "include.schema.changes": "true",
    },
    "1.2": {
        "connector.class": MYSQL,
        "tasks.max": "1",
        "database.hostname": "mysql",
        "database.port": "3306",
        "database.user": "debezium",
        "database.password": "dbz",
        "database.server.id": "184054",
        "database.server.name": "dbserver1",
        "database.whitelist": "inventory",
        "database.history.kafka.bootstrap.servers": "my-cluster-kafka-bootstrap:9092",
        "database.history.kafka.topic": "schema-changes.inventory",
    },
    "1.9": {
        "connector.class": MYSQL,
        "database.hostname": "192.168.99.100",
        "database.port": "3306",
        "database.user": "debezium-user",
        "database.password": "debezium-user-pw",
        "database.server.id": "184054",
        "database.server.name": "fullfillment",
        "database.include.list": "inventory",
        "database.history.kafka.bootstrap.servers": "kafka:9092",
        "database.history.kafka.topic": "dbhistory.fullfillment",
        "include.schema.changes": "true",
    },
    "3.x": {
        "connector.class": MYSQL,
        "database.hostname": "192.168.99.100",
        "database.port": "3306",
        "database.user": "debezium-user",
        "database.password": "debezium-user-pw",
        "database.server.id": "184054",
        "topic.prefix": "fullfillment",
        "database.include.list": "inventory",
        "schema.history.internal.kafka.bootstrap.servers": "kafka:9092",
        "schema.history.internal.kafka.topic": "schemahistory.fullfillment",
        "include.schema.changes": "true",
    },
}
SIGNALS = {
    "read.only": "true",
    "incremental.snapshot.allow.schema.changes": "true",
    "incremental.snapshot.chunk.size": "5000",
    "signal.kafka.topic": "dbz-signals",
    "signal.kafka.bootstrap.servers": "kafka:9092",
}


@pytest.fixture
def client(millrace: MillraceWorker) -> Iterator[ConnectClient]:
    with closing(ConnectClient(millrace.url)) as made:
        yield made


@pytest.fixture
def inventory(mysql: DatabaseServer) -> Iterator[DatabaseServer]:
    mysql.execute(
        "DROP DATABASE IF EXISTS inventory",
        "CREATE DATABASE inventory",
        "CREATE TABLE inventory.customers (id INT PRIMARY KEY, name VARCHAR(20))",
        "INSERT INTO inventory.customers VALUES (1, 'Ada')",
    )
    yield mysql
    mysql.execute("DROP DATABASE inventory")


def here(config: dict[str, str], server: DatabaseServer, broker: KafkaBroker) -> dict[str, str]:
    """Return a configuration with the addresses and credentials of this run."""
    replaced = {
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": CAPTURE.user,
        "database.password": CAPTURE.password,
    }
    brokers = {key: broker.address for key in config if key.endswith("bootstrap.servers")}
    return {**config, **replaced, **brokers}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_printed_configuration_starts(
    client: ConnectClient,
    inventory: DatabaseServer,
    broker: KafkaBroker,
    topics: Topics,
    millrace: MillraceWorker,
    generation: str,
) -> None:
    config = here(GENERATIONS[generation], inventory, broker)
    translation = translate(config)
    name = f"inventory-{uuid.uuid4().hex[:8]}"
    prefix = translation.config["topic.prefix"]
    try:
        client.create(name, config)
        client.wait_for(name, "RUNNING")
        (message,) = topics.wait_for(f"{prefix}.inventory.customers", 1)
        assert message.payload()["after"] == {"id": 1, "name": "Ada"}
        log = millrace.log.read_text()
        for old, new in translation.renamed.items():
            assert f"Connector {name}: {old} is the old name of {new}, which it sets." in log
    finally:
        client.delete(name)
        topics.delete([*topics.names(prefix), *topics.names("dbhistory.")])
        topics.delete([*topics.names("schema-changes."), *topics.names("schemahistory.")])


def test_signals_of_a_printed_configuration_are_accepted(
    millrace: MillraceWorker, inventory: DatabaseServer, broker: KafkaBroker
) -> None:
    config = {**here(GENERATIONS["1.9"], inventory, broker), **SIGNALS, "name": "signals"}
    url = f"{millrace.url}/connector-plugins/{MYSQL}/config/validate"
    values = [entry["value"] for entry in http.put(url, json=config).json()["configs"]]
    found = {value["name"]: value["errors"] for value in values if value["errors"]}
    assert not found
