"""Kafka that requires a login or a certificate: the settings are those of Kafka Connect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.secured_broker import SecuredBroker, token_endpoint
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import ConnectClient, KafkaBroker, MillraceWorker, Workspace

REASON = "invalid credentials with SASL mechanism SCRAM-SHA-512"
MECHANISMS = (
    "SCRAM-SHA-512",
    "OAUTHBEARER",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("PLAIN", "SCRAM-SHA-256", "TLS")),
)


@pytest.fixture(scope="module")
def secured(workspace: Workspace) -> Iterator[SecuredBroker]:
    with SecuredBroker(workspace) as broker:
        yield broker


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_rows_arrive(
    workspace: Workspace, secured: SecuredBroker, database: FreshDatabase, mechanism: str
) -> None:
    """The worker's own topics, messages, schema history and new topics: each has its client."""
    name = database.name
    database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    with ExitStack() as opened:
        url = opened.enter_context(token_endpoint()) if mechanism == "OAUTHBEARER" else ""
        settings = secured.client(mechanism, url)
        security = {key: text for key, text in settings.items() if key != "bootstrap.servers"}
        parts = ("", "producer.", "consumer.", "admin.")
        worker = MillraceWorker(
            workspace,
            secured,
            group=name,
            properties={"bootstrap.servers": settings["bootstrap.servers"]}
            | {f"{part}{key}": text for part in parts for key, text in security.items()},
        )
        opened.enter_context(worker)
        client = opened.enter_context(closing(ConnectClient(worker.url)))
        history = "schema.history.internal."
        config = connector(database.server, secured, name, name) | {
            f"{history}kafka.bootstrap.servers": settings["bootstrap.servers"],
            **{f"{history}producer.{key}": text for key, text in security.items()},
            **{f"{history}consumer.{key}": text for key, text in security.items()},
            "topic.creation.default.replication.factor": "1",
            "topic.creation.default.partitions": "1",
        }
        client.create(name, config)
        client.wait_for(name, "RUNNING")
        database.execute("INSERT INTO t VALUES (2)")
        topics = Topics(secured.address)

        def ids() -> list[int]:
            return [message.payload()["after"]["id"] for message in topics.read(f"{name}.{name}.t")]

        wait_for(lambda: ids() == [1, 2], 30, "both rows")
        client.put(name, "stop")
        client.wait_for(name, "STOPPED")
        client.put(name, "resume")
        database.execute("INSERT INTO t VALUES (3)")
        wait_for(lambda: ids() == [1, 2, 3], 30, "the third row")
        assert "quoted" not in worker.log.read_text(), "a password is in the log"
        client.delete(name)


def test_a_wrong_password_is_named(
    secured: SecuredBroker,
    millrace: MillraceWorker,
    broker: KafkaBroker,
    database: FreshDatabase,
) -> None:
    """The worker's own client may write; that of the connector may not."""
    name = database.name
    database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    settings, wrong = secured.client("SCRAM-SHA-512"), f"wrong{name}"
    settings["sasl.jaas.config"] = settings["sasl.jaas.config"].replace("quoted", wrong)
    override = {f"producer.override.{key}": text for key, text in settings.items()}
    with closing(ConnectClient(millrace.url)) as client:
        client.create(name, connector(database.server, broker, name, name) | override)

        def explained() -> tuple[str, str] | None:
            found = client.state(name)
            return found if REASON in found[1] else None

        state, trace = wait_for(explained, 60, "the reason")
        log = millrace.log.read_text()
        client.delete(name)
    assert (state, trace.partition(":")[0]) == ("RUNNING", "Kafka does not acknowledge messages")
    assert wrong not in trace + log
