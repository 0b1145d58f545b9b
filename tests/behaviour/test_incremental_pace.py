"""The pace of incremental snapshots: by time, by bytes, and by how far streaming is behind."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest

from tests.fixtures.capture import SIGNALS, Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tests.fixtures.writing import writing
from tools.stack import KafkaBroker, MillraceWorker
from tools.stack.http import http

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
    assert chunk_sizes(capture) == [10, 20, 40, 80, 160, 320, 70]
    assert [row["id"] for row in capture.read_rows("many")] == list(range(1, ROWS + 1))


def chunk_sizes(capture: Capture) -> list[int]:
    """Wait for the end of the snapshot; return how many keys each of its chunks has."""
    found = [one["additional_data"] for one in capture.wait_for_end()]
    keys = [int(data["last_processed_key"]) for data in found if "last_processed_key" in data]
    return [to - after for after, to in pairwise([0, *keys])]


@pytest.mark.parametrize(("key", "threads"), [("id", "1"), ("id", "3"), ("pair", "1")])
def test_a_chunk_of_large_rows_ends_after_so_many_bytes(
    capture: Capture, key: str, threads: str
) -> None:
    """The rest of its rows is read by others, which are smaller: none is lost or doubled."""
    capture.config["incremental.snapshot.chunk.size"] = "1000"
    capture.config["millrace.incremental.snapshot.threads"] = threads
    begin(capture)
    capture.database.execute(
        "CREATE TABLE large (id INT PRIMARY KEY, pair INT, v MEDIUMTEXT)",
        "INSERT INTO large SELECT seq, (seq + 1) DIV 2, REPEAT('x', 300000) FROM seq_1_to_150",
    )
    surrogate = {"surrogate-key": key} if key != "id" else {}
    data = json.dumps({"data-collections": [f"{capture.database.name}.large"], **surrogate})
    capture.database.execute(f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}')")
    sizes = chunk_sizes(capture)
    assert len(sizes) > 2
    assert max(sizes) * 300_000 < int(threads) * (17 << 20)
    assert [row["id"] for row in capture.read_rows("large")] == list(range(1, 151))


def test_streaming_goes_on_while_a_chunk_is_read(capture: Capture) -> None:
    """The SELECT of a chunk takes ten seconds; what the log has meanwhile is not read again."""
    begin(capture)
    capture.database.execute("CREATE TABLE other (id INT PRIMARY KEY)")
    many = f"{capture.database.name}.many"
    slow = {"data-collection": many, "filter": "id <= 10 AND SLEEP(1) = 0"}
    data = json.dumps({"data-collections": [many], "additional-conditions": [slow]})
    capture.database.execute(f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}')")
    wait_for(lambda: chunk_is_read(capture.database), what="the SELECT of the chunk")
    capture.database.execute("DELETE FROM many WHERE id = 5", "INSERT INTO other VALUES (1)")
    assert [row["id"] for row in capture.rows("other", 1)] == [1]
    assert chunk_is_read(capture.database)
    assert not capture.read_rows("many")
    capture.wait_for_end()
    assert [row["id"] for row in capture.read_rows("many")] == [1, 2, 3, 4, 6, 7, 8, 9, 10]


def chunk_is_read(database: FreshDatabase) -> bool:
    """Whether the server runs the SELECT of a chunk, which is not that of the highest key."""
    sql = "SELECT INFO FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep'"
    return any("LIMIT 0, 10" in str(statement) for (statement,) in database.query(sql))


MOST_LAG = 1.0  # seconds


def test_chunks_wait_while_streaming_is_behind(capture: Capture) -> None:
    """They are requested while the stream comes to changes that are older than allowed."""
    capture.config["millrace.incremental.snapshot.max.lag.ms"] = str(int(MOST_LAG * 1000))
    capture.config["signal.enabled.channels"] = "rest"
    capture.config["signal.poll.interval.ms"] = "100"
    begin(capture)
    data = {"data-collections": [f"{capture.database.name}.many"]}
    with changes_of_the_past(capture.database):
        http.post(
            f"{capture.url}/connectors/{capture.name}/signals",
            json={"type": "execute-snapshot", "data": data},
        ).raise_for_status()
        wait_for(lambda: "streaming is" in status(capture), what="the status to say why")
    capture.wait_for_end()
    assert [row["id"] for row in capture.read_rows("many")] == list(range(1, ROWS + 1))
    wait_for(lambda: not status(capture), what="the status to be empty again")


@contextmanager
def changes_of_the_past(database: FreshDatabase) -> Iterator[None]:
    """Write all the time, transactions that the server dates a minute back."""
    database.execute("CREATE TABLE old (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
    database.execute(f"SET timestamp = {time.time() - 60:.0f}")

    def write(has_ended: threading.Event) -> None:
        while not has_ended.is_set():
            database.execute("INSERT INTO old SELECT NULL, seq FROM seq_1_to_10")

    with writing(write):
        yield
    database.execute("SET timestamp = DEFAULT")


def status(capture: Capture) -> str:
    return capture.client.state(capture.name)[1]
