"""Random tables, rows and alterations: every message equals Debezium's.

``STATEMENTS=5000`` plays at least so many on both servers together. A failure names its seed:
``SEED=…`` begins with it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import closing
from itertools import count

import pytest

from tests.conformance.equal import assert_sides_equal
from tests.conformance.sides import Run
from tests.fixtures.generated_workload import Workload
from tests.fixtures.scenario import Scenario
from tests.fixtures.topics import Topics
from tools.stack import (
    ConnectClient,
    ConnectWorker,
    DatabaseServer,
    KafkaBroker,
    MillraceWorker,
)

_SERVERS = ("mysql", "mariadb")
_STATEMENTS = int(os.environ.get("STATEMENTS", "2000")) // len(_SERVERS)
_SEED = int(os.environ.get("SEED", secrets.randbelow(10**6)))
_DATABASES = 12  # in each run; some 50 statements each are kept


@pytest.mark.slow
@pytest.mark.parametrize("server", _SERVERS)
def test_random_statements(
    request: pytest.FixtureRequest,
    broker: KafkaBroker,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
    capsys: pytest.CaptureFixture[str],
    server: str,
) -> None:
    database = request.getfixturevalue(server)
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        for seed, done, scenarios in _workloads(database, server):
            with capsys.disabled():
                print(f"\nseed {seed} on {server}: statements up to {done}", end=" ", flush=True)
            run = Run(scenarios, database, broker, topics, oracle, ours, still=8)
            run.play()
            assert not run.errors
            assert_sides_equal(run, seed)


def _workloads(database: DatabaseServer, flavor: str) -> Iterator[tuple[int, int, list[Scenario]]]:
    """Yield seeds with their statements, and how many these are with those before."""
    done = 0
    for seed in count(_SEED):
        if done >= _STATEMENTS:
            return
        scenarios = [
            Workload(seed * 100 + number, f"gen{number}", flavor).scenario(database)
            for number in range(_DATABASES)
        ]
        kept = sum(map(_count_random, scenarios))
        assert kept > 30 * _DATABASES
        done += kept
        yield seed, done, scenarios


def _count_random(scenario: Scenario) -> int:
    """Count what is random: not the databases and what chooses them."""
    return sum(
        not statement.startswith(("CREATE DATABASE", "USE "))
        for phase in scenario.phases.values()
        for statement in phase
    )
