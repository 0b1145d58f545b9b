"""Random tables, rows and alterations: every message equals Debezium's.

The seed stands in the name of the test: to repeat a failure, put it into `SEEDS`.
"""

from __future__ import annotations

import secrets
from contextlib import closing

import pytest

from deploy.stack import ConnectClient, ConnectWorker, KafkaBroker, MillraceWorker
from tests.conformance.equal import assert_equal, assert_none_failed
from tests.conformance.generated import Workload
from tests.conformance.sides import Run
from tests.fixtures.topics import Topics

SEEDS = (1, secrets.randbelow(10**6))
_DATABASES = 12  # in each run; some 50 statements each are kept


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("server", ["mysql", "mariadb"])
def test_random_statements(
    request: pytest.FixtureRequest,
    broker: KafkaBroker,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
    server: str,
    seed: int,
) -> None:
    database = request.getfixturevalue(server)
    scenarios = [
        Workload(seed * 100 + number, f"gen{number}", server).scenario(database)
        for number in range(_DATABASES)
    ]
    count = sum(len(phase) for one in scenarios for phase in one.phases.values())
    print(f"seed {seed} on {server}: {count} statements")
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        run = Run(scenarios, database, broker, topics, oracle, ours, still=8)
        run.play()
    assert not run.errors
    assert count > 40 * _DATABASES
    for side in (run.compiled, run.general):
        assert_none_failed(run.oracle, side)
        assert_equal(side, run.oracle, run.oracle.topics)
        assert sorted(side.topics) == sorted(run.oracle.topics)
