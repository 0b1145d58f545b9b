"""Blocking snapshots on real servers, under writers and with what may come in between."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fixtures.capture import LONG, SIGNALS, Capture, capture_with_signals
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, each_database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    with capture_with_signals(millrace, topics, each_database, broker) as made:
        yield made


def request(capture: Capture, *tables: str, **more: Any) -> None:
    names = [f"{capture.database.name}.{table}" for table in tables]
    data = json.dumps({"data-collections": names, "type": "blocking", **more})
    capture.database.execute(f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}')")


def steps(capture: Capture) -> list[str]:
    """Return the steps of snapshots behind the initial one."""
    messages = capture.topics.read(f"{capture.name}.notifications")
    found = [message.payload()["type"] for message in messages]
    return found[found.index("COMPLETED") + 1 :]


def wait_for_step(capture: Capture, step: str) -> list[str]:
    def ended() -> list[str] | None:
        found = steps(capture)
        return found if step in found else None

    found: list[str] = wait_for(ended, LONG, f"{step} of the snapshot")
    return found


def events(capture: Capture, table: str) -> list[dict[str, Any]]:
    topic = f"{capture.name}.{capture.database.name}.{table}"
    return [message.payload() for message in capture.topics.read(topic) if message.value]


def test_a_table_is_read_again_and_the_stream_continues(capture: Capture) -> None:
    capture.start(SIGNALS, "CREATE TABLE u (id INT PRIMARY KEY)")
    request(capture, "t")
    assert wait_for_step(capture, "COMPLETED") == [
        "STARTED",
        "IN_PROGRESS",
        "TABLE_SCAN_COMPLETED",
        "COMPLETED",
    ]
    capture.database.execute("INSERT INTO t VALUES (2, 'two')")
    capture.rows("t", 3)
    found = [(one["op"], one["source"]["snapshot"]) for one in events(capture, "t")]
    assert found[1:] == [("r", "last"), ("c", "false")]


def test_a_condition_is_a_whole_select(capture: Capture) -> None:
    capture.start(SIGNALS)
    capture.database.execute("INSERT INTO t VALUES (2, 'two'), (3, 'three')")
    capture.rows("t", 3)
    name = f"{capture.database.name}.t"
    condition = {"data-collection": name, "filter": f"SELECT * FROM {name} WHERE id > 1"}
    request(capture, "t", **{"additional-conditions": [condition]})
    wait_for_step(capture, "COMPLETED")
    assert [one["after"]["id"] for one in events(capture, "t")][3:] == [2, 3]


def test_a_table_that_cannot_be_read_ends_the_snapshot_only(capture: Capture) -> None:
    capture.start(SIGNALS)
    name = f"{capture.database.name}.t"
    condition = {"data-collection": name, "filter": f"SELECT nothing FROM {name}"}
    request(capture, "t", **{"additional-conditions": [condition]})
    assert wait_for_step(capture, "ABORTED")[0] == "STARTED"
    capture.database.execute("INSERT INTO t VALUES (2, 'two')")
    assert [row["id"] for row in capture.rows("t", 2)] == [1, 2]


def test_a_stop_in_the_middle_takes_it_again(capture: Capture) -> None:
    capture.start(SIGNALS, "CREATE TABLE big (id INT PRIMARY KEY, v VARCHAR(400))")
    values = ", ".join(f"({number}, REPEAT('v', 400))" for number in range(3000))
    capture.database.execute(f"INSERT INTO big VALUES {values}")
    capture.rows("big", 3000)
    name = f"{capture.database.name}.big"
    condition = {"data-collection": name, "filter": f"SELECT *, SLEEP(0.002) FROM {name}"}
    request(capture, "big", **{"additional-conditions": [condition]})
    wait_for_step(capture, "IN_PROGRESS")
    capture.stop()
    capture.database.execute("INSERT INTO t VALUES (2, 'two')")
    capture.resume()
    wait_for_step(capture, "COMPLETED")
    capture.rows("t", 2)
    read = [one["after"]["id"] for one in events(capture, "big") if one["op"] == "r"]
    assert set(read) == set(range(3000))


def test_nothing_is_lost_while_rows_and_definitions_change(capture: Capture) -> None:
    """The topic, replayed by key, is the table: the stream repeats what the rows have already."""
    capture.start(SIGNALS)
    stop = threading.Event()

    def write() -> None:
        number = 10
        server = capture.database.server
        with server.connect(database=capture.database.name, autocommit=True) as session:
            while not stop.is_set():
                for statement in (
                    f"INSERT INTO t (id, v) VALUES ({number}, 'a'), ({number + 1}, 'b')",
                    f"UPDATE t SET v = 'c' WHERE id = {number}",
                    f"DELETE FROM t WHERE id = {number - 7}",
                    f"ALTER TABLE t ADD COLUMN c{number} INT",
                    f"ALTER TABLE t DROP COLUMN c{number}",
                ):
                    session.cursor().execute(statement)
                number += 2

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for count in range(1, 4):
            request(capture, "t")
            wait_for(lambda: steps(capture).count("COMPLETED") >= count, LONG, "a snapshot")  # noqa: B023 - it is awaited here
    finally:
        stop.set()
        writer.join()
    capture.database.execute("INSERT INTO t (id, v) VALUES (9999, 'end')")
    wait_for(lambda: events(capture, "t")[-1]["after"] == {"id": 9999, "v": "end"}, LONG, "the end")
    state: dict[int, str] = {}
    for one in events(capture, "t"):
        if one["after"] is None:
            state.pop(one["before"]["id"], None)
        else:
            state[one["after"]["id"]] = one["after"]["v"]
    assert state == dict(capture.database.query("SELECT id, v FROM t"))
