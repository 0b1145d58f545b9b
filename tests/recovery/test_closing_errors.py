"""A run that cannot even be closed ends neither the task nor its reports."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from connector.capture.change import Change, RowChanges
from connector.connectors import CaptureConnector
from connector.errors import ClientFailedError
from connector.kafka.topics import Topics as KafkaTopics
from connector.mysql import connector as mysql_family
from connector.mysql.source import MySqlSource
from connector.plugin import TaskContext
from connector.task.capture import Capture
from connector.worker.topic_creation import GroupTopicCreator
from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase, fresh_database
from tests.fixtures.stopping import Stoppable
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MySql97


class UnclosableHook:
    """A hook of heartbeats; once ``fails`` is set, it cannot be closed one time."""

    fails = False

    def run(self) -> None:
        """Do nothing: no test waits for a heartbeat."""

    def close(self) -> None:
        if self.fails:
            self.fails = False
            raise OSError("Connection reset by peer")


class HookedConnector(CaptureConnector[MySqlSource]):
    """The MySQL connector with a hook of heartbeats."""

    def __init__(self, hook: UnclosableHook) -> None:
        super().__init__(mysql_family.mysql())
        self._hook = hook

    def open_capture(self, config: Mapping[str, str], context: TaskContext, run: str) -> Capture:
        capture = super().open_capture(config, context, run)
        return replace(capture, heartbeat_action=self._hook)


class TopicsThatFailOnce(GroupTopicCreator):
    """Fails at the first topic, as a Kafka client does that cannot be used any more."""

    failed = False

    def ensure(self, topic: str) -> int:
        if not self.failed:
            self.failed = True
            raise ClientFailedError("the client failed")
        return super().ensure(topic)


@pytest.fixture
def database(mysql: MySql97) -> Iterator[FreshDatabase]:
    with fresh_database(mysql) as made:
        yield made


@pytest.fixture
def prefix(topics: Topics) -> Iterator[str]:
    prefix = f"closing{uuid.uuid4().hex[:8]}"
    yield prefix
    topics.delete(topics.names(prefix))


@pytest.fixture
def capture(database: FreshDatabase, broker: KafkaBroker, prefix: str, tmp_path: Path) -> Stoppable:
    """A connector that has streamed, and fails at the first row that comes now."""
    config = connector(
        database.server,
        broker,
        prefix,
        database.name,
        snapshot_mode="no_data",
        schema_history_internal="io.debezium.storage.file.history.FileSchemaHistory",
        schema_history_internal_file_filename=str(tmp_path / "history"),
    )
    database.execute("CREATE TABLE t (id INT PRIMARY KEY)")
    client = {"bootstrap.servers": broker.address}
    hook = UnclosableHook()
    capture = Stoppable(HookedConnector(hook), config, {**client, "linger.ms": 0})
    capture.run(lambda _: True)  # the snapshot
    hook.fails = True
    capture.topics = TopicsThatFailOnce(KafkaTopics(client), [], enabled=True)
    database.execute("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    return capture


def has_row(number: int) -> Callable[[Change], bool]:
    return lambda change: isinstance(change, RowChanges) and change.rows[0][1] == (number,)


def test_a_task_restarts_although_its_last_run_cannot_be_closed(
    capture: Stoppable, database: FreshDatabase, topics: Topics, prefix: str
) -> None:
    runs = 0

    def second_run(change: Change) -> bool:
        nonlocal runs
        runs += has_row(1)(change)
        return runs == 2 and has_row(2)(change)

    capture.run(second_run)
    assert runs == 2
    messages = topics.read(f"{prefix}.{database.name}.t")
    assert [message.payload()["after"]["id"] for message in messages] in ([1], [1, 2])


def test_a_task_that_ends_by_an_error_of_its_own_reports_that(capture: Stoppable) -> None:
    """Here the report of a fault fails, in the middle of a restart."""
    reports: list[tuple[str, str | None]] = []

    def report(state: str, trace: str | None) -> None:
        reports.append((state, trace))
        if state != "FAILED" and trace:
            raise RuntimeError("the status cannot be written")

    task = capture.task(report)
    task.start()
    try:
        wait_for(lambda: reports and reports[-1][0] == "FAILED", 30, "the report of the failure")
    finally:
        task.stop(10)
    assert "the status cannot be written" in (reports[-1][1] or "")
