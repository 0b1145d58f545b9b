"""Every message of every scenario equals Debezium's: key, value, schema, headers, order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from tests.conformance.equal import assert_equal, assert_none_failed
from tests.conformance.scenario import Scenario, load
from tests.conformance.sides import Run
from tests.fixtures.topics import Topics
from tools.stack import ConnectClient, ConnectWorker, KafkaBroker, MillraceWorker

Group = tuple[str, frozenset[tuple[str, str]]]  # a server, and the settings in common

SCENARIOS = load()
GROUPS: dict[Group, list[Scenario]] = {}
for _scenario in SCENARIOS:
    for _server in _scenario.servers:
        GROUPS.setdefault((_server, _scenario.config), []).append(_scenario)


class Runs:
    """Plays the groups that the collected tests ask for: one at a time on each server."""

    def __init__(self, groups: Iterable[Group], play: Callable[[Group], Run]) -> None:
        self._players: dict[str, ThreadPoolExecutor] = {}
        self._played: dict[Group, Future[Run]] = {}
        for group in groups:
            server = group[0]
            if server not in self._players:
                self._players[server] = ThreadPoolExecutor(1, f"conformance-{server}")
            self._played[group] = self._players[server].submit(play, group)

    def of(self, server: str, config: frozenset[tuple[str, str]]) -> Run:
        """Return the run of a group, waiting for it."""
        return self._played[server, config].result()

    def close(self) -> None:
        """Play no more."""
        for player in self._players.values():
            player.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def runs(
    request: pytest.FixtureRequest,
    broker: KafkaBroker,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
) -> Iterator[Runs]:
    groups = list(dict.fromkeys(_groups(request.session.items)))
    databases = {name: request.getfixturevalue(name) for name, _ in groups}
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):

        def play(group: Group) -> Run:
            run = Run(GROUPS[group], databases[group[0]], broker, topics, oracle, ours)
            run.play()
            return run

        made = Runs(groups, play)
        yield made
        made.close()


def _groups(tests: Iterable[pytest.Item]) -> Iterator[Group]:
    """Return the groups of the tests of this module, in their order."""
    for test in tests:
        if isinstance(test, pytest.Function) and test.module.__name__ == __name__:
            asked: dict[str, Any] = dict(test.callspec.params)
            config = asked["scenario"].config if "scenario" in asked else asked["config"]
            yield asked["server"], config


@pytest.mark.parametrize("side", ["compiled", "chained", "general"])
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
    assert_none_failed(run.oracle, getattr(run, side))
    if len(GROUPS[server, scenario.config]) > 1:
        names = _of(scenario.databases, run.oracle.topics)
    else:  # whatever the topics are called, they are its own
        names = run.oracle.topics.keys() - {"PFX", "history.PFX"}
    assert names, "Debezium wrote no row event: the scenario shows nothing"
    assert_equal(getattr(run, side), run.oracle, names)


@pytest.mark.parametrize("side", ["compiled", "chained", "general"])
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
    assert_none_failed(run.oracle, getattr(run, side))
    assert_equal(getattr(run, side), run.oracle, names)
    assert sorted(getattr(run, side).topics) == sorted(run.oracle.topics)


def _of(databases: Iterable[str], topics: Iterable[str]) -> set[str]:
    """Return the topics of tables of some databases, whatever the naming makes of odd letters."""
    odd = re.compile(r"[^a-zA-Z0-9]")
    names = "|".join(odd.sub("(?:[._-]|_u[0-9a-f]{4})", name) for name in databases)
    return set(filter(re.compile(f"PFX[._](?:{names})[._]").match, topics))
