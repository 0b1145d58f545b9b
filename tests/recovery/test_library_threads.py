"""A task that ends leaves no threads and no connections of the Kafka library behind."""

from __future__ import annotations

import gc
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from connector.connectors import CaptureConnector
from connector.mysql import connector as family
from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.stopping import Stoppable
from tests.fixtures.topics import Topics
from tools.stack import KafkaBroker

SECONDS = 10.0


def threads() -> int:
    """Count the threads that the Kafka library has in this process."""
    return sum(
        (task / "comm").read_text().startswith("rdk:") for task in Path("/proc/self/task").iterdir()
    )


@pytest.fixture
def without_collection() -> Iterator[None]:
    """What refers to itself stays."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_collection")
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads below /proc")
def test_a_task_that_ends_takes_its_clients_with_it(
    database: FreshDatabase, broker: KafkaBroker, topics: Topics
) -> None:
    prefix = f"ends{uuid.uuid4().hex[:8]}"
    database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    config = connector(database.server, broker, prefix, database.name)
    client = {"bootstrap.servers": broker.address}
    capture = Stoppable(CaptureConnector(family.mysql()), config, client)
    before = threads()
    capture.run(lambda _: True)
    capture.run(lambda _: True)
    end = time.monotonic() + SECONDS
    while threads() > before and time.monotonic() < end:
        time.sleep(0.1)
    assert threads() == before
    topics.delete(topics.names(prefix))
