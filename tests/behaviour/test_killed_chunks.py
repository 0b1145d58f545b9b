"""Chunks that the server interrupts again and again: streaming and signals go on meanwhile."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.fixtures.capture import LONG, SIGNALS, Capture, capture_with_signals
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker

KILLED = (
    "CREATE FUNCTION killed(i INT) RETURNS INT DETERMINISTIC BEGIN "
    "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = {}, MESSAGE_TEXT = 'interrupted'; RETURN 1; END"
)


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, each_database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    with capture_with_signals(millrace, topics, each_database, broker) as made:
        yield made


def signal(capture: Capture, number: int, type_: str, condition: str = "") -> str:
    """Return the statement of a signal for the table ``t``, with a condition for its rows."""
    name = f"{capture.database.name}.t"
    data: dict[str, object] = {"data-collections": [name]}
    if condition:
        data["additional-conditions"] = [{"data-collection": name, "filter": condition}]
    return f"INSERT INTO signals VALUES ('{number}', '{type_}', '{json.dumps(data)}')"


@pytest.mark.parametrize("error", [1317, 1205])
def test_a_chunk_that_is_always_interrupted(capture: Capture, error: int) -> None:
    """A signal stops it between two attempts; what the log has meanwhile is captured."""
    capture.start(SIGNALS, KILLED.format(error))
    capture.database.execute(
        signal(capture, 1, "execute-snapshot", f"{capture.database.name}.killed(id) = 1")
    )
    wait_for(lambda: types(capture) == ["STARTED"], LONG, "the start of the snapshot")
    for number in range(2, 7):
        capture.database.execute(f"INSERT INTO t VALUES ({number}, 'more')")
        capture.rows("t", number)
        time.sleep(0.3)
    assert types(capture) == ["STARTED"], "the snapshot is tried again"
    capture.database.execute(signal(capture, 2, "stop-snapshot"))
    wait_for(lambda: "ABORTED" in types(capture), LONG, "the stop")
    assert capture.client.state(capture.name) == ("RUNNING", "")
    capture.database.execute(signal(capture, 3, "execute-snapshot"))
    capture.wait_for_end(2)
    assert [row["id"] for row in capture.read_rows("t")] == [1, 2, 3, 4, 5, 6]


def types(capture: Capture) -> list[str]:
    """Return the types of the notifications, without a topic if there are none."""
    if not capture.topics.ends([f"{capture.name}.notifications"]):
        return []
    return [one["type"] for one in capture.notifications()]


@pytest.mark.parametrize("locked", ["t", "signals"])
def test_a_table_that_another_session_locks(capture: Capture, locked: str) -> None:
    """Neither its chunks nor watermarks hold up the stream; they are read behind the lock."""
    capture.start(SIGNALS, "CREATE TABLE other (id INT PRIMARY KEY)")
    database = capture.database
    with closing(database.server.connect(database=database.name)) as session:
        cursor = session.cursor()
        cursor.execute(f"LOCK TABLES {locked} WRITE")
        sender = cursor if locked == "signals" else database
        sender.execute(signal(capture, 1, "execute-snapshot"))
        begun = time.monotonic()
        for number in range(1, 5):
            database.execute(f"INSERT INTO other VALUES ({number})")
            capture.rows("other", number)
            time.sleep(3)
        assert time.monotonic() - begun > 12
        assert capture.read_rows("t") == []
        cursor.execute("UNLOCK TABLES")
    capture.wait_for_end()
    assert [row["id"] for row in capture.read_rows("t")] == [1]
    wait_for(lambda: capture.client.state(capture.name) == ("RUNNING", ""), LONG, "no notice")
