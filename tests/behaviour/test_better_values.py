"""Where Debezium stops or loses something: the right events come all the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.fixtures.connectors import basic_config
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import ConnectClient, KafkaBroker, MillraceWorker

Payloads = list[dict[str, Any]]
Capture = Callable[..., Callable[[str, int], Payloads]]


@pytest.fixture
def capture(millrace: MillraceWorker, broker: KafkaBroker, topics: Topics) -> Iterator[Capture]:
    """Start a connector for a database; what comes back waits for a table's events."""
    with closing(ConnectClient(millrace.url)) as client:
        names = []

        def start(database: FreshDatabase, **options: str) -> Callable[[str, int], Payloads]:
            name = database.name
            names.append(name)
            client.create(name, _config(database, broker) | options)
            client.wait_for(name, "RUNNING")

            def payloads(table: str, count: int) -> Payloads:
                topic = f"{name}.{name}.{table}"
                wait_for(lambda: len(topics.read(topic)) >= count, 30, topic)
                return [message.payload() for message in topics.read(topic)]

            return payloads

        yield start
        for name in names:
            client.delete(name)


def _config(database: FreshDatabase, broker: KafkaBroker) -> dict[str, str]:
    return {
        **basic_config(database.server, broker, database.name),
        "database.include.list": database.name,
        "topic.creation.default.replication.factor": "1",
        "topic.creation.default.partitions": "1",
    }


@pytest.mark.parametrize("mode", ["debezium", "exact"])
def test_partial_updates_of_json_are_whole(
    database: FreshDatabase, capture: Capture, mode: str
) -> None:
    """Debezium has no handler for PARTIAL_UPDATE_ROWS: it loses these updates."""
    database.execute(
        "CREATE TABLE t (id INT PRIMARY KEY, j JSON)",
        """INSERT INTO t VALUES (1, '{"a": [1, 2, 3], "z": "old", "deep": {"er": [[], {}]}}')""",
    )
    payloads = capture(database, **{"compat.mode": mode})
    payloads("t", 1)
    database.execute(
        "SET SESSION binlog_row_value_options = PARTIAL_JSON",
        "UPDATE t SET j = JSON_SET(j, '$.a[1]', 'replaced', '$.new', 7)",
        "UPDATE t SET j = JSON_REMOVE(j, '$.z')",
        "UPDATE t SET j = JSON_REPLACE(j, '$.deep.er', 'short')",
    )
    updates = payloads("t", 4)[1:]
    expected = [
        '{"a":[1,"replaced",3],"z":"old","new":7,"deep":{"er":[[],{}]}}',
        '{"a":[1,"replaced",3],"new":7,"deep":{"er":[[],{}]}}',
        '{"a":[1,"replaced",3],"new":7,"deep":{"er":"short"}}',
    ]
    if mode == "exact":  # the server's text has spaces
        expected = [json.dumps(json.loads(text)) for text in expected]
    assert [event["after"]["j"] for event in updates] == expected
    assert [event["before"]["j"] for event in updates[1:]] == [
        event["after"]["j"] for event in updates[:-1]
    ]


@pytest.mark.parametrize(
    ("image", "number"), [("NOBLOB", 5), ("MINIMAL", None)], ids=["noblob", "minimal"]
)
def test_what_a_row_image_lacks_has_a_placeholder(
    each_database: FreshDatabase, capture: Capture, image: str, number: int | None
) -> None:
    """Debezium 3.6.1 stops: the row has fewer columns than the table."""
    each_database.execute(
        "CREATE TABLE t (id INT PRIMARY KEY, n INT, v TEXT, b BLOB, w VARCHAR(9) NOT NULL)",
        "INSERT INTO t VALUES (1, 5, 'text', 'blob', 'w')",
    )
    payloads = capture(each_database, **{"unavailable.value.placeholder": "gone"})
    payloads("t", 1)
    each_database.execute(
        f"SET SESSION binlog_row_image = {image}", "UPDATE t SET n = 6 WHERE id = 1"
    )
    event = payloads("t", 2)[1]
    assert event["op"] == "u"
    assert event["before"]["n"] == number
    assert event["after"]["n"] == 6
    assert event["after"]["v"] == "gone"
    assert event["after"]["b"] == "Z29uZQ=="
    assert event["before"]["id"] == 1


def test_compressed_columns_and_events(mariadb_database: FreshDatabase, capture: Capture) -> None:
    """Debezium 3.5 stops at compressed columns and skips compressed events."""
    mariadb_database.execute(
        "CREATE TABLE t (id INT PRIMARY KEY, v TEXT COMPRESSED, w VARCHAR(999) COMPRESSED)",
    )
    insert = "INSERT INTO t VALUES (%d, REPEAT('compress ', 100), 'w')"
    mariadb_database.execute(insert % 1)
    payloads = capture(mariadb_database)
    payloads("t", 1)
    mariadb_database.execute(insert % 2, "SET GLOBAL log_bin_compress = ON")
    try:
        mariadb_database.execute(insert % 3, "UPDATE t SET w = REPEAT('é', 500)")
    finally:
        mariadb_database.execute("SET GLOBAL log_bin_compress = OFF")
    events = payloads("t", 6)
    assert [event["after"]["id"] for event in events] == [1, 2, 3, 1, 2, 3]
    assert {event["after"]["v"] for event in events} == {"compress " * 100}
    assert [event["after"]["w"] for event in events] == ["w"] * 3 + ["é" * 500] * 3


def test_a_unique_text_of_mariadb(mariadb_database: FreshDatabase, capture: Capture) -> None:
    """Its rows end in a hidden hash: Debezium 3.5 stops, as the table has fewer columns."""
    mariadb_database.execute("CREATE TABLE t (id INT PRIMARY KEY, v TEXT, UNIQUE (v))")
    mariadb_database.execute("INSERT INTO t VALUES (1, 'first')")
    payloads = capture(mariadb_database)
    payloads("t", 1)
    mariadb_database.execute("INSERT INTO t VALUES (2, 'second')", "UPDATE t SET v = NULL")
    assert [event["after"]["v"] for event in payloads("t", 4)] == ["first", "second", None, None]


def test_what_is_masked_stays_so(database: FreshDatabase, capture: Capture) -> None:
    """In Debezium a rule that propagates types switches a mask off, and the query shows all."""
    database.execute(
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(99))", "INSERT INTO t VALUES (0, 'first')"
    )
    payloads = capture(
        database,
        **{
            "column.propagate.source.type": ".*",
            "column.mask.hash.v2.SHA-256.with.salt.salt": r".*\.v",
            "include.query": "true",
        },
    )
    payloads("t", 1)
    database.execute(
        "SET SESSION binlog_rows_query_log_events = ON", "INSERT INTO t VALUES (1, 'secret')"
    )
    event = payloads("t", 2)[1]
    assert event["source"]["query"] is None
    assert event["after"]["v"] == (
        "bede90386d450cea8b77b822f8887065e4e5abf132c2f9dccfcc7fbd4cba5e35"
    )


def test_exact_values(mariadb_database: FreshDatabase, capture: Capture) -> None:
    """Debezium wraps INTEGER UNSIGNED and moves the zeros of a UUID to its front."""
    mariadb_database.execute("CREATE TABLE first (id INT)", "INSERT INTO first VALUES (1)")
    payloads = capture(mariadb_database, **{"compat.mode": "exact"})
    payloads("first", 1)
    mariadb_database.execute(
        "CREATE TABLE t (id INTEGER UNSIGNED PRIMARY KEY, u UUID)",
        "INSERT INTO t VALUES (4294967295, '123e4567-e89b-12d3-a456-426655440000')",
    )
    assert payloads("t", 1)[0]["after"] == {
        "id": 4294967295,
        "u": "123e4567-e89b-12d3-a456-426655440000",
    }


@pytest.mark.parametrize("image", ["NOBLOB", "MINIMAL"])
def test_what_a_row_image_lacks_is_read_again(
    each_database: FreshDatabase, capture: Capture, image: str
) -> None:
    """Debezium 3.6.1 stops at such rows; its post-processor at TIME, and fails at such keys."""
    each_database.execute(
        "CREATE TABLE t (`the id%s` BINARY(4), at DATETIME(6), d DECIMAL(5,2), n INT NOT NULL, "
        "v TEXT, b BLOB, z TIMESTAMP(3) NOT NULL DEFAULT '2001-01-01', c TIME, "
        "PRIMARY KEY (`the id%s`, at, d))",
        "INSERT INTO t VALUES (x'01020000', '2026-11-21 01:02:03.000004', -1.5, 5, 'text', 'blob', "
        "'2026-11-21 20:57:00.123', '-1:00:00')",
    )
    payloads = capture(
        each_database,
        **{
            "post.processors": "again",
            "again.type": "io.debezium.processors.reselect.ReselectColumnsPostProcessor",
            "again.reselect.error.handling.mode": "fail",
        },
    )
    read = payloads("t", 1)[0]["after"]
    each_database.execute(
        f"SET SESSION binlog_row_image = {image}",
        "UPDATE t SET n = 6",
        "INSERT INTO t (`the id%s`, at, d, n) VALUES ('b', '2027-01-01', 1, 7)",
        "UPDATE t SET v = 'new' WHERE n = 6",
    )
    update, insert, last = payloads("t", 4)[1:]
    assert update["after"] in (read | {"n": 6}, read | {"n": 6, "v": "new"})
    assert last["after"] == read | {"n": 6, "v": "new"}
    assert insert["after"] == {
        "the id%s": "YgAAAA==",
        "at": 1798761600000000,
        "d": "ZA==",
        "n": 7,
        "v": None,
        "b": None,
        "z": "2001-01-01T00:00:00Z" if image == "MINIMAL" else "2001-01-01T00:00:00.000Z",
        "c": None,
    }


def test_values_that_debezium_breaks_are_whole(database: FreshDatabase, capture: Capture) -> None:
    """It has null for a streamed FLOAT4, half a character, and times in JSON like 23:0-5:59."""
    cut = {f"column.truncate.to.{length}.chars": f".*cut{length}" for length in (1, 2)}
    payloads = capture(database, **cut, **{"compat.mode": "exact"})
    database.execute(
        "CREATE TABLE t (id INT PRIMARY KEY, f FLOAT4, cut1 VARCHAR(9), cut2 VARCHAR(9), j JSON)",
        "INSERT INTO t VALUES (1, 1.5, '😀b', 'a😀b', "
        "JSON_OBJECT('t', CAST('-00:00:01.5' AS TIME(6))))",
    )
    (event,) = payloads("t", 1)
    row = event["after"]
    assert row["f"] == 1.5
    assert (row["cut1"], row["cut2"]) == ("", "a")
    assert json.loads(row["j"]) == {"t": "-00:00:01.500000"}
