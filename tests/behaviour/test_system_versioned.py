"""MariaDB's system-versioned tables: events have the present rows, as a SELECT does.

Debezium stops at tables whose times are in no column that is named; what it does with others is
compared in `tests/conformance`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.fixtures.capture import Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker

VERSIONED = "(id INT PRIMARY KEY, v INT) WITH SYSTEM VERSIONING"
PARTS = "PARTITION BY SYSTEM_TIME LIMIT 1000 (PARTITION p0 HISTORY, PARTITION pn CURRENT)"


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, mariadb_database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    made = Capture(millrace, topics, mariadb_database, broker)
    yield made
    made.close()


def events(capture: Capture, table: str, count: int) -> list[tuple[str, Any]]:
    """Return operation and row of a table's events, without tombstones, once there are so many."""
    topic = f"{capture.name}.{capture.database.name}.{table}"
    events: list[Any] = []

    def enough() -> bool:
        assert capture.client.state(capture.name)[0] != "FAILED", capture.trace()
        found = [message.payload() for message in capture.topics.read(topic)]
        events[:] = [event for event in found if event is not None]
        return len(events) >= count

    wait_for(enough, 60, f"{count} events of {table}, not {events}")
    return [(event["op"], event["after"]) for event in events]


def test_the_past_is_no_row(capture: Capture) -> None:
    database = capture.database
    database.execute(f"CREATE TABLE kept {VERSIONED}", "INSERT INTO kept VALUES (1, 1), (2, 2)")
    database.execute("UPDATE kept SET v = 3 WHERE id = 2")
    capture.start(f"CREATE TABLE parted {VERSIONED} {PARTS}")
    database.execute(
        "UPDATE kept SET v = 4 WHERE id = 1",
        "DELETE FROM kept WHERE id = 2",
        "INSERT INTO kept VALUES (1, 6), (3, 3) ON DUPLICATE KEY UPDATE v = 6",
        "SET @@system_versioning_alter_history = KEEP",
        "ALTER TABLE kept ADD COLUMN w INT",
        "INSERT INTO kept VALUES (4, 4, 4)",
        "ALTER TABLE kept DROP SYSTEM VERSIONING",
        "INSERT INTO kept VALUES (5, 5, 5)",
        "INSERT INTO parted VALUES (1, 1)",
        "ALTER TABLE parted ADD PARTITION (PARTITION p1 HISTORY)",
        "UPDATE parted SET v = 2",
        "ALTER TABLE t ADD SYSTEM VERSIONING",
        "INSERT INTO t VALUES (2, 'b')",
        "DELETE FROM t WHERE id = 2",
    )
    assert events(capture, "parted", 2) == [("c", {"id": 1, "v": 1}), ("u", {"id": 1, "v": 2})]
    assert events(capture, "t", 3)[1:] == [("c", {"id": 2, "v": "b"}), ("d", None)]
    assert events(capture, "kept", 8) == [
        ("r", {"id": 1, "v": 1}),
        ("r", {"id": 2, "v": 3}),
        ("u", {"id": 1, "v": 4}),
        ("d", None),
        ("u", {"id": 1, "v": 6}),
        ("c", {"id": 3, "v": 3}),
        ("c", {"id": 4, "v": 4, "w": 4}),
        ("c", {"id": 5, "v": 5, "w": 5}),
    ]


@pytest.mark.parametrize("image", ["FULL", "MINIMAL"])
def test_an_event_of_rows_that_end_and_rows_that_go_on(capture: Capture, image: str) -> None:
    """A trigger deletes, and updates what is kept without versions: one event has both."""
    database = capture.database
    database.execute(f"SET SESSION binlog_row_image = {image}")
    capture.start(
        "CREATE TABLE kept (id INT PRIMARY KEY, v INT, n INT WITHOUT SYSTEM VERSIONING) "
        "WITH SYSTEM VERSIONING",
        "CREATE TRIGGER g AFTER DELETE ON t FOR EACH ROW BEGIN "
        "DELETE FROM kept WHERE id = 1; UPDATE kept SET n = 9 WHERE id IN (2, 3); "
        "DELETE FROM kept WHERE id IN (4, 5); UPDATE kept SET n = 8 WHERE id = 3; END",
    )
    database.execute(
        "INSERT INTO kept VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4), (5, 5, 5)",
        "DELETE FROM t",
        "UPDATE kept SET v = 6",
    )
    found = events(capture, "kept", 13)[5:]
    assert [op for op, _ in found] == [*"duudduuu"]
    assert [row for _, row in found if row] == [
        {"id": 2, "v": 2, "n": 9},
        {"id": 3, "v": 3, "n": 9},
        {"id": 3, "v": 3, "n": 8},
        {"id": 2, "v": 6, "n": 9},
        {"id": 3, "v": 6, "n": 8},
    ]


def test_deletes_are_emitted_if_updates_are_skipped(capture: Capture) -> None:
    """To the log both are the same."""
    database = capture.database
    capture.start(f"CREATE TABLE kept {VERSIONED}", skipped_operations="u,t")
    database.execute(
        "INSERT INTO kept VALUES (1, 1), (2, 2)",
        "UPDATE kept SET v = 3",
        "DELETE FROM kept WHERE id = 1",
        "INSERT INTO kept VALUES (3, 3)",
    )
    assert [op for op, _ in events(capture, "kept", 4)] == [*"ccdc"]


def test_periods_sequences_and_modes_of_sessions(capture: Capture) -> None:
    """Debezium stops at WITHOUT OVERLAPS, and where a DATE has a time (ORACLE)."""
    database = capture.database
    capture.start()
    database.execute(
        "CREATE TABLE booked (id INT, a DATE, b DATE, PERIOD FOR p (a, b), "
        "PRIMARY KEY (id, p WITHOUT OVERLAPS))",
        "INSERT INTO booked VALUES (1, '1970-01-02', '1970-01-09')",
        "DELETE FROM booked FOR PORTION OF p FROM '1970-01-03' TO '1970-01-05'",
        "CREATE SEQUENCE s START WITH 5",
        "CREATE TABLE numbered (id INT PRIMARY KEY DEFAULT NEXTVAL(s), v INT)",
        "INSERT INTO numbered (v) VALUES (1)",
        "ALTER SEQUENCE s RESTART 50",
        "DROP SEQUENCE s",
        "SET sql_mode = 'ANSI_QUOTES'",
        'CREATE TABLE "a ""b" ("id" INT PRIMARY KEY, "v ""w" VARCHAR(9) DEFAULT \'x"y\')',
        'INSERT INTO "a ""b" VALUES (1, \'v\')',
        'ALTER TABLE "a ""b" CHANGE "v ""w" "w" VARCHAR(20), ADD COLUMN "select" INT DEFAULT 5',
        'INSERT INTO "a ""b" VALUES (2, \'v\', 6)',
        "SET sql_mode = 'ORACLE'",
        'CREATE TABLE "ora" ("id" INT PRIMARY KEY, v VARCHAR2(20), d DATE, c CLOB, n NUMBER)',
        "INSERT INTO \"ora\" VALUES (1, 'a', '1970-01-01 00:00:01', 'c', 1.5)",
        'ALTER TABLE "ora" ADD COLUMN "x y" VARCHAR2(5)',
        "INSERT INTO \"ora\" VALUES (2, 'a', '1970-01-01 00:00:02', 'c', 1.5, 'w')",
    )
    assert events(capture, "booked", 3) == [
        ("c", {"id": 1, "a": 1, "b": 8}),
        ("u", {"id": 1, "a": 1, "b": 2}),
        ("c", {"id": 1, "a": 4, "b": 8}),
    ]
    assert events(capture, "numbered", 1) == [("c", {"id": 5, "v": 1})]
    assert events(capture, "a__b", 2)[1] == ("c", {"id": 2, "w": "v", "select": 6})
    row = {"v": "a", "c": "c", "n": 1.5}
    assert events(capture, "ora", 2) == [
        ("c", {"id": 1, "d": 1000, **row}),
        ("c", {"id": 2, "d": 2000, **row, "x y": "w"}),
    ]
