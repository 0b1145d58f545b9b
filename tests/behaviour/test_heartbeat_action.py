"""heartbeat.action.query: a statement that is run with every heartbeat."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.fixtures.connectors import basic_config
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import ConnectClient, KafkaBroker, MillraceWorker


@pytest.fixture
def client(millrace: MillraceWorker) -> Iterator[ConnectClient]:
    with closing(ConnectClient(millrace.url)) as made:
        yield made


def config_of(database: FreshDatabase, broker: KafkaBroker, action: str) -> dict[str, str]:
    return {
        **basic_config(database.server, broker, database.name),
        "database.user": "owner",
        "database.password": "owner",
        "database.include.list": database.name,
        "heartbeat.interval.ms": "1000",
        "heartbeat.action.query": action,
    }


def test_it_is_run_again_and_again_whether_or_not_it_succeeds(
    client: ConnectClient, broker: KafkaBroker, database: FreshDatabase, topics: Topics
) -> None:
    name = database.name
    beat = f"INSERT INTO {name}.beats VALUES (NULL, 'beat')"
    client.create(name, config_of(database, broker, beat))
    client.wait_for(name, "RUNNING")
    topics.wait_for(f"__debezium-heartbeat.{name}", 2)  # there is no such table until now
    database.execute("CREATE TABLE beats (id INT PRIMARY KEY AUTO_INCREMENT, what TEXT)")
    messages = topics.wait_for(f"{name}.{name}.beats", 2)
    state = client.state(name)[0]
    client.delete(name)
    assert state == "RUNNING"
    rows = [message.payload()["after"] for message in messages]
    assert rows == [{"id": number, "what": "beat"} for number in range(1, len(rows) + 1)]


def test_a_statement_that_is_wrong_fails_the_task(
    client: ConnectClient, broker: KafkaBroker, database: FreshDatabase
) -> None:
    database.execute("CREATE TABLE t (id INT PRIMARY KEY)")
    client.create(database.name, config_of(database, broker, "INSERT INTO"))
    state, trace = wait_for(
        lambda: found if (found := client.state(database.name))[0] == "FAILED" else None, 60
    )
    client.delete(database.name)
    assert state == "FAILED"
    assert trace.startswith("StopError: The statement of heartbeat.action.query cannot be run")
