"""A run that cannot even be closed ends neither the task nor its reports."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from connector.capture.change import RowChanges
from connector.connectors import mysql_connector
from connector.errors import ClientFailedError
from connector.kafka.producer import Producer
from deploy.stack import KafkaBroker, MySql97
from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase, fresh_database
from tests.fixtures.topics import Topics
from tests.recovery.stopping import Stoppable


@pytest.fixture
def database(mysql: MySql97) -> Iterator[FreshDatabase]:
    with fresh_database(mysql) as made:
        yield made


def fail_once(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let the next producer fail when it sends and when it is closed; return what failed."""
    failed: list[str] = []
    send, close = Producer.send, Producer.close

    def failing_send(producer: Producer, *arguments: Any) -> Any:
        if not failed:
            failed.append("send")
            raise ClientFailedError("the producer failed")
        return send(producer, *arguments)

    def failing_close(producer: Producer) -> None:
        close(producer)
        if failed == ["send"]:
            failed.append("close")
            raise KafkaException(KafkaError(KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER))

    monkeypatch.setattr(Producer, "send", failing_send)
    monkeypatch.setattr(Producer, "close", failing_close)
    return failed


def test_a_task_restarts_although_its_last_run_cannot_be_closed(
    database: FreshDatabase,
    broker: KafkaBroker,
    topics: Topics,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prefix = f"closing{uuid.uuid4().hex[:8]}"
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
    producer = {"bootstrap.servers": broker.address, "linger.ms": 0}
    capture = Stoppable(mysql_connector(), config, producer)
    capture.run(lambda _: True)  # the snapshot
    database.execute("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    failed = fail_once(monkeypatch)
    capture.run(lambda change: isinstance(change, RowChanges) and change.rows[0][1] == (2,))
    assert failed == ["send", "close"]
    messages = topics.read(f"{prefix}.{database.name}.t")
    assert [message.payload()["after"]["id"] for message in messages] in ([1], [1, 2])
    topics.delete(topics.names(prefix))
