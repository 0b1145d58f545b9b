"""Tables that differ from the statements in the binlog: unparsable statements, or none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.fixtures.capture import Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tools.stack import KafkaBroker, MillraceWorker

# Readable, but of a column that no statement in the log has made.
ODD = [
    "SET SESSION sql_log_bin = 0",
    "ALTER TABLE t ADD COLUMN a INT DEFAULT 3 AFTER id",
    "SET SESSION sql_log_bin = 1",
    "ALTER TABLE t CHANGE a b INT DEFAULT 3 COMMENT 'secret'",
]
TYPES = {
    "tiny": ("TINYINT UNSIGNED", "250", 250),
    "small": ("SMALLINT", "-5", -5),
    "medium": ("MEDIUMINT UNSIGNED", "16000000", 16_000_000),
    "big": ("BIGINT", "-9", -9),
    "made": ("YEAR", "2020", 2020),
    "price": ("DECIMAL(10,3)", "1.250", "BOI="),
    "ratio": ("DOUBLE", "0.5", 0.5),
    "latin": ("VARCHAR(20) CHARACTER SET latin1", "'é'", "é"),
    "fixed": ("CHAR(3) CHARACTER SET utf8mb4", "'añ'", "añ"),
    "words": ("TEXT CHARACTER SET ucs2", "'ü'", "ü"),
    "raw": ("VARBINARY(10)", "x'41'", "QQ=="),
    "bytes": ("MEDIUMBLOB", "x'42'", "Qg=="),
    "choice": ("ENUM('a','b''c') NOT NULL DEFAULT 'a'", "'b''c'", "b'c"),
    "choices": ("SET('x','y')", "'x,y'", "x,y"),
    "flags": ("BIT(12)", "b'101'", "BQA="),
    "day": ("DATE", "'1970-01-02'", 1),
    "moment": ("DATETIME(3)", "'1970-01-01 00:00:01.5'", 1500),
    "span": ("TIME(6)", "'00:00:01'", 1_000_000),
}


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, each_database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    made = Capture(millrace, topics, each_database, broker)
    yield made
    made.close()


@contextmanager
def full_metadata(database: FreshDatabase) -> Iterator[None]:
    """Let the log describe its tables in full meanwhile."""
    before = database.query("SELECT @@GLOBAL.binlog_row_metadata")[0][0]
    database.server.execute("SET GLOBAL binlog_row_metadata = FULL")
    try:
        yield
    finally:
        database.server.execute(f"SET GLOBAL binlog_row_metadata = {before}")


def test_a_statement_that_cannot_be_read_does_not_stop_the_stream(capture: Capture) -> None:
    database = capture.database
    capture.start("CREATE TABLE other (id INT PRIMARY KEY)")
    database.execute("INSERT INTO other VALUES (1)", *ODD)
    database.execute("INSERT INTO other VALUES (2)", "INSERT INTO t (id, v) VALUES (2, 'two')")
    assert capture.rows("t", 2)[1] == {"id": 2, "b": 3, "v": "two"}
    assert len(capture.rows("other", 2)) == 2
    assert capture.metric("ddl_statements_unparsed") == 1
    assert capture.metric("table_definitions_resolved") == 1
    [unparsed, resolved] = capture.changes()
    assert unparsed == ("unparsed", ODD[-1])
    assert resolved[0] == "CREATE"
    columns = resolved[1]["tableChanges"][0]["table"]["columns"]
    assert [column["name"] for column in columns] == ["id", "b", "v"]
    capture.stop()
    database.execute("INSERT INTO t VALUES (3, 4, 'three')", "ALTER TABLE t DROP COLUMN b")
    capture.resume()
    assert capture.rows("t", 3)[2] == {"id": 3, "b": 4, "v": "three"}


def test_what_bypassed_the_log_is_found_and_read_from_the_server(capture: Capture) -> None:
    database = capture.database
    capture.start("CREATE TABLE numbers (id INT PRIMARY KEY)")
    capture.run_unlogged(
        "ALTER TABLE numbers ADD COLUMN n BIGINT NOT NULL DEFAULT 5",
        "ALTER TABLE t DROP v, ADD v BIGINT",
    )
    database.execute("INSERT INTO numbers VALUES (1, 6)", "INSERT INTO t VALUES (2, 7)")
    assert capture.rows("numbers", 1) == [{"id": 1, "n": 6}]
    assert capture.rows("t", 2)[1] == {"id": 2, "v": 7}
    assert capture.metric("table_definitions_resolved") == 2


def test_a_schema_that_cannot_be_resolved_fails_the_task(capture: Capture) -> None:
    """The table was altered again before its rows were read, and the log has no names."""
    database = capture.database
    capture.start()
    capture.stop()
    database.execute(*ODD, "INSERT INTO t (id, v) VALUES (2, 'two')")
    database.execute("ALTER TABLE t DROP COLUMN b", "INSERT INTO t VALUES (3, 'three')")
    capture.resume()
    trace = capture.trace()
    assert trace.startswith(f"DdlError: The schema of table {database.name}.t is unresolved: "), (
        trace
    )
    assert "ALTER TABLE t" in trace
    assert re.search(r"The statement is at \S+:\d+, for database \[db", trace), trace
    assert "binlog_row_metadata=FULL" in trace
    assert "secret" not in trace
    config = capture.config | {"inconsistent.schema.handling.mode": "warn"}
    capture.client.call("PUT", f"/connectors/{capture.name}/config", config)
    assert [row["id"] for row in capture.rows("t", 2)] == [1, 3]


def test_binlog_row_metadata_full_defines_all_types(capture: Capture) -> None:
    database = capture.database
    with full_metadata(database):
        capture.start("CREATE TABLE swapped (a INT PRIMARY KEY, b INT)")
        capture.run_unlogged("ALTER TABLE swapped RENAME COLUMN a TO b, RENAME COLUMN b TO a")
        database.execute("INSERT INTO swapped (a, b) VALUES (1, 2)")
        assert capture.rows("swapped", 1) == [{"b": 2, "a": 1}]
        capture.stop()
        added = ", ".join(f"ADD COLUMN {name} {kind}" for name, (kind, _, _) in TYPES.items())
        capture.run_unlogged(
            f"ALTER TABLE t {added}, DROP PRIMARY KEY, ADD PRIMARY KEY (id, small)"
        )
        values = ", ".join(value for _, value, _ in TYPES.values())
        database.execute(f"INSERT INTO t VALUES (2, NULL, {values})")
        gone = ", ".join(f"DROP COLUMN {name}" for name in TYPES)
        capture.run_unlogged(f"ALTER TABLE t DROP PRIMARY KEY, {gone}, ADD PRIMARY KEY (id)")
        database.execute("INSERT INTO t VALUES (3, 'three')")
        capture.resume()
        rows = capture.rows("t", 3)
    assert rows[1] == {"id": 2, "v": None} | {name: value for name, (_, _, value) in TYPES.items()}
    assert rows[2] == {"id": 3, "v": "three"}
    topic = f"{capture.name}.{database.name}.t"
    keys = [json.loads(message.key or b"") for message in capture.topics.read(topic)]
    assert keys == [{"id": 1}, {"id": 2, "small": -5}, {"id": 3}]


def test_a_lost_history_of_tables_that_have_changed(capture: Capture) -> None:
    """Recovery reads the present definitions; the binlog has the former ones."""
    database = capture.database
    with full_metadata(database):
        capture.start()
        capture.stop()
        database.execute("INSERT INTO t VALUES (2, 'two')", "ALTER TABLE t CHANGE v w VARCHAR(20)")
        database.execute("INSERT INTO t VALUES (3, 'three')", "ALTER TABLE t ADD x INT FIRST")
        database.execute("INSERT INTO t VALUES (1, 4, 'four')", "CREATE TABLE late (id INT)")
        capture.topics.delete([capture.history])
        config = capture.config | {"snapshot.mode": "recovery"}
        capture.client.call("PUT", f"/connectors/{capture.name}/config", config)
        capture.resume()
        rows = capture.rows("t", 4)
    assert rows[1:] == [
        {"id": 2, "v": "two"},
        {"id": 3, "w": "three"},
        {"x": 1, "id": 4, "w": "four"},
    ]
