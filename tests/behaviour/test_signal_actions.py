"""Signals that replace definitions and set positions, on real servers and over restarts."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.fixtures.capture import LONG, Capture
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import KafkaBroker, MillraceWorker
from tools.stack.http import http

SIGNALS = "CREATE TABLE signals (id VARCHAR(42), type VARCHAR(32), data TEXT)"


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, each_database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    made = Capture(millrace, topics, each_database, broker)
    made.config |= {
        "signal.data.collection": f"{each_database.name}.signals",
        "signal.enabled.channels": "source,rest",
        "signal.poll.interval.ms": "200",
    }
    yield made
    made.close()


def read_gtids(capture: Capture) -> str:
    """Return the transactions that the server has executed."""
    is_mariadb = "mariadb" in capture.database.server.connector_class
    name = "gtid_binlog_pos" if is_mariadb else "gtid_executed"
    [(found,)] = capture.database.query(f"SELECT @@GLOBAL.{name}")
    return "".join(str(found).split())


def set_position(capture: Capture, identity: str, gtids: str) -> None:
    data = json.dumps({"gtid_set": gtids})
    capture.database.execute(
        f"INSERT INTO signals VALUES ('{identity}', 'set-binlog-position', '{data}')"
    )
    text = f"Signal {identity}: after a restart the connector reads from"
    wait_for(lambda: text in capture.client.state(capture.name)[1], LONG, "the position")


def ids(capture: Capture, count: int) -> list[int]:
    return [row["id"] for row in capture.rows("t", count)]


def test_a_restart_reads_once_from_the_position(capture: Capture) -> None:
    capture.start(SIGNALS)
    gtids = read_gtids(capture)
    capture.database.execute("INSERT INTO t VALUES (2, 'two')", "INSERT INTO t VALUES (3, 'x')")
    set_position(capture, "back", gtids)
    capture.database.execute("INSERT INTO t VALUES (4, 'four')")
    assert ids(capture, 4) == [1, 2, 3, 4]
    capture.stop()
    capture.resume()
    assert ids(capture, 7) == [1, 2, 3, 4, 2, 3, 4]
    assert "after a restart" not in capture.client.state(capture.name)[1]
    capture.stop()
    capture.resume()
    capture.database.execute("INSERT INTO t VALUES (5, 'five')")
    assert ids(capture, 8)[7:] == [5], "the signal that was read again has no effect"


def test_a_restart_skips_what_is_before_a_later_position(capture: Capture) -> None:
    capture.start(SIGNALS)
    set_position(capture, "old", read_gtids(capture))
    capture.stop()
    capture.database.execute("INSERT INTO t VALUES (2, 'two')")
    later = read_gtids(capture)
    capture.database.execute("INSERT INTO t VALUES (3, 'three')")
    capture.resume()
    assert ids(capture, 3) == [1, 2, 3]
    set_position(capture, "later", later)
    capture.stop()
    capture.resume()
    assert ids(capture, 4) == [1, 2, 3, 3]


def test_a_definition_of_the_rest_api_lasts_on_an_idle_server(capture: Capture) -> None:
    capture.start(SIGNALS)
    column = {"position": 1, "optional": False, "autoIncremented": False, "generated": False}
    columns = [
        {"name": "id", "jdbcType": 4, "typeName": "INT", "typeExpression": "INT", **column},
        {
            **column,
            "name": "renamed",
            "jdbcType": 12,
            "typeName": "VARCHAR",
            "typeExpression": "VARCHAR",
            "charsetName": "utf8mb4",
            "length": 9,
            "position": 2,
            "optional": True,
        },
    ]
    name = capture.database.name
    table = {"primaryKeyColumnNames": ["id"], "columns": columns}
    change = {"type": "ALTER", "id": f"{name}.t", "table": table}
    body = {"type": "schema-changes", "data": {"database": name, "changes": [change]}}
    url = f"{capture.url}/connectors/{capture.name}/signals"
    assert http.post(url, json=body).status_code == 202

    def published() -> bool:
        events = [message.payload() for message in capture.topics.read(capture.name)]
        return events[-1]["ddl"] is None

    wait_for(published, LONG, "the schema change")
    capture.stop()
    capture.resume()
    capture.database.execute("INSERT INTO t VALUES (2, 'two')")
    assert capture.rows("t", 2)[1] == {"id": 2, "renamed": "two"}
