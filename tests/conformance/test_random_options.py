"""Random properties of connectors on random statements: every message equals Debezium's.

``OPTIONS_RUNS=50`` plays so many runs on each server. A failure names its seed: ``SEED=…`` begins
with it.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from random import Random

import pytest

from tests.conformance.equal import assert_sides_equal
from tests.conformance.sides import Run
from tests.fixtures.generated_workload import NAMES, TABLES, Workload
from tests.fixtures.random_options import can_stop, random_options
from tests.fixtures.random_transactions import ALL_COLUMNS, ALL_TABLES, Transactions
from tests.fixtures.scenario import Scenario
from tests.fixtures.topics import Topics
from tools.stack import ConnectClient, ConnectWorker, DatabaseServer, KafkaBroker, MillraceWorker

_RUNS = int(os.environ.get("OPTIONS_RUNS", "8"))
_SEED = int(os.environ.get("SEED", secrets.randbelow(10**6)))
_DATABASES = 4
_WORKLOADS: dict[type[Workload], tuple[Sequence[str], Sequence[str]]] = {
    Workload: (TABLES, NAMES),
    Transactions: (ALL_TABLES, ALL_COLUMNS),
}
"""What makes the statements, and the names of which properties choose tables and columns."""
_LAST_ROW = ("CREATE TABLE last_one (id INT PRIMARY KEY)", "INSERT INTO last_one VALUES (1)")


@pytest.mark.slow
@pytest.mark.parametrize("server", ["mysql", "mariadb"])
@pytest.mark.parametrize("kind", _WORKLOADS)
def test_random_options(
    request: pytest.FixtureRequest,
    broker: KafkaBroker,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
    capsys: pytest.CaptureFixture[str],
    server: str,
    kind: type[Workload],
) -> None:
    tables, columns = _WORKLOADS[kind]
    database = request.getfixturevalue(server)
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        compared = 0
        for seed in range(_SEED, _SEED + _RUNS):
            options = random_options(Random(seed), server, tables, columns)
            with capsys.disabled():
                print(f"\nseed {seed} on {server}: {options}", end=" ", flush=True)
            scenarios = [
                _scenario(kind, seed * 100 + number, f"gen{number}", database, server, options)
                for number in range(_DATABASES)
            ]
            run = Run(scenarios, database, broker, topics, oracle, ours, still=6)
            run.play()
            assert not run.errors
            if run.oracle.failure:
                with capsys.disabled():
                    print("Debezium failed", end=" ", flush=True)
                continue
            compared += 1
            assert_sides_equal(run, seed)
    assert compared > _RUNS // 2


def _scenario(
    kind: type[Workload],
    seed: int,
    name: str,
    server: DatabaseServer,
    flavor: str,
    options: Mapping[str, str],
) -> Scenario:
    """Return the statements of a database; the last ones before a stop add a row.

    Keys have no columns that may be left out: docs/compatibility.md, an excluded key column.
    """
    leaves_out = any(option.startswith("column.") for option in options)
    workload = kind(seed, name, flavor, composite_keys=not leaves_out)
    scenario = workload.scenario(server, options)
    offline = scenario.phases["offline"] if can_stop(options) else ()
    streaming = (*scenario.phases["streaming"], "ROLLBACK", *_LAST_ROW)
    return replace(scenario, phases={**scenario.phases, "streaming": streaming, "offline": offline})
