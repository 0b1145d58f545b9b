"""A table is read in chunks while rows are written and the worker dies: nothing is lost."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.fixtures.environment import LONG, Environment, environment
from tests.fixtures.load import Load
from tests.snapshots.incremental import ROWS, SIGNALS, assert_no_older_row_comes_later
from tools.stack import OWNER, DatabaseServer, KafkaBroker, Workspace


def started(at: Environment, **more: str) -> None:
    """Create a connector that has streamed, and has read no rows of the tables."""
    at.server.execute(f"USE {at.name}", SIGNALS)
    at.create(
        database_user=OWNER.user,
        database_password=OWNER.password,
        snapshot_mode="no_data",
        signal_data_collection=f"{at.name}.signals",
        incremental_snapshot_chunk_size="40",  # so a kill finds it at work on any machine
        **more,
    )
    at.wait_for_stream()
    at.finish(0)


def execute(at: Environment, number: int) -> None:
    data = f'{{"data-collections": ["{at.name}.items"]}}'
    at.server.execute(
        f"INSERT INTO {at.name}.signals VALUES ('s{number}', 'execute-snapshot', '{data}')"
    )


def progress(at: Environment) -> dict[str, Any] | None:
    """Return the stored state of the snapshot, None if none runs."""
    with at.client() as client:
        offset = client.call("GET", f"/connectors/{at.name}/offsets")["offsets"][0]["offset"]
    return offset if "incremental_snapshot_collections" in offset else None


def killed(
    workspace: Workspace, broker: KafkaBroker, server: DatabaseServer, kills: int, **more: str
) -> None:
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with environment(workspace, broker, server, rows=ROWS) as at:
        started(at, **more)
        with Load(server, at.name, seed) as load:
            execute(at, 1)
            at.wait(lambda: progress(at), "a snapshot that runs")
            resumed = 0
            for _ in range(kills):
                at.wait_for_more(chance.randrange(1, 3000))
                at.worker.kill()
                at.worker.start()
                at.wait(lambda: at.status()[0] == "RUNNING", "the task to run")
                resumed += progress(at) is not None
            at.wait(lambda: progress(at) is None, "the end of the snapshot", LONG)
        at.finish(1)
        if "read_only" in more:
            assert at.server.query(f"SELECT id FROM {at.name}.signals") == [("s1",)]
        assert resumed, "the snapshot was over before the first kill"
        at.check()
        assert_no_older_row_comes_later(at)
        print(f"{kills} kills, {resumed} in the snapshot; {load.transactions} transactions")


@pytest.mark.parametrize("strategy", ["insert_insert", "insert_delete"])
def test_some_kills(
    workspace: Workspace, broker: KafkaBroker, mysql: DatabaseServer, strategy: str
) -> None:
    more = {"incremental_snapshot_watermarking_strategy": strategy}
    killed(workspace, broker, mysql, 3, **more)


@pytest.mark.parametrize("name", ["mysql", "mariadb"])
def test_some_kills_without_marks(
    workspace: Workspace, broker: KafkaBroker, request: pytest.FixtureRequest, name: str
) -> None:
    killed(workspace, broker, request.getfixturevalue(name), 3, read_only="true")


@pytest.mark.slow
def test_many_kills(workspace: Workspace, broker: KafkaBroker, mariadb: DatabaseServer) -> None:
    killed(workspace, broker, mariadb, 12)
