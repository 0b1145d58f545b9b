"""Signals on real servers: from a topic, from a file, and what comes in between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from tests.fixtures.capture import LONG, SIGNALS, Capture, capture_with_signals
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import CAPTURE, KafkaBroker, MillraceWorker
from tools.stack.http import http


@pytest.fixture
def capture(
    millrace: MillraceWorker, topics: Topics, database: FreshDatabase, broker: KafkaBroker
) -> Iterator[Capture]:
    with capture_with_signals(millrace, topics, database, broker) as made:
        made.config["signal.poll.interval.ms"] = "200"
        yield made


def request(capture: Capture, *tables: str, **more: Any) -> str:
    names = [f"{capture.database.name}.{table}" for table in tables]
    return json.dumps({"data-collections": names, **more})


def test_signals_of_a_topic_for_this_connector(capture: Capture, broker: KafkaBroker) -> None:
    topic = f"{capture.name}-signal"
    capture.topics.create(topic)
    capture.config |= {
        "signal.enabled.channels": "kafka",
        "signal.kafka.bootstrap.servers": broker.address,
        "signal.kafka.groupId": capture.name,
    }
    capture.start(SIGNALS)
    producer = Producer({"bootstrap.servers": broker.address})
    for key, identity in (("another", "not ours"), (capture.name, "ours")):
        data = {
            "id": identity,
            "type": "EXECUTE-SNAPSHOT",
            "data": json.loads(request(capture, "t")),
        }
        producer.produce(topic, json.dumps(data), key)
    assert not producer.flush(10)
    found = capture.wait_for_end()
    assert {one["id"] for one in found} == {"ours"}
    assert capture.read_rows("t") == [{"id": 1, "v": "one"}]
    capture.stop()
    capture.resume()
    capture.database.execute("INSERT INTO t VALUES (2, 'two')")
    capture.rows("t", 3)
    assert len(capture.wait_for_end()) == len(found), "the signal was read again"


def test_signals_of_a_file(capture: Capture, tmp_path: Path) -> None:
    path = tmp_path / "signals"
    capture.config |= {"signal.enabled.channels": "file", "signal.file": str(path)}
    capture.start(SIGNALS)
    line = {"id": "1", "type": "execute-snapshot", "data": json.loads(request(capture, "t"))}
    path.write_text(json.dumps(line) + "\n")
    capture.wait_for_end()
    assert capture.read_rows("t") == [{"id": 1, "v": "one"}]
    wait_for(lambda: not path.exists(), LONG, "the file to be removed")


def test_signals_of_the_rest_api(capture: Capture) -> None:
    url = f"{capture.url}/connectors/{capture.name}/signals"
    capture.start(SIGNALS)
    body = {"type": "execute-snapshot", "data": json.loads(request(capture, "t"))}
    assert "lacks rest" in http.post(url, json=body).json()["message"]
    capture.stop()
    config = capture.config | {"signal.enabled.channels": "rest"}
    capture.client.call("PUT", f"connectors/{capture.name}/config", config)
    capture.resume()
    capture.database.execute("INSERT INTO t VALUES (2, 'two')")
    capture.rows("t", 2)
    answer = http.post(url, json=body)
    assert answer.status_code == 202
    sent = answer.json()
    assert {one["id"] for one in capture.wait_for_end()} == {sent["id"]}
    assert capture.read_rows("t") == [{"id": 1, "v": "one"}, {"id": 2, "v": "two"}]
    assert http.get(url).json() == {"signals": [{**sent, "state": "READ"}]}
    assert http.post(url, json={}).status_code == 400


def test_a_failed_table_is_in_the_status_until_it_is_read(capture: Capture) -> None:
    capture.start(SIGNALS)
    name = f"{capture.database.name}.t"
    wrong = [{"data-collection": name, "filter": "nothing = 1"}]
    data = request(capture, "t", **{"additional-conditions": wrong})
    capture.database.execute(f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}')")
    failed = f"Incremental snapshot of table {name} failed"
    wait_for(lambda: failed in capture.client.state(capture.name)[1], LONG, "the reason")
    capture.wait_for_end()
    capture.stop()
    capture.resume()
    wait_for(lambda: failed in capture.client.state(capture.name)[1], LONG, "the reason again")
    data = request(capture, "t")
    capture.database.execute(f"INSERT INTO signals VALUES ('2', 'execute-snapshot', '{data}')")
    capture.wait_for_end(2)
    wait_for(lambda: failed not in capture.client.state(capture.name)[1], LONG, "its end")


def test_a_failed_table_is_read_on_behind_its_last_chunk(capture: Capture) -> None:
    """One row cannot be read until the function of the condition is another one."""
    rest = {"signal.enabled.channels": "source,rest", "incremental.snapshot.chunk.size": "1"}
    capture.config |= rest
    refusing = "IF i = 3 THEN SIGNAL SQLSTATE '45000'; END IF;"
    function = "CREATE FUNCTION pick(i INT) RETURNS INT DETERMINISTIC BEGIN {} RETURN 1; END"
    capture.start(SIGNALS, function.format(refusing))
    capture.database.execute("INSERT INTO t VALUES (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e')")
    name = f"{capture.database.name}.t"
    picked = [{"data-collection": name, "filter": f"{capture.database.name}.pick(id) = 1"}]
    data = request(capture, "t", **{"additional-conditions": picked})
    capture.database.execute(f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}')")
    failed = f"Incremental snapshot of table {name} failed"
    wait_for(lambda: failed in capture.client.state(capture.name)[1], LONG, "the reason")
    found = capture.wait_for_end()
    assert [one["additional_data"]["status"] for one in found if "SCAN" in one["type"]] == [
        "SQL_EXCEPTION"
    ]
    capture.database.execute("DROP FUNCTION pick", function.format(""))
    url = f"{capture.url}/connectors/{capture.name}/signals"
    assert http.post(url, json={"type": "resume-snapshot"}).status_code == 202
    capture.wait_for_end(2)
    assert [row["id"] for row in capture.read_rows("t")] == [1, 2, 3, 4, 5]
    wait_for(lambda: failed not in capture.client.state(capture.name)[1], LONG, "its end")


def test_keys_of_every_kind_are_read_once(capture: Capture) -> None:
    columns = {
        "ke": "ENUM('z', 'a', 'm')",
        "kf": "FLOAT",
        "kd": "DOUBLE",
        "kb": "BIT(9)",
        "kt": "TIMESTAMP(3)",
        "kz": "DATE",
        "kc": "CHAR(5) COLLATE utf8mb4_bin",
        "ku": "BIGINT UNSIGNED",
        "ki": "TIME(6)",
        "ks": "SET('x', 'b', 'c')",
    }
    values = {
        "ke": ("'z'", "'a'", "'m'"),
        "kf": ("0.1", "16777217", "-1e-20", "123456789"),
        "kd": ("0.1", "1e300", "-1e-300"),
        "kb": ("0", "1", "39", "511"),
        "kt": ("'2026-01-01 00:00:00.001'", "'1971-01-01 00:00:00'", "'2026-06-01 12:00:00.999'"),
        "kz": ("'0001-01-01'", "'2026-01-01'", "'9999-12-31'"),
        "kc": ("'a'", "'A'", "'''\\\\'", "''"),
        "ku": ("0", "9223372036854775808", "18446744073709551615"),
        "ki": ("'-838:59:59'", "'00:00:00.000001'", "'838:59:59'"),
        "ks": ("''", "'x'", "'x,b'", "'c'"),
    }
    capture.config["incremental.snapshot.chunk.size"] = "1"
    capture.start(
        SIGNALS,
        *(
            f"CREATE TABLE {name} (k {kind} PRIMARY KEY) CHARSET utf8mb4"
            for name, kind in columns.items()
        ),
    )
    for name, rows in values.items():
        capture.database.execute(f"INSERT INTO {name} VALUES ({'), ('.join(rows)})")
        capture.rows(name, len(rows))
    capture.database.execute(
        f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{request(capture, *columns)}')"
    )
    found = capture.wait_for_end()
    ended = [one["additional_data"] for one in found if one["type"] == "TABLE_SCAN_COMPLETED"]
    assert [data["status"] for data in ended] == ["SUCCEEDED"] * len(columns), ended
    for name, rows in values.items():
        keys = [row["k"] for row in capture.read_rows(name)]
        assert len(keys) == len(set(map(str, keys))) == len(rows), (name, keys)


def test_rows_of_one_surrogate_key_stay_together(capture: Capture) -> None:
    capture.config["incremental.snapshot.chunk.size"] = "2"
    capture.start(SIGNALS, "CREATE TABLE s (id INT PRIMARY KEY, k INT)")
    capture.database.execute("INSERT INTO s VALUES (1, 1), (2, 1), (3, 1), (4, NULL), (5, 2)")
    capture.rows("s", 5)
    data = request(capture, "s", **{"surrogate-key": "k"})
    capture.database.execute(f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{data}')")
    capture.wait_for_end()
    assert sorted(row["id"] for row in capture.read_rows("s")) == [1, 2, 3, 4, 5]


def test_without_the_privilege_to_write_marks_the_table_is_skipped(capture: Capture) -> None:
    capture.config |= {"database.user": "capture", "database.password": "capture"}
    capture.start(SIGNALS)
    capture.database.execute(
        f"INSERT INTO signals VALUES ('1', 'execute-snapshot', '{request(capture, 't')}')"
    )
    found = capture.wait_for_end()
    assert [one["additional_data"].get("status") for one in found][1] == "SQL_EXCEPTION"
    capture.database.execute("INSERT INTO t VALUES (2, 'two')")
    capture.rows("t", 2)


@pytest.fixture
def read_only(capture: Capture) -> Capture:
    """A capture by a user who may only read, without a table of signals."""
    capture.config |= {
        "database.user": CAPTURE.user,
        "database.password": CAPTURE.password,
        "read.only": "true",
        "incremental.snapshot.chunk.size": "10",
    }
    del capture.config["signal.data.collection"]
    return capture


def test_a_table_is_read_on_an_idle_server(read_only: Capture, broker: KafkaBroker) -> None:
    capture = read_only
    topic = f"{capture.name}-signal"
    capture.topics.create(topic)
    capture.config |= {
        "signal.enabled.channels": "kafka",
        "signal.kafka.bootstrap.servers": broker.address,
        "signal.kafka.groupId": capture.name,
    }
    capture.start(
        "CREATE TABLE many (id INT PRIMARY KEY)", "CREATE TABLE none (id INT PRIMARY KEY)"
    )
    values = ", ".join(f"({number})" for number in range(500))
    capture.database.execute(f"INSERT INTO many VALUES {values}")
    capture.rows("many", 500)
    data = json.loads(request(capture, "many", "none", "t", type="INCREMENTAL"))
    producer = Producer({"bootstrap.servers": broker.address})
    producer.produce(topic, json.dumps({"type": "execute-snapshot", "data": data}), capture.name)
    assert not producer.flush(10)
    found = capture.wait_for_end()
    ended = [one["additional_data"] for one in found if one["type"] == "TABLE_SCAN_COMPLETED"]
    assert [data["status"] for data in ended] == ["SUCCEEDED", "EMPTY", "SUCCEEDED"]
    assert [row["id"] for row in capture.read_rows("many")] == list(range(500))
    assert capture.read_rows("t") == [{"id": 1, "v": "one"}]


def test_a_table_is_altered_and_emptied_meanwhile(read_only: Capture, tmp_path: Path) -> None:
    capture = read_only
    path = tmp_path / "signals"
    capture.config |= {
        "signal.enabled.channels": "file",
        "signal.file": str(path),
    }
    capture.start("CREATE TABLE many (id INT PRIMARY KEY)")
    for start in range(0, 6000, 1000):
        values = ", ".join(f"({number})" for number in range(start, start + 1000))
        capture.database.execute(f"INSERT INTO many VALUES {values}")
    capture.rows("many", 6000)
    data = json.loads(request(capture, "many"))
    path.write_text(json.dumps({"id": "1", "type": "execute-snapshot", "data": data}) + "\n")
    topic = f"{capture.name}.{capture.database.name}.many"
    wait_for(lambda: capture.topics.ends([topic])[topic] > 6010, LONG, "rows of chunks")
    capture.database.execute(
        "ALTER TABLE many ADD v INT DEFAULT 7",
        "DELETE FROM many WHERE id >= 5500",
    )
    capture.wait_for_end()
    rows = [row for row in capture.read_rows("many") if row is not None]
    identities = [row["id"] for row in rows]
    assert len(identities) == len(set(identities)), "a row was read twice"
    altered = [row for row in rows if "v" in row]
    assert altered
    assert all(row["v"] == 7 for row in altered)
    assert set(range(5500)) <= set(identities)
