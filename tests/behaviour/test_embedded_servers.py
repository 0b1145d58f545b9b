"""Every embedded server starts, keeps port and data over a stop and a crash, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import psutil
import pymysql
import pytest
from confluent_kafka import Producer

from tests.fixtures.databases import FreshDatabase
from tests.fixtures.topics import Topics
from tools.stack import (
    CAPTURE,
    OWNER,
    ConnectWorker,
    DatabaseServer,
    KafkaBroker,
    MariaDb,
    MySql56,
    MySql97,
    StackError,
    Workspace,
)
from tools.stack.programs import installed

ROOT_FOLDER = Path(__file__).parents[2]

DATABASES = [
    MySql97,
    MariaDb,
    pytest.param(
        MySql56, marks=pytest.mark.skipif(installed("npm") is None, reason="npm is not installed")
    ),
]


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.slow
def test_a_database_keeps_port_and_rows(kind: type[DatabaseServer], workspace: Workspace) -> None:
    with kind(workspace, durable=True) as server:
        address, first = server.address, server.pid
        server.execute(
            "CREATE DATABASE d",
            "CREATE TABLE d.t (a INT PRIMARY KEY)",
            "INSERT INTO d.t VALUES (1)",
        )
        server.restart()
        server.execute("INSERT INTO d.t VALUES (2)")
        server.kill()
        assert not server.running
        server.start()

        assert server.address == address
        assert server.pid != first
        assert server.query("SELECT a FROM d.t ORDER BY a") == [(1,), (2,)]
        assert len(server.query("SHOW BINARY LOGS")) == 3  # each start begins a file
        server.connect(OWNER).close()
    assert not server.running


@pytest.mark.parametrize("kind", [MySql97, MariaDb])
def test_the_binlog_begins_empty_and_can_be_reset(
    kind: type[DatabaseServer], workspace: Workspace
) -> None:
    with kind(workspace) as server:
        server.execute(
            "CREATE DATABASE d", "CREATE TABLE d.t (a INT)", "INSERT INTO d.t VALUES (1)"
        )
        assert row_events(server) == 1
        server.reset_binlog()
        assert row_events(server) == 0


def row_events(server: DatabaseServer) -> int:
    events = server.query("SHOW BINLOG EVENTS")
    return sum(row[2].startswith("Write_rows") for row in events)


def test_the_first_start_writes_no_accounts_into_the_binlog(workspace: Workspace) -> None:
    with MariaDb(workspace) as server:
        kinds = {row[2] for row in server.query("SHOW BINLOG EVENTS")}
    assert "Format_desc" in kinds
    assert "Query" not in kinds


def test_the_capture_account_may_read_but_not_write(each_database: FreshDatabase) -> None:
    each_database.execute("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")
    with each_database.server.connect(CAPTURE) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT a FROM {each_database.name}.t")
        assert cursor.fetchone() == (1,)
        cursor.execute("SHOW BINARY LOGS")
        with pytest.raises(pymysql.err.OperationalError, match="denied"):
            cursor.execute(f"INSERT INTO {each_database.name}.t VALUES (2)")


def test_server_options_win(workspace: Workspace) -> None:
    options = ["--binlog-row-image=MINIMAL", "--gtid-mode=OFF", "--enforce-gtid-consistency=OFF"]
    with MySql97(workspace, options=options) as server:
        settings = server.query("SELECT @@binlog_row_image, @@gtid_mode, @@log_bin")
    assert settings == [("MINIMAL", "OFF", 1)]


def test_a_server_that_cannot_start_shows_its_log(workspace: Workspace) -> None:
    server = MariaDb(workspace, options=["--no-such-option"])
    with pytest.raises(StackError, match="no-such-option"):
        server.start()
    assert not server.running


@pytest.mark.slow
def test_the_broker_keeps_port_and_messages(workspace: Workspace) -> None:
    with KafkaBroker(workspace, properties={"num.partitions": 2}) as broker:
        address = broker.address
        send(broker, b"1")
        broker.restart()
        send(broker, b"2")
        broker.kill()
        broker.start()

        assert broker.address == address
        topics = Topics(broker.address)
        messages = topics.read("t")
        assert topics.partitions("t") == 2
        assert {message.value for message in messages} == {b"1", b"2"}
        assert {message.headers for message in messages} == {(("h", b"x"),)}
        assert all(message.key == b"k" for message in messages)


def send(broker: KafkaBroker, value: bytes) -> None:
    producer = Producer({"bootstrap.servers": broker.address})
    producer.produce("t", value, b"k", headers={"h": b"x"})
    assert producer.flush(30) == 0


def test_topics_are_read_to_their_end(topics: Topics, broker: KafkaBroker) -> None:
    topics.create("reading", partitions=3, retention_ms=-1)
    producer = Producer({"bootstrap.servers": broker.address})
    for number in range(50):
        producer.produce("reading", str(number).encode(), partition=number % 3)
    producer.produce("reading", None, b"key", partition=0)
    assert producer.flush(30) == 0

    messages = topics.wait_for("reading", 51)

    assert [message.offset for message in messages if message.partition == 1] == list(range(17))
    assert sorted(message.json() for message in messages if message.value) == list(range(50))
    assert [message.key for message in messages if message.value is None] == [b"key"]
    assert topics.names("read") == ["reading"]
    topics.delete(["reading"])
    assert topics.read("no-such-topic") == []


def test_debezium_captures_a_row(
    connect_worker: ConnectWorker, each_database: FreshDatabase, topics: Topics
) -> None:
    each_database.execute("CREATE TABLE t (a INT PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    name = each_database.name
    connector = {
        "connector.class": each_database.server.connector_class,
        "database.hostname": each_database.server.host,
        "database.port": str(each_database.server.port),
        "database.user": CAPTURE.user,
        "database.password": CAPTURE.password,
        "database.server.id": "5501",
        "database.include.list": name,
        "topic.prefix": name,
        "schema.history.internal.kafka.bootstrap.servers": topics.bootstrap,
        "schema.history.internal.kafka.topic": f"{name}-history",
    }
    with httpx.Client(base_url=connect_worker.url, timeout=60) as rest:
        created = rest.post("/connectors", json={"name": name, "config": connector})
        assert created.status_code == 201, created.text
        try:
            topics.wait_for(f"{name}.{name}.t", 1)
            each_database.execute("INSERT INTO t VALUES (2)")
            messages = topics.wait_for(f"{name}.{name}.t", 2)
        finally:
            assert rest.delete(f"/connectors/{name}").status_code == 204
    assert [m.payload()["after"] for m in messages] == [{"a": 1}, {"a": 2}]
    assert [m.payload()["op"] for m in messages] == ["r", "c"]


@pytest.mark.servers
def test_servers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "start.py"
    script.write_text(
        "import time\n"
        "from tools.stack import MariaDb, Workspace\n"
        "server = MariaDb(Workspace())\n"
        "server.start()\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        cwd=ROOT_FOLDER,
        env=os.environ | {"PYTHONPATH": str(ROOT_FOLDER)},
    ) as parent:
        assert parent.stdout is not None
        server = psutil.Process(int(parent.stdout.readline()))
        assert server.is_running()
        parent.send_signal(signal.SIGKILL)
    assert not alive_after(server, seconds=10)


def alive_after(process: psutil.Process, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > until:
            return True
        time.sleep(0.1)
    return False
