"""The oldest server: the main scenarios on MySQL 5.6. Statements that it refuses are skipped."""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.conformance.equal import assert_equal, assert_none_failed
from tests.conformance.sides import Run
from tests.fixtures.scenario import FOLDER, read
from tests.fixtures.topics import Topics
from tools.stack import ConnectClient, ConnectWorker, KafkaBroker, MillraceWorker, MySql56

CORE = """
    binaries bits ddl_alter ddl_while_stopped ddl_while_streaming decimals enums_sets floats
    integers keys online_migrations strings temporal types_basic"""


@pytest.mark.slow
def test_the_core_of_the_scenarios(
    broker: KafkaBroker,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
    mysql56: MySql56,
) -> None:
    scenarios = [read(FOLDER / f"{name}.sql") for name in CORE.split()]
    assert not any(scenario.config for scenario in scenarios), "one pair of connectors takes all"
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        run = Run(scenarios, mysql56, broker, topics, oracle, ours)
        run.play()
    refused = len(run.errors)
    print(refused, "statements refused")
    assert refused < 100
    assert len(run.oracle.topics) > 30
    for side in run.ours:
        assert_none_failed(run.oracle, side)
        assert_equal(side, run.oracle, run.oracle.topics)
        assert sorted(side.topics) == sorted(run.oracle.topics)
