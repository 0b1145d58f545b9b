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
    if len(GROUPS[server, scenario.config]) > 1:
        names = _of(scenario.databases, run.oracle.topics)
    else:  # whatever the topics are called, they are its own
        names = run.oracle.topics.keys() - {"PFX", "history.PFX"}
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
    names = run.oracle.topics.keys() - _of(databases, run.oracle.topics)
    assert "history.PFX" in names
    _assert_none_failed(run, side)
    _assert_equal(getattr(run, side), run.oracle, names)
    assert sorted(getattr(run, side).topics) == sorted(run.oracle.topics)


def _of(databases: Iterable[str], topics: Iterable[str]) -> set[str]:
    """Return the topics of tables of some databases, whatever the naming makes of odd letters."""
    odd = re.compile(r"[^a-zA-Z0-9]")
    names = "|".join(odd.sub("(?:[._-]|_u[0-9a-f]{4})", name) for name in databases)
    return set(filter(re.compile(f"PFX[._](?:{names})[._]").match, topics))


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
