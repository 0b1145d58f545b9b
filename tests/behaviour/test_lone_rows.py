"""A single row reaches Kafka at once; linger.ms is for rows that others follow.

Nor does the task wait for it where it needs acknowledgements before it goes on.
"""

from __future__ import annotations

import time
import uuid
from pathlib import Path

import pytest

from connector.connectors import CaptureConnector
from connector.kafka import producer
from connector.kafka.producer_defaults import DEFAULTS
from connector.mysql import connector as family
from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.stopping import Stoppable
from tests.fixtures.topics import Topics
from tools.stack import KafkaBroker

LONG = {"linger.ms": 60_000}
pytestmark = pytest.mark.usefixtures("long_linger")


@pytest.fixture
def long_linger(monkeypatch: pytest.MonkeyPatch) -> None:
    """The producer's default, which the user has not set, is a minute."""
    monkeypatch.setattr(producer, "DEFAULTS", {**DEFAULTS, **LONG})


def test_rows_of_an_idle_database_do_not_wait_for_others(
    each_database: FreshDatabase,
    broker: KafkaBroker,
    topics: Topics,
    tmp_path: Path,
) -> None:
    prefix = f"lone{uuid.uuid4().hex[:8]}"
    each_database.execute("CREATE TABLE t (id INT PRIMARY KEY)")
    capture = _capture(each_database, broker, prefix, tmp_path, snapshot_mode="no_data")
    capture.run(lambda _: True)  # the snapshot
    task = capture.task(lambda *_: None)
    task.start()
    try:
        for number in range(1, 5):
            each_database.execute(f"INSERT INTO t VALUES ({number})")
            start = time.monotonic()
            topics.wait_for(f"{prefix}.{each_database.name}.t", number)
            assert time.monotonic() - start < LONG["linger.ms"] / 2000
    finally:
        task.stop(20)
        topics.delete(topics.names(prefix))


def test_an_offset_that_is_due_does_not_wait_for_rows(
    each_database: FreshDatabase,
    broker: KafkaBroker,
    topics: Topics,
    tmp_path: Path,
) -> None:
    prefix = f"due{uuid.uuid4().hex[:8]}"
    each_database.execute("CREATE TABLE t (id INT PRIMARY KEY)")
    each_database.execute("INSERT INTO t VALUES (1)")
    capture = _capture(each_database, broker, prefix, tmp_path, millrace_snapshot_resumable="true")
    start = time.monotonic()
    capture.run(lambda _: True)  # the snapshot, whose offset is stored before the stream is read
    assert time.monotonic() - start < LONG["linger.ms"] / 2000
    topics.delete(topics.names(prefix))


def _capture(
    database: FreshDatabase, broker: KafkaBroker, prefix: str, folder: Path, **more: str
) -> Stoppable:
    config = connector(
        database.server,
        broker,
        prefix,
        database.name,
        schema_history_internal="io.debezium.storage.file.history.FileSchemaHistory",
        schema_history_internal_file_filename=str(folder / "history"),
        **more,
    )
    server = getattr(family, database.server.name)
    return Stoppable(CaptureConnector(server()), config, {"bootstrap.servers": broker.address})
