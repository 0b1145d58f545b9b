"""A capture goes on by GTIDs: on another server of the same topology, and from where they begin."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing

import pytest

from connector.capture.change import Progress, RowChanges
from connector.capture.snapshot_plan import Plan
from connector.mysql.position.gtid import GtidSet
from tests.fixtures.connectors import connector
from tests.fixtures.databases import FreshDatabase
from tests.fixtures.replicas import REPLICAS
from tests.fixtures.single_changes import single_changes
from tests.fixtures.sources import source
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tools.stack import (
    ConnectClient,
    DatabaseServer,
    KafkaBroker,
    MillraceWorker,
    MySql97,
    Workspace,
)


class Capture:
    """A connector of the shared worker that captures table ``t`` of database ``shop``."""

    def __init__(self, client: ConnectClient, topics: Topics, broker: KafkaBroker) -> None:
        self._client = client
        self._topics = topics
        self._broker = broker
        self._name = f"other{uuid.uuid4().hex[:8]}"
        self._config: dict[str, str] = {}

    def create(self, server: DatabaseServer) -> None:
        self._config = connector(server, self._broker, self._name, "shop")
        self._client.create(self._name, self._config)

    def move(self, server: DatabaseServer) -> None:
        """Go over to another server, as a person does who changes the address."""
        self._config |= {"database.port": str(server.port)}
        self._client.call("PUT", f"/connectors/{self._name}/config", self._config)

    def restart(self) -> None:
        """Stop and resume."""
        self._client.put(self._name, "stop")
        self._client.wait_for(self._name, "STOPPED")
        self._client.put(self._name, "resume")
        self._client.wait_for(self._name, "RUNNING")

    def offset(self) -> dict[str, str]:
        """Return what is stored."""
        (stored,) = self._client.call("GET", f"/connectors/{self._name}/offsets")["offsets"]
        found: dict[str, str] = stored["offset"]
        return found

    def ids(self, count: int) -> list[int]:
        """Return the ids of the rows that came, as soon as there are so many."""
        messages = self._topics.wait_for(f"{self._name}.shop.t", count)
        return [message.payload()["after"]["id"] for message in messages]

    def close(self) -> None:
        if self._name in self._client.call("GET", "/connectors"):
            self._client.delete(self._name)
        self._topics.delete([name for name in self._topics.names() if self._name in name])


@pytest.fixture
def capture(millrace: MillraceWorker, topics: Topics, broker: KafkaBroker) -> Iterator[Capture]:
    with (
        closing(ConnectClient(millrace.url)) as client,
        closing(Capture(client, topics, broker)) as made,
    ):
        yield made


def insert(server: DatabaseServer, *numbers: int) -> None:
    server.execute(*(f"INSERT INTO shop.t VALUES ({number})" for number in numbers))


def create(server: DatabaseServer) -> None:
    server.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY)")


def has(server: DatabaseServer, numbers: Sequence[int]) -> bool:
    ((there,),) = server.query(
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop'"
    )
    found = server.query("SELECT id FROM shop.t ORDER BY id") if there else []
    return [number for (number,) in found] == list(numbers)


@pytest.mark.parametrize("kind", ["mariadb", pytest.param("mysql", marks=pytest.mark.slow)])
def test_a_fail_over_to_a_replica(workspace: Workspace, capture: Capture, kind: str) -> None:
    made, options, source_is, start, stop = REPLICAS[kind]
    with ExitStack() as servers:
        first = servers.enter_context(made(workspace))
        create(first)
        insert(first, 1)
        second = servers.enter_context(made(workspace, options=options))
        second.execute("FLUSH BINARY LOGS", source_is.format(port=first.port), start)
        capture.create(first)
        assert capture.ids(1) == [1]
        insert(first, 2, 3)
        assert capture.ids(3) == [1, 2, 3]
        first.execute("FLUSH BINARY LOGS")
        wait_for(lambda: has(second, [1, 2, 3]), what="the replica")
        first.kill()
        second.execute(stop)
        insert(second, 4)
        capture.move(second)
        assert capture.ids(4) == [1, 2, 3, 4]
        capture.restart()
        insert(second, 5)
        assert capture.ids(5) == [1, 2, 3, 4, 5]


@pytest.mark.slow
@pytest.mark.parametrize("meanwhile", ["running", "stopped"])
def test_gtids_are_switched_on(workspace: Workspace, capture: Capture, meanwhile: str) -> None:
    """Those that have no place in the offset must not come again once others have one."""
    with MySql97(workspace, options=["--gtid-mode=OFF"]) as server:
        create(server)
        insert(server, 1)
        capture.create(server)
        assert capture.ids(1) == [1]
        insert(server, 2)
        assert capture.ids(2) == [1, 2]
        for mode in ("OFF_PERMISSIVE", "ON_PERMISSIVE", "ON"):
            server.execute(f"SET GLOBAL gtid_mode = {mode}")
        if meanwhile == "running":
            insert(server, 3, 4)
            assert capture.ids(4) == [1, 2, 3, 4]
            capture.restart()
        else:
            capture.restart()
            insert(server, 3, 4)
        insert(server, 5)
        assert capture.ids(5) == [1, 2, 3, 4, 5]
        capture.restart()
        insert(server, 6)
        assert capture.ids(6) == [1, 2, 3, 4, 5, 6]
        capture.restart()
        assert ":1-4" in capture.offset()["gtids"]
        insert(server, 7)
        assert capture.ids(7) == [1, 2, 3, 4, 5, 6, 7]


def test_the_gtids_before_a_position_are_done(database: FreshDatabase) -> None:
    """An offset of file and position is enough to know the transactions that it stands for."""
    database.execute("CREATE TABLE t (id INT PRIMARY KEY)", "FLUSH BINARY LOGS")
    database.execute("INSERT INTO t VALUES (1)")
    [(file, position, *_)] = database.query("SHOW BINARY LOG STATUS")
    [(before,)] = database.query("SELECT @@global.gtid_executed")
    made = source(database)
    made.open()
    list(made.snapshot(Plan("initial", schema=True, data=False), None))
    database.execute("INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (3)")
    [(done,)] = database.query("SELECT @@global.gtid_executed")
    found = []
    for change in made.stream(made.position({"file": file, "pos": position})):
        if isinstance(change, Progress):
            found.append(GtidSet.parse(change.position.to_offset()["gtids"]))
            if found[-1] == GtidSet.parse(done):
                break
    made.close()
    assert all(each.contains(GtidSet.parse(before)) for each in found)


def test_transactions_with_tags(database: FreshDatabase) -> None:
    """MySQL 8.4 counts the transactions of each tag for themselves."""
    database.execute("CREATE TABLE t (id INT PRIMARY KEY)")
    made = source(database)
    made.open()
    list(made.snapshot(Plan("initial", schema=True, data=True), None))
    [(file, position, _, _, executed)] = database.query("SHOW BINARY LOG STATUS")
    offset = {"file": file, "pos": position, "gtids": executed.replace("\n", "")}
    rows: list[int] = []
    tag = f"t{uuid.uuid4().hex[:8]}"
    for number, numbering in enumerate((f"AUTOMATIC:{tag}", "AUTOMATIC", f"AUTOMATIC:{tag}")):
        database.execute(
            f"SET SESSION GTID_NEXT = '{numbering}'",
            f"INSERT INTO t VALUES ({number})",
        )
        made.open()
        stream = single_changes(made.stream(made.position(offset)))
        for change in stream:
            if isinstance(change, RowChanges):
                rows += [row[0] for _, row in change.rows if row]
            if isinstance(change, Progress) and not change.in_transaction and len(rows) > number:
                offset = dict(change.position.to_offset())
                break
        made.close()
    assert rows == [0, 1, 2]
    assert f":{tag}:1-2" in offset["gtids"]
