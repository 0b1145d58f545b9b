"""Every message of every scenario equals Debezium's: key, value, schema, headers, order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from deploy.stack import ConnectClient, ConnectWorker, KafkaBroker, MillraceWorker
from tests.conformance.normal import difference
from tests.conformance.scenario import Scenario, load
from tests.conformance.sides import Run, Side
from tests.fixtures.topics import Topics

SCENARIOS = load()
GROUPS: dict[tuple[str, frozenset[tuple[str, str]]], list[Scenario]] = {}
for _scenario in SCENARIOS:
    for _server in _scenario.servers:
        GROUPS.setdefault((_server, _scenario.config), []).append(_scenario)


class Runs:
    """Plays each group when the first of its tests asks for it."""

    def __init__(
        self,
        request: pytest.FixtureRequest,
        broker: KafkaBroker,
        topics: Topics,
        oracle: ConnectClient,
        ours: ConnectClient,
    ) -> None:
        self._request = request
        self._with = (broker, topics, oracle, ours)
        self._played: dict[tuple[str, frozenset[tuple[str, str]]], Run] = {}

    def of(self, server: str, config: frozenset[tuple[str, str]]) -> Run:
        key = (server, config)
        if key not in self._played:
            database = self._request.getfixturevalue(server)
            self._played[key] = run = Run(GROUPS[key], database, *self._with)
            run.play()
        return self._played[key]


@pytest.fixture(scope="module")
def runs(
    request: pytest.FixtureRequest,
    broker: KafkaBroker,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
) -> Iterator[Runs]:
    oracle, ours = ConnectClient(connect_worker.url), ConnectClient(millrace.url)
    yield Runs(request, broker, topics, oracle, ours)
    oracle.close()
    ours.close()


@pytest.mark.parametrize("side", ["compiled", "general"])
@pytest.mark.parametrize(
    ("server", "scenario"),
    [
        pytest.param(server, scenario, id=f"{server}-{scenario.name}")
        for scenario in SCENARIOS
        for server in scenario.servers
    ],
)
def test_rows_are_equal(runs: Runs, server: str, scenario: Scenario, side: str) -> None:
    run = runs.of(server, scenario.config)
    assert not [error for error in run.errors if error.startswith(scenario.name + ":")]
    _assert_none_failed(run, side)
    names = {name for name in run.oracle.topics if name.startswith(_starts(scenario.databases))}
    assert names, "Debezium wrote no row event: the scenario shows nothing"
    _assert_equal(getattr(run, side), run.oracle, names)


@pytest.mark.parametrize("side", ["compiled", "general"])
@pytest.mark.parametrize(
    ("server", "config"),
    [
        pytest.param(*key, id=f"{key[0]}-{'-'.join(one.name for one in group)[:60]}")
        for key, group in GROUPS.items()
    ],
)
def test_other_topics_are_equal(
    runs: Runs, server: str, config: frozenset[tuple[str, str]], side: str
) -> None:
    run = runs.of(server, config)
    databases = [name for scenario in GROUPS[server, config] for name in scenario.databases]
    names = {name for name in run.oracle.topics if not name.startswith(_starts(databases))}
    assert "history.PFX" in names
    _assert_none_failed(run, side)
    _assert_equal(getattr(run, side), run.oracle, names)
    assert sorted(getattr(run, side).topics) == sorted(run.oracle.topics)


def _starts(databases: Iterable[str]) -> tuple[str, ...]:
    """Return what the topics of databases begin with; a topic's name has no other characters."""
    return tuple(f"PFX.{re.sub('[^a-zA-Z0-9._-]', '_', name)}." for name in databases)


def _assert_none_failed(run: Run, side: str) -> None:
    assert not run.oracle.failure, "Debezium failed: its events are no measure"
    assert not getattr(run, side).failure


def _assert_equal(ours: Side, theirs: Side, names: set[str]) -> None:
    differences = []
    for name in sorted(names):
        mine, other = ours.topics.get(name, []), theirs.topics[name]
        if "heartbeat" in name:  # how many there are is a matter of time
            mine, other = mine[:1], other[:1]
        for number, pair in enumerate(zip(mine, other, strict=False)):
            differences.append(difference(f"{name}[{number}]", *pair))
        if len(mine) != len(other):
            longer = mine if len(mine) > len(other) else other
            extra = longer[min(len(mine), len(other))]
            differences.append(f"{name}: {len(mine)} messages, not {len(other)}: {extra}")
    found = [text for text in differences if text]
    assert not found, "\n".join(found[:10])
