"""Faults that only a person can mend: the task is FAILED, and its trace names cause and remedy."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import ConnectClient, KafkaBroker, MillraceWorker, MySql97, StackError

LONG = 60.0


class Faulty:
    """One connector of the shared worker."""

    def __init__(
        self,
        client: ConnectClient,
        topics: Topics,
        database: FreshDatabase,
        broker: KafkaBroker,
    ) -> None:
        self.client = client
        self.topics = topics
        self.database = database
        self.name = f"fault{uuid.uuid4().hex[:8]}"
        self.config = connector(database.server, broker, self.name, database.name)

    @property
    def history(self) -> str:
        return self.config["schema.history.internal.kafka.topic"]

    def create(self, **more: str) -> None:
        self.config |= {name.replace("_", "."): text for name, text in more.items()}
        self.client.create(self.name, self.config)

    def stream(self) -> None:
        """Come to the point where rows of the log are captured."""
        self.database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
        self.create()
        topic = f"{self.name}.{self.database.name}.t"
        self.topics.wait_for(topic, 1)
        self.client.wait_for(self.name, "RUNNING")
        self.database.execute("INSERT INTO t VALUES (2)")
        self.topics.wait_for(topic, 2)

    def stop(self) -> None:
        self.client.put(self.name, "stop")
        self.client.wait_for(self.name, "STOPPED")

    def resume(self) -> None:
        self.client.put(self.name, "resume")

    def trace(self) -> str:
        """Wait for the failure and return the first line of the trace: all that a UI shows."""
        wait_for(lambda: self.client.state(self.name)[0] == "FAILED", LONG, "a failure")
        return self.client.state(self.name)[1].splitlines()[0]

    def close(self) -> None:
        if self.name in self.client.call("GET", "/connectors"):
            self.client.delete(self.name)
        self.topics.delete([name for name in self.topics.names() if self.name in name])


@pytest.fixture
def faulty(
    millrace: MillraceWorker, topics: Topics, database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Faulty]:
    client = ConnectClient(millrace.url)
    made = Faulty(client, topics, database, broker)
    yield made
    made.close()
    client.close()


@pytest.fixture
def user(mysql: MySql97) -> Iterator[str]:
    """An account with the privileges of a capture, whose password is its name."""
    name = f"user{uuid.uuid4().hex[:8]}"
    mysql.execute(
        f"CREATE USER {name} IDENTIFIED WITH caching_sha2_password BY '{name}'",
        f"GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT "
        f"ON *.* TO {name}",
    )
    yield name
    mysql.execute(f"DROP USER {name}")


def test_a_purged_position(faulty: Faulty) -> None:
    faulty.stream()
    faulty.stop()
    server = faulty.database.server
    faulty.database.execute("INSERT INTO t VALUES (3)")
    server.execute("FLUSH BINARY LOGS")
    [*_, (last, *_rest)] = server.query("SHOW BINARY LOGS")
    server.execute(f"PURGE BINARY LOGS TO '{last}'")
    faulty.resume()
    trace = faulty.trace()
    assert trace.startswith("PositionLostError: "), trace
    assert "no longer available on the server" in trace
    assert "snapshot.mode=when_needed" in trace


def test_an_account_that_is_locked_under_way(faulty: Faulty, user: str) -> None:
    faulty.config |= {"database.user": user, "database.password": user}
    faulty.stream()
    server = faulty.database.server
    server.execute(f"ALTER USER {user} ACCOUNT LOCK")
    sessions = "SELECT id FROM information_schema.processlist WHERE user = %s"
    for (session,) in server.query(sessions, user):
        server.execute(f"KILL {session}")
    trace = faulty.trace()
    assert "Account is locked" in trace, trace
    assert "Check user, password and privileges, then restart the task." in trace


@pytest.mark.parametrize("key", ["database.user", "database.password"])
def test_wrong_credentials_are_refused_at_once(faulty: Faulty, key: str) -> None:
    secret = f"wrong{uuid.uuid4().hex}"
    with pytest.raises(StackError, match="Access denied") as refused:
        faulty.client.create(faulty.name, faulty.config | {key: secret})
    assert "400" in str(refused.value)
    if key == "database.password":
        assert secret not in str(refused.value)


def test_a_password_that_was_changed(faulty: Faulty, user: str) -> None:
    faulty.config |= {"database.user": user, "database.password": user}
    faulty.stream()
    faulty.stop()
    faulty.database.server.execute(f"ALTER USER {user} IDENTIFIED BY 'another'")
    faulty.resume()
    trace = faulty.trace()
    assert trace.startswith("AccessDeniedError: Access denied for user"), trace
    assert "Check user, password and privileges, then restart the task." in trace


@pytest.mark.parametrize("privilege", ["REPLICATION SLAVE", "REPLICATION CLIENT"])
def test_a_privilege_that_was_taken_away(faulty: Faulty, user: str, privilege: str) -> None:
    faulty.config |= {"database.user": user, "database.password": user}
    faulty.stream()
    faulty.stop()
    faulty.database.server.execute(f"REVOKE {privilege} ON *.* FROM {user}")
    faulty.resume()
    trace = faulty.trace()
    assert trace.startswith("AccessDeniedError: "), trace
    assert privilege in trace


def test_a_missing_schema_history(faulty: Faulty) -> None:
    faulty.stream()
    faulty.stop()
    faulty.topics.delete([faulty.history])
    faulty.resume()
    trace = faulty.trace()
    assert trace.startswith("LostHistoryError: The schema history is missing or empty"), trace
    assert "snapshot.mode=recovery" in trace


def test_an_empty_schema_history(faulty: Faulty) -> None:
    faulty.stream()
    faulty.stop()
    faulty.topics.delete([faulty.history])
    wait_for(lambda: faulty.history not in faulty.topics.names(), LONG, "the topic's end")
    faulty.topics.create(faulty.history)
    faulty.resume()
    trace = faulty.trace()
    assert trace.startswith("LostHistoryError: The schema history is missing or empty"), trace


def test_the_remedy_helps(faulty: Faulty) -> None:
    faulty.stream()
    faulty.stop()
    faulty.topics.delete([faulty.history])
    faulty.resume()
    faulty.trace()
    faulty.database.execute("INSERT INTO t VALUES (3)")
    config = faulty.config | {"snapshot.mode": "recovery"}
    faulty.client.call("PUT", f"/connectors/{faulty.name}/config", config)
    messages = faulty.topics.wait_for(f"{faulty.name}.{faulty.database.name}.t", 3)
    assert [message.payload()["after"]["id"] for message in messages] == [1, 2, 3]


def test_another_name_of_the_server_is_another_capture(faulty: Faulty) -> None:
    """Offsets and topics are those of a topic.prefix: with another one everything starts again."""
    faulty.stream()
    other = f"{faulty.name}b"
    config = faulty.config | {"topic.prefix": other}
    faulty.client.call("PUT", f"/connectors/{faulty.name}/config", config)
    topic = f"{other}.{faulty.database.name}.t"
    messages = faulty.topics.wait_for(topic, 2)
    assert [message.payload()["op"] for message in messages] == ["r", "r"]
    faulty.database.execute("INSERT INTO t VALUES (3)")
    messages = faulty.topics.wait_for(topic, 3)
    assert [message.payload()["after"]["id"] for message in messages] == [1, 2, 3]
    assert len(faulty.topics.read(f"{faulty.name}.{faulty.database.name}.t")) == 2


def test_what_belongs_to_javas_driver_is_no_fault(faulty: Faulty) -> None:
    faulty.config |= {"driver.connectTimeout": "5000", "no.such.key": "1"}
    path = f"/connector-plugins/{faulty.config['connector.class']}/config/validate"
    found = faulty.client.call("PUT", path, faulty.config | {"name": faulty.name})
    assert found["error_count"] == 0, found
    faulty.stream()
