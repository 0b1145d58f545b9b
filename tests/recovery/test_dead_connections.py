"""Connections to the database that die without a word are found within 20 seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from connector.capture.change import RowChanges, Waiting
from connector.capture.engine import Engine, EngineOptions
from connector.errors import DatabaseUnavailableError
from connector.mysql.session.connection import Connection
from connector.mysql.session.connection_settings import ConnectionSettings
from connector.mysql.session.tls import Tls
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.fault_proxy import FaultProxy
from tests.fixtures.single_changes import single_changes
from tests.fixtures.sources import source
from tests.fixtures.worker import wait_for
from tools.stack import CAPTURE, DatabaseServer

LIMIT = 40.0  # seconds: silence is noticed after 15, a server gives up after 60
ROWS = 20_000


@pytest.fixture
def proxy(each_database: FreshDatabase) -> Iterator[FaultProxy]:
    with FaultProxy(each_database.server.host, each_database.server.port) as made:
        yield made


class Captured:
    """A capture in a thread of its own; ``ids`` are the keys of the rows that came."""

    def __init__(self, database: FreshDatabase, proxy: FaultProxy, mode: str) -> None:
        address = {"database__hostname": proxy.host, "database__port": str(proxy.port)}
        self.ids: set[int] = set()
        self.faults: list[str] = []
        self._source = source(database, **address)
        self._engine = Engine(self._source, EngineOptions(snapshot_mode=mode))
        self.resume = threading.Event()
        self.resume.set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        for change in single_changes(self._engine.changes(None)):
            if self._ended.is_set():
                break
            self.resume.wait()
            if isinstance(change, RowChanges):
                self.ids |= {after[0] for _, after in change.rows if after is not None}
            elif isinstance(change, Waiting):
                self.faults += [change.reason] if change.reason else []
                time.sleep(change.seconds)
        self._source.close()

    def close(self) -> None:
        self._ended.set()
        self.resume.set()
        self._thread.join(10)


def fill(database: FreshDatabase, rows: int) -> None:
    database.execute("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(2000))")
    database.execute(*["INSERT INTO t (v) VALUES (REPEAT('x', 1000))"])
    while database.query("SELECT COUNT(*) FROM t")[0][0] < rows:
        database.execute("INSERT INTO t (v) SELECT v FROM t LIMIT 5000")


def settings(server: DatabaseServer, proxy: FaultProxy) -> ConnectionSettings:
    return ConnectionSettings(
        proxy.host, proxy.port, CAPTURE.user, CAPTURE.password, tls=Tls("disabled")
    )


@pytest.mark.slow
def test_a_stream_continues_after_its_connection_died(
    each_database: FreshDatabase, proxy: FaultProxy
) -> None:
    each_database.execute("CREATE TABLE t (id INT PRIMARY KEY)")
    with closing(Captured(each_database, proxy, "no_data")) as captured:
        wait_for(lambda: _insert(each_database) and captured.ids, LIMIT)
        proxy.half_open()
        last = _insert(each_database)
        wait_for(lambda: last in captured.ids, LIMIT)


def _insert(database: FreshDatabase) -> int:
    database.execute("INSERT INTO t SELECT COALESCE(MAX(id), 0) + 1 FROM t")
    return int(database.query("SELECT MAX(id) FROM t")[0][0])


def test_a_stream_continues_although_the_server_still_sends_to_the_dead_connection(
    mariadb_database: FreshDatabase,
) -> None:
    """MariaDB lets a new dump wait until the old one has given up: a minute by default."""
    fill(mariadb_database, 1)
    server = mariadb_database.server
    with (
        FaultProxy(server.host, server.port) as proxy,
        closing(Captured(mariadb_database, proxy, "no_data")) as captured,
    ):
        wait_for(lambda: server.query("SHOW PROCESSLIST") and _dumps(server), LIMIT)
        captured.resume.clear()  # unread data fills all buffers in between
        filled_rows = "INSERT INTO t (v) SELECT REPEAT('x', 2000) FROM t LIMIT 5000"
        for _ in range(24):
            mariadb_database.execute(filled_rows)
            if _cannot_send(server):
                break
        wait_for(lambda: _cannot_send(server), LIMIT, "a server that cannot send")
        proxy.half_open()
        captured.resume.set()
        last = int(mariadb_database.query("SELECT MAX(id) FROM t")[0][0])
        wait_for(lambda: last in captured.ids, LIMIT)


def _cannot_send(server: DatabaseServer) -> bool:
    """Return whether a dump waits for the network, and not only for a moment."""
    for _ in range(10):
        if "Writing to net" not in _dumps(server):
            return False
        time.sleep(0.05)
    return True


def _dumps(server: DatabaseServer) -> list[str]:
    rows = server.query("SHOW PROCESSLIST")
    return [str(row[6]) for row in rows if str(row[4]).startswith("Binlog Dump")]


@pytest.mark.slow
def test_a_snapshot_starts_again_after_its_connection_died(
    each_database: FreshDatabase, proxy: FaultProxy
) -> None:
    fill(each_database, ROWS)
    with closing(Captured(each_database, proxy, "initial")) as captured:
        wait_for(lambda: captured.ids, LIMIT)
        captured.resume.clear()
        proxy.half_open()
        captured.resume.set()
        wait_for(lambda: captured.faults, LIMIT)
        wait_for(lambda: len(captured.ids) >= ROWS, LIMIT)


@pytest.mark.slow
def test_a_statement_that_takes_long_is_no_dead_connection(
    each_database: FreshDatabase, proxy: FaultProxy
) -> None:
    with closing(Connection(settings(each_database.server, proxy))) as connection:
        assert connection.row("SELECT SLEEP(20), 7") == ("0", "7")


@pytest.mark.parametrize(
    "each_database", [pytest.param("mysql", marks=pytest.mark.slow), "mariadb"], indirect=True
)
@pytest.mark.parametrize(
    "statement",
    ["SELECT SLEEP(1)", pytest.param("SELECT SLEEP(60)", marks=pytest.mark.slow)],
)
def test_a_statement_ends_whose_answer_cannot_come(
    each_database: FreshDatabase, proxy: FaultProxy, statement: str
) -> None:
    with closing(Connection(settings(each_database.server, proxy))) as connection:
        begun = time.monotonic()
        threading.Timer(0.3, proxy.blackhole).start()
        with pytest.raises(DatabaseUnavailableError):
            connection.execute(statement)
        assert time.monotonic() - begun < 20


@pytest.mark.parametrize("mode", ["disabled", "preferred"])
def test_a_statement_ends_that_another_thread_interrupts(
    each_database: FreshDatabase, mode: str
) -> None:
    server = each_database.server
    of_server = ConnectionSettings(
        server.host, server.port, CAPTURE.user, CAPTURE.password, tls=Tls(mode)
    )
    with closing(Connection(of_server)) as connection:
        begun = time.monotonic()
        threading.Timer(0.3, connection.interrupt).start()
        with pytest.raises(DatabaseUnavailableError):
            connection.execute("SELECT SLEEP(60)")
        assert time.monotonic() - begun < 20


def test_a_login_that_is_not_answered_ends(each_database: FreshDatabase, proxy: FaultProxy) -> None:
    proxy.blackhole()
    begun = time.monotonic()
    with pytest.raises(DatabaseUnavailableError):
        Connection(replace(settings(each_database.server, proxy), connect_timeout=2))
    assert time.monotonic() - begun < 20


@pytest.mark.slow
def test_a_session_that_the_server_ended_elsewhere_is_dead(
    each_database: FreshDatabase, proxy: FaultProxy
) -> None:
    with closing(Connection(settings(each_database.server, proxy))) as connection:

        def kill() -> Any:
            proxy.half_open()
            each_database.execute(f"KILL {connection.id}")

        threading.Timer(0.3, kill).start()
        with pytest.raises(DatabaseUnavailableError, match="no answer will come"):
            connection.execute("SELECT SLEEP(60)")
