"""A replica of two primaries: the transactions of both are captured, also of one that is added."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.recovery.following import Following
from tests.recovery.primary_pair import Pair
from tools.stack import DatabaseServer, MariaDb, MySql97, Workspace

_NUMBERS: Final = (201, 202, 203)


@dataclass
class Primaries:
    """Two primaries, and a replica that follows each of them through a channel of its own."""

    first: DatabaseServer
    second: DatabaseServer
    replica: DatabaseServer

    def begin_channel(self, name: str, primary: DatabaseServer) -> None:
        """Let the replica follow a primary from its first transaction on."""
        at = f"HOST='{primary.host}', {{0}}_PORT={primary.port}, {{0}}_USER='root'"
        at = f"{{0}}_{at}, {{0}}_PASSWORD='root'"
        if isinstance(self.replica, MariaDb):
            self.replica.execute(
                f"CHANGE MASTER '{name}' TO {at.format('MASTER')}, MASTER_USE_GTID=slave_pos",
                f"START SLAVE '{name}'",
            )
            return
        self.replica.execute(
            f"CHANGE REPLICATION SOURCE TO {at.format('SOURCE')}, SOURCE_AUTO_POSITION=1, "
            f"GET_SOURCE_PUBLIC_KEY=1 FOR CHANNEL '{name}'",
            f"START REPLICA FOR CHANNEL '{name}'",
        )


def _options(made: Callable[..., DatabaseServer], number: int) -> list[str]:
    more = [f"--gtid-domain-id={number}", "--log-slave-updates"] if made is MariaDb else []
    return [f"--server-id={number}", *more]


@pytest.fixture(params=[pytest.param(MySql97, marks=pytest.mark.slow), MariaDb])
def primaries(request: pytest.FixtureRequest, workspace: Workspace) -> Iterator[Primaries]:
    with ExitStack() as servers:
        found = Primaries(
            *(
                servers.enter_context(
                    request.param(workspace, options=_options(request.param, number))
                )
                for number in _NUMBERS
            )
        )
        for server, table, row in ((found.first, "a", 1), (found.second, "b", 100)):
            server.execute(
                "CREATE DATABASE IF NOT EXISTS shop",
                f"CREATE TABLE shop.{table} (id INT PRIMARY KEY)",
                f"INSERT INTO shop.{table} VALUES ({row})",
            )
        yield found


def test_a_channel_that_is_added_is_read_from_its_first_transaction(
    primaries: Primaries, tmp_path: Path
) -> None:
    replica = primaries.replica
    pair = Pair(replica, replica, "", "")
    where = {
        "database__hostname": f"{replica.host}:{replica.port}",
        "schema__history__internal": "io.debezium.storage.file.history.FileSchemaHistory",
        "schema__history__internal__file__filename": str(tmp_path / "history"),
    }
    primaries.begin_channel("one", primaries.first)
    with closing(Following((pair.primary, pair.replica), None, **where)) as capture:
        primaries.first.execute("INSERT INTO shop.a VALUES (2)")
        capture.await_ids(1, 2)
        primaries.begin_channel("two", primaries.second)
        capture.await_ids(1, 2, 100)
        primaries.second.execute("INSERT INTO shop.b VALUES (101)")
        capture.await_ids(1, 2, 100, 101)
        primaries.first.execute("INSERT INTO shop.a VALUES (3)")
        capture.await_ids(1, 2, 100, 101, 3)
    primaries.second.execute("INSERT INTO shop.b VALUES (102)")
    with closing(Following((pair.primary, pair.replica), capture.offset, **where)) as again:
        again.await_ids(102)
        primaries.first.execute("INSERT INTO shop.a VALUES (4)")
        again.await_ids(102, 4)
