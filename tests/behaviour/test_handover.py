"""A connector goes from Kafka Connect to Millrace and back; each goes on where the other was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.fixtures.connectors import basic_config
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tools.stack import (
    OWNER,
    ConnectClient,
    ConnectWorker,
    KafkaBroker,
    MillraceWorker,
)

pytestmark = pytest.mark.slow

PAUSE = "('2', 'pause-snapshot', '{}')"
ROWS, CHUNK = 100, 7
TABLE = (
    "CREATE TABLE t (name VARCHAR(20), number BIGINT, amount DECIMAL(9,2), code VARBINARY(8), "
    "PRIMARY KEY (name, number, amount, code))"
)


class Host:
    """One of the two workers, with the connector or without."""

    def __init__(self, client: ConnectClient, name: str) -> None:
        self._client = client
        self._name = name

    def create(self, config: dict[str, str], state: str) -> None:
        body = {"name": self._name, "config": config, "initial_state": state}
        self._client.call("POST", "/connectors", body)

    def go(self) -> None:
        self._client.put(self._name, "resume")
        self._client.wait_for(self._name, "RUNNING")

    def stop(self) -> Any:
        """Stop the connector; return its offsets."""
        self._client.put(self._name, "stop")
        self._client.wait_for(self._name, "STOPPED")
        return self._client.call("GET", f"/connectors/{self._name}/offsets")

    def take(self, offsets: Any) -> None:
        self._client.call("PATCH", f"/connectors/{self._name}/offsets", offsets)

    def failure(self) -> str:
        """Return the trace of a task that failed, else nothing."""
        state, trace = self._client.state(self._name)
        return str(trace) if state == "FAILED" else ""

    def delete(self) -> None:
        if self._name in self._client.call("GET", "/connectors"):
            self._client.delete(self._name)


@pytest.fixture
def hosts(
    connect_worker: ConnectWorker, millrace: MillraceWorker, each_database: FreshDatabase
) -> Iterator[tuple[Host, Host]]:
    with (
        closing(ConnectClient(connect_worker.url)) as connect,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        both = Host(connect, each_database.name), Host(ours, each_database.name)
        yield both
        for host in both:
            host.delete()


def test_a_capture_goes_on_at_the_other_worker(
    hosts: tuple[Host, Host], each_database: FreshDatabase, broker: KafkaBroker, topics: Topics
) -> None:
    debezium, millrace = hosts
    database = each_database
    topic = f"{database.name}.{database.name}.t"
    config = config_of(database, broker)
    database.execute("CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")

    debezium.create(config, "RUNNING")
    topics.wait_for(topic, 1)
    database.execute(
        "INSERT INTO t VALUES (2)", "ALTER TABLE t ADD b INT", "INSERT INTO t VALUES (3, 3)"
    )
    topics.wait_for(topic, 3)
    offsets = debezium.stop()
    database.execute("INSERT INTO t VALUES (4, 4)", "ALTER TABLE t ADD c INT")
    database.execute("UPDATE t SET c = a", "DELETE FROM t WHERE a = 1")

    millrace.create(config, "STOPPED")
    millrace.take(offsets)
    millrace.go()
    topics.wait_for(topic, 10)  # one insert, four updates, one delete with its tombstone
    database.execute("INSERT INTO t VALUES (5, 5, 5)")
    topics.wait_for(topic, 11)
    offsets = millrace.stop()
    database.execute("ALTER TABLE t DROP COLUMN b", "INSERT INTO t VALUES (6, 6)")

    debezium.take(offsets)
    debezium.go()
    messages = topics.wait_for(topic, 12)
    assert [operation_and_row(message.payload()) for message in messages] == [
        ("r", {"a": 1}),
        ("c", {"a": 2}),
        ("c", {"a": 3, "b": 3}),
        ("c", {"a": 4, "b": 4}),
        ("u", {"a": 1, "b": None, "c": 1}),
        ("u", {"a": 2, "b": None, "c": 2}),
        ("u", {"a": 3, "b": 3, "c": 3}),
        ("u", {"a": 4, "b": 4, "c": 4}),
        ("d", None),
        None,
        ("c", {"a": 5, "b": 5, "c": 5}),
        ("c", {"a": 6, "c": 6}),
    ]


def test_debezium_skips_statements_that_millrace_could_not_read(
    hosts: tuple[Host, Host], each_database: FreshDatabase, broker: KafkaBroker, topics: Topics
) -> None:
    """They stand in the history under a name of their own, before the definitions found since."""
    debezium, millrace = hosts
    database = each_database
    topic, history = f"{database.name}.{database.name}.t", f"history.{database.name}"
    config = config_of(database, broker)
    database.execute("CREATE TABLE t (a INT PRIMARY KEY)", "CREATE TABLE other (a INT PRIMARY KEY)")
    database.execute("INSERT INTO t VALUES (1)")
    millrace.create(config, "RUNNING")
    topics.wait_for(topic, 1)
    database.execute(
        "SET sql_log_bin = 0",
        "ALTER TABLE t ADD COLUMN b INT FIRST",
        "SET sql_log_bin = 1",
        "ALTER TABLE t CHANGE b c INT DEFAULT 3",  # of a column that the log has not made
        "ALTER TABLE other ADD COLUMN d INT",
        "INSERT INTO t VALUES (2, 2)",
    )
    topics.wait_for(topic, 2)
    records = [json.loads(message.value or b"{}") for message in topics.read(history)]
    assert [record["unparsedDdl"] for record in records if "unparsedDdl" in record] == [
        "ALTER TABLE t CHANGE b c INT DEFAULT 3"
    ]
    offsets = millrace.stop()
    database.execute("INSERT INTO t VALUES (3, 3)", "INSERT INTO other VALUES (4, 4)")
    database.execute("ALTER TABLE t ADD e INT", "INSERT INTO t VALUES (5, 5, 5)")

    debezium.create(config, "STOPPED")
    debezium.take(offsets)
    debezium.go()
    messages = topics.wait_for(topic, 4)
    assert [operation_and_row(message.payload()) for message in messages] == [
        ("r", {"a": 1}),
        ("c", {"c": 2, "a": 2}),
        ("c", {"c": 3, "a": 3}),
        ("c", {"c": 5, "a": 5, "e": 5}),
    ]
    [other] = topics.wait_for(f"{database.name}.{database.name}.other", 1)
    assert operation_and_row(other.payload()) == ("c", {"a": 4, "d": 4})
    assert debezium.failure() == ""


def operation_and_row(event: Any) -> tuple[str, Any] | None:
    return None if event is None else (event["op"], event["after"])


def config_of(database: FreshDatabase, broker: KafkaBroker) -> dict[str, str]:
    return {
        **basic_config(database.server, broker, database.name),
        "database.include.list": database.name,
    }


def snapshot_state(offsets: Any) -> dict[str, Any]:
    """Return the keys of a snapshot that is not complete."""
    offset = offsets["offsets"][0]["offset"]
    found = {key: text for key, text in offset.items() if key.startswith("incremental_snapshot")}
    assert found, f"no snapshot runs any more: {offset}"
    return found


def test_an_incremental_snapshot_continues_at_the_other_worker(
    hosts: tuple[Host, Host],
    each_database: FreshDatabase,
    broker: KafkaBroker,
    topics: Topics,
) -> None:
    debezium, millrace = hosts
    database = each_database
    topic = f"{database.name}.{database.name}.t"
    config = config_of(database, broker) | {
        "database.user": OWNER.user,
        "database.password": OWNER.password,
        "snapshot.mode": "no_data",
        "signal.data.collection": f"{database.name}.signals",
        "incremental.snapshot.chunk.size": str(CHUNK),
    }
    database.execute(TABLE)
    database.execute("CREATE TABLE signals (id VARCHAR(42), type VARCHAR(32), data VARCHAR(2048))")
    rows = ", ".join(f"('n{n % 7}', {n}, {n}.25, X'{n:08x}')" for n in range(ROWS))
    database.execute(f"INSERT INTO t VALUES {rows}")
    data = json.dumps({"data-collections": [f"{database.name}.t"]})

    debezium.create(config, "RUNNING")
    topics.wait_for(database.name, 1)
    # Both signals are read before the first chunk ends: no other one follows it.
    database.execute(f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}'), {PAUSE}")
    topics.wait_for(topic, CHUNK)
    offsets = debezium.stop()
    first = snapshot_state(offsets)

    database.execute(f"INSERT INTO signals VALUES {PAUSE}")
    millrace.create(config, "STOPPED")
    millrace.take(offsets)
    millrace.go()
    topics.wait_for(topic, 2 * CHUNK)
    offsets = millrace.stop()
    second = snapshot_state(offsets)
    assert first.keys() == second.keys()
    assert [first[key] == second[key] for key in sorted(first)] == [True, True, True, False]

    debezium.take(offsets)
    debezium.go()
    topics.wait_for(topic, ROWS)
    rows_read = [json.dumps(message.payload()["after"]) for message in topics.read(topic)]
    assert len(set(rows_read)) == len(rows_read) == ROWS
