"""A primary and two replicas: the capture reads a replica, and fails over to the other one."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from itertools import pairwise
from pathlib import Path

import pymysql
import pytest

from tests.fixtures.replicas import REPLICAS
from tests.fixtures.worker import wait_for
from tests.fixtures.writing import writing
from tests.recovery.following import Following
from tools.stack import DatabaseServer, Workspace


class Cluster:
    """A primary and two replicas of it; ``write`` adds rows to the primary."""

    def __init__(self, name: str, workspace: Workspace, opened: ExitStack) -> None:
        made, options, self._source_is, self._start, self._stop = REPLICAS[name]
        others: Sequence[list[str]] = ([], options, [*options, "--server-id=113"])
        servers = [opened.enter_context(made(workspace, options=more)) for more in others]
        self.primary, *self.replicas = servers
        self._numbers = itertools.count(1)
        self.primary.execute("CREATE DATABASE shop", "CREATE TABLE shop.t (id INT PRIMARY KEY)")
        for replica in self.replicas:
            replica.execute(self._source_is.format(port=self.primary.port), self._start)
            there = "SELECT 1 FROM information_schema.tables WHERE table_schema = 'shop'"
            wait_for(partial(replica.query, there), 30, "the replica")

    def write(self, has_ended: threading.Event) -> None:
        """Write one row a transaction, to whichever server is the primary."""
        while not has_ended.is_set():
            with (
                suppress(pymysql.err.MySQLError),
                self.primary.connect(database="shop", autocommit=True) as session,
            ):
                while not has_ended.is_set():
                    session.cursor().execute(f"INSERT INTO t VALUES ({next(self._numbers)})")
            time.sleep(0.05)

    def ids(self, server: DatabaseServer) -> list[int]:
        return [key for (key,) in server.query("SELECT id FROM shop.t ORDER BY id")]

    def kill_primary(self) -> None:
        """Kill the primary behind writes that one replica lacks, and others that both lack."""
        for replica in self.replicas:
            replica.execute(f"{self._stop} IO_THREAD")
            time.sleep(0.3)
        self.primary.kill()

    def promote(self) -> DatabaseServer:
        """Make the replica with the most transactions the primary of the other, which returns."""
        for replica in self.replicas:
            self._await_what_it_received(replica)
        other, new = sorted(self.replicas, key=lambda one: len(self.ids(one)))
        new.execute(self._stop)
        other.execute(self._stop, self._source_is.format(port=new.port), self._start)
        self.primary = new
        return other

    def _await_what_it_received(self, replica: DatabaseServer) -> None:
        """Wait until a replica whose primary is away has executed what it has."""
        count = -1
        while (found := len(self.ids(replica))) != count:
            count = found
            time.sleep(1)


@pytest.fixture(params=["mysql", "mariadb"])
def cluster(request: pytest.FixtureRequest, workspace: Workspace) -> Iterator[Cluster]:
    with ExitStack() as opened:
        yield Cluster(request.param, workspace, opened)


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 1])
def test_the_primary_and_a_replica_end_under_load(
    cluster: Cluster, tmp_path: Path, first: int
) -> None:
    """The primary ends with writes that no replica has: no topic has them either."""
    history = {
        "schema__history__internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema__history__internal__file__filename": str(tmp_path / "history"),
    }
    servers = [cluster.replicas[first], cluster.replicas[1 - first]]
    with closing(Following(servers, None, **history)) as capture:
        with writing(cluster.write):
            await_more(capture)
            cluster.kill_primary()
            replica = cluster.promote()
            await_more(capture)
            replica.kill()
            await_more(capture)
            replica.start()
            await_more(capture)
        expected = cluster.ids(cluster.primary)
        gaps = [after - before for before, after in pairwise(expected)]
        assert max(gaps) > 10, "a replica had all writes of the primary"
        wait_for(lambda: len(capture.ids) >= len(expected) or capture.error, 60, "all rows")
        assert capture.error is None
        assert capture.ids == expected
        wait_for(lambda: cluster.ids(replica) == expected, 30, "the replica that was killed")


def await_more(capture: Following) -> None:
    """Wait for changes behind those that are there."""
    count = len(capture.ids)
    wait_for(lambda: len(capture.ids) > count + 100 or capture.error, 60, "rows")
    assert capture.error is None
