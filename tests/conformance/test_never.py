"""``snapshot.mode=never`` beside Debezium 3.5 on MariaDB; Debezium 3.6 has no such mode.

The server belongs to the test alone: its whole log is read. Positions in the schema history are not
compared: Debezium, which begins without GTIDs, has that of the first statement in its own position.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from tests.conformance.equal import assert_equal, assert_none_failed
from tests.conformance.sides import Run
from tests.fixtures.scenario import read
from tests.fixtures.topics import Topics
from tools.stack import (
    ConnectClient,
    ConnectWorker,
    KafkaBroker,
    MariaDb,
    MillraceWorker,
    Workspace,
)

SCENARIO = read(Path(__file__).with_name("never.sql"))


def test_the_whole_log_is_streamed_as_by_debezium(
    workspace: Workspace,
    broker: KafkaBroker,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
) -> None:
    with (
        MariaDb(workspace) as server,
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        run = Run([SCENARIO], server, broker, topics, oracle, ours)
        run.play()
    assert not run.errors
    for side in run.ours:
        assert_none_failed(run.oracle, side)
        assert side.topics.keys() == run.oracle.topics.keys()
        assert_equal(side, run.oracle, run.oracle.topics.keys() - {"history.PFX"})
        assert len(side.topics["history.PFX"]) == len(run.oracle.topics["history.PFX"])
