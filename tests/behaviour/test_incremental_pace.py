"""The pace of incremental snapshots: chunks that take a set time, or wait for the stream."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from tests.fixtures.capture import LONG, SIGNALS, Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker

ROWS = 700


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, mariadb_database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    made = Capture(millrace, topics, mariadb_database, broker)
    made.take_signals()
    made.config["incremental.snapshot.chunk.size"] = "10"
    yield made
    made.close()


def begin(capture: Capture) -> None:
    """Start the connector, which has not read the rows of a table."""
    capture.config["snapshot.include.collection.list"] = rf"{capture.database.name}\.t"
    capture.database.execute(
        "CREATE TABLE many (id INT PRIMARY KEY)",
        f"INSERT INTO many SELECT seq FROM seq_1_to_{ROWS}",
    )
    capture.start(SIGNALS)


def execute(capture: Capture) -> None:
    data = json.dumps({"data-collections": [f"{capture.database.name}.many"]})
    capture.database.execute(f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}')")


def test_chunks_grow_until_they_take_the_configured_time(capture: Capture) -> None:
    capture.config["millrace.incremental.snapshot.chunk.ms"] = "5000"
    begin(capture)
    execute(capture)
    found = [one["additional_data"] for one in capture.wait_for_end()]
    keys = [int(data["last_processed_key"]) for data in found if "last_processed_key" in data]
    sizes = [to - after for after, to in pairwise([0, *keys])]
    assert sizes == [10, 20, 40, 80, 160, 320, 70]
    assert [row["id"] for row in capture.read_rows("many")] == list(range(1, ROWS + 1))


@contextmanager
def old_changes(database: FreshDatabase) -> Iterator[None]:
    """Write rows all the time that seem to be a minute old."""
    ended = threading.Event()

    def write() -> None:
        with database.server.connect(database=database.name) as connection:
            cursor = connection.cursor()
            number = 1000
            while not ended.wait(0.02):
                number += 1
                cursor.execute("SET timestamp = UNIX_TIMESTAMP(SYSDATE()) - 60")
                cursor.execute(f"INSERT INTO t VALUES ({number}, 'old')")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(LONG)


def test_no_chunk_is_read_while_streaming_is_behind(capture: Capture) -> None:
    """Marks in the table of signals would be recent changes, so there are none."""
    capture.config |= {
        "millrace.incremental.snapshot.max.lag.ms": "20000",
        "incremental.snapshot.chunk.size": "1",
        "read.only": "true",
    }
    begin(capture)
    waits = "Incremental snapshots wait: streaming is "
    with old_changes(capture.database):
        capture.rows("t", 10)
        execute(capture)
        wait_for(lambda: waits in capture.client.state(capture.name)[1], LONG, "the reason")
        count = len(capture.rows("t", 1))
        capture.rows("t", count + 50)
        assert "COMPLETED" not in [one["type"] for one in capture.notifications()]
    capture.wait_for_end()
    assert len(capture.read_rows("many")) == ROWS
    wait_for(lambda: waits not in capture.client.state(capture.name)[1], LONG, "its end")
