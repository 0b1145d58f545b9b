"""The newest MySQL without GTIDs: events have the positions and the times of its log."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.conformance.equal import assert_equal, assert_none_failed
from tests.conformance.sides import Run
from tests.fixtures.scenario import FOLDER, read
from tests.fixtures.topics import Topics
from tools.stack import (
    ConnectClient,
    ConnectWorker,
    KafkaBroker,
    MillraceWorker,
    MySql97,
    Workspace,
)

SCENARIOS = [
    read(Path(__file__).with_name("without_gtids.sql")),
    *(read(FOLDER / f"{name}.sql") for name in ("compressed_log", "ddl_while_streaming", "xa")),
]


@pytest.mark.slow
def test_a_log_without_gtids_is_read_as_by_debezium(
    workspace: Workspace,
    broker: KafkaBroker,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
) -> None:
    with (
        MySql97(workspace, options=("--gtid-mode=OFF", "--enforce-gtid-consistency=OFF")) as server,
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        run = Run(SCENARIOS, server, broker, topics, oracle, ours)
        run.play()
    for side in run.ours:
        assert_none_failed(run.oracle, side)
        assert side.topics.keys() == run.oracle.topics.keys()
        assert_equal(side, run.oracle, run.oracle.topics)
