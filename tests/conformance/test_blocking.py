"""Blocking snapshots beside Debezium.

Positions are not compared. Those of rows depend on where Debezium's threads meet; schema changes
have that of the initial snapshot, where a recovery would put them before later statements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.equal import assert_none_failed
from tests.conformance.sides import Run, Side
from tests.fixtures.scenario import read
from tests.fixtures.topics import Topics
from tools.stack import ConnectClient, ConnectWorker, KafkaBroker, MillraceWorker

SCENARIO = read(Path(__file__).with_name("blocking.sql"))
_CLOCK = re.compile(r'(":\s*)T(?=[,}])')


@pytest.fixture(scope="module", params=["mysql", "mariadb"])
def run(
    request: pytest.FixtureRequest,
    broker: KafkaBroker,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
) -> Iterator[Run]:
    server = request.getfixturevalue(request.param)
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        made = Run([SCENARIO], server, broker, topics, oracle, ours)
        made.play()
        assert not made.errors
        yield made


@pytest.mark.parametrize("side", ["compiled", "general"])
def test_rows_and_notifications_are_equal(run: Run, side: str) -> None:
    ours: Side = getattr(run, side)
    assert_none_failed(run.oracle, ours)
    assert ours.topics.keys() == run.oracle.topics.keys()
    names = sorted(run.oracle.topics.keys() - {"history.PFX"})
    for name in names:
        assert list(map(essence, ours.topics[name])) == list(
            map(essence, run.oracle.topics[name])
        ), name


def essence(message: tuple[Any, ...]) -> Any:
    """Return a message without what depends on the position at which streaming stopped."""
    partition, key, value, _, headers = message
    if value is None:
        return partition, key, None, headers
    document = json.loads(_CLOCK.sub(r'\1"T"', value))
    source = document.get("payload", document).get("source")
    if source is not None and source["snapshot"] not in ("false", None):
        for name in ("file", "pos", "gtid", "thread", "server_id"):
            source.pop(name, None)
    return partition, key, document, headers
