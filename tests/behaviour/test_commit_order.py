"""A MySQL server whose commits become visible in another order than that of the binlog."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.fixtures.capture import LONG, SIGNALS, Capture, capture_with_signals
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    with capture_with_signals(millrace, topics, database, broker) as made:
        database.server.execute("SET GLOBAL binlog_order_commits = OFF")
        yield made
        database.server.execute("SET GLOBAL binlog_order_commits = ON")


def test_no_chunk_is_read_until_the_order_is_that_of_the_binlog(capture: Capture) -> None:
    capture.start(SIGNALS)
    data = json.dumps({"data-collections": [f"{capture.database.name}.t"]})
    capture.database.execute(f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}')")
    remedy = "Run SET GLOBAL binlog_order_commits = ON"
    wait_for(lambda: remedy in capture.client.state(capture.name)[1], LONG, "the reason")
    assert capture.read_rows("t") == []
    capture.database.server.execute("SET GLOBAL binlog_order_commits = ON")
    capture.database.execute("INSERT INTO signals VALUES ('2', 'resume-snapshot', '{}')")
    wait_for(lambda: capture.read_rows("t") == [{"id": 1, "v": "one"}], LONG, "the rows")
    wait_for(lambda: capture.client.state(capture.name) == ("RUNNING", ""), LONG, "its end")
