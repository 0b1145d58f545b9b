"""Every message of every scenario equals Debezium's: key, value, schema, headers, order.

In JSON and in Avro; those with settings of converters are in the format that these say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.conformance.avro_side import RunInAvro
from tests.conformance.equal import assert_equal, assert_none_failed
from tests.conformance.sides import Run, Side
from tests.fixtures.scenario import Scenario, load
from tests.fixtures.topics import Topics
from tools.stack import (
    ConnectClient,
    ConnectWorker,
    KafkaBroker,
    MillraceWorker,
    SchemaRegistry,
)

Group = tuple[str, frozenset[tuple[str, str]]]  # a server, and the settings in common

SCENARIOS = load()
GROUPS: dict[Group, list[Scenario]] = {}
for _scenario in SCENARIOS:
    for _server in _scenario.servers:
        GROUPS.setdefault((_server, _scenario.config), []).append(_scenario)


class Runs:
    """Plays the groups that the collected tests need: one at a time on each server."""

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
    schema_registry: SchemaRegistry,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
) -> Iterator[Runs]:
    groups = _groups(request.session.items)
    databases = {name: request.getfixturevalue(name) for name, _ in groups}
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):

        def play(group: Group) -> Run:
            kind = partial(RunInAvro, schema_registry) if "avro" in groups[group] else Run
            where = (GROUPS[group], databases[group[0]], broker, topics, oracle, ours)
            run: Run = kind(*where, chained="chained" in groups[group])
            run.play()
            return run

        made = Runs(groups, play)
        yield made
        made.close()


def _in_avro(config: Iterable[tuple[str, str]]) -> bool:
    """Whether a group is written in Avro, too: it has no settings of converters."""
    return not any(".converter" in name for name, _ in config)


def _pair(run: Run, side: str) -> tuple[Side, Side]:
    """Return one of our sides, and Debezium's in its format: of tables that it can write."""
    if not isinstance(run, RunInAvro) or side != "avro":
        return getattr(run, side), run.oracle
    refused = {name for name, errors in run.refusals.items() if errors}
    assert all("Illegal" in error for name in refused for error in run.refusals[name])
    ours, theirs = (
        replace(one, topics={name: one.topics[name] for name in one.topics.keys() - refused})
        for one in (run.avro, run.java)
    )
    return ours, theirs


def _groups(tests: Iterable[pytest.Item]) -> dict[Group, set[str]]:
    """Return the groups of the collected tests, in their order, and the sides of each."""
    found: dict[Group, set[str]] = {}
    for test in tests:
        if isinstance(test, pytest.Function) and test.module.__name__ == __name__:
            asked: dict[str, Any] = dict(test.callspec.params)
            config = asked["scenario"].config if "scenario" in asked else asked["config"]
            found.setdefault((asked["server"], config), set()).add(asked.get("side", ""))
    return found


SIDES = ("compiled", "chained", "general", "avro")
# Each fifth scenario shows in ``make test`` what a chain that changes nothing shows.
_CHAINED = {scenario.name for scenario in SCENARIOS[::5]}


def _marks(side: str, server: str, *scenarios: Scenario) -> list[pytest.MarkDecorator]:
    names = {one.name for one in scenarios}
    in_chain = side == "chained" and not _CHAINED & names
    # Settings that one scenario has seldom concern Avro, for which one more connector runs.
    alone = len(GROUPS[server, scenarios[0].config]) == 1
    in_avro = side == "avro" and alone and not any("avro" in name for name in names)
    return [pytest.mark.slow] if in_chain or in_avro else []


@pytest.mark.parametrize(
    ("server", "scenario", "side"),
    [
        pytest.param(
            server,
            scenario,
            side,
            id=f"{server}-{scenario.name}-{side}",
            marks=_marks(side, server, scenario),
        )
        for scenario in SCENARIOS
        for server in scenario.servers
        for side in SIDES
        if side != "avro" or (scenario.in_avro and _in_avro(scenario.config))
    ],
)
def test_rows_are_equal(runs: Runs, server: str, scenario: Scenario, side: str) -> None:
    run = runs.of(server, scenario.config)
    ours, theirs = _pair(run, side)
    assert not [error for error in run.errors if error.startswith(scenario.name + ":")]
    assert_none_failed(run.oracle, ours)
    if len(GROUPS[server, scenario.config]) > 1:
        names = _of(scenario.databases, theirs.topics)
    else:  # whatever the topics are called, they are its own
        names = theirs.topics.keys() - {"PFX", "history.PFX"}
    assert names, "Debezium wrote no row event: the scenario shows nothing"
    assert_equal(ours, theirs, names)


@pytest.mark.parametrize(
    ("server", "config", "side"),
    [
        pytest.param(
            *key,
            side,
            id=f"{key[0]}-{'-'.join(one.name for one in group)[:60]}-{side}",
            marks=_marks(side, key[0], *group),
        )
        for key, group in GROUPS.items()
        for side in SIDES
        if side != "avro" or _in_avro(key[1])
    ],
)
def test_other_topics_are_equal(
    runs: Runs, server: str, config: frozenset[tuple[str, str]], side: str
) -> None:
    run = runs.of(server, config)
    ours, theirs = _pair(run, side)
    databases = [name for scenario in GROUPS[server, config] for name in scenario.databases]
    names = theirs.topics.keys() - _of(databases, theirs.topics)
    assert "history.PFX" in names or side == "avro"
    assert_none_failed(run.oracle, ours)
    assert_equal(ours, theirs, names)
    assert sorted(ours.topics) == sorted(theirs.topics)


def _of(databases: Iterable[str], topics: Iterable[str]) -> set[str]:
    """Return the topics of tables of some databases, whatever the naming makes of odd letters."""
    odd = re.compile(r"[^a-zA-Z0-9]")
    names = "|".join(odd.sub("(?:[._-]|_u[0-9a-f]{4})", name) for name in databases)
    return set(filter(re.compile(f"PFX[._](?:{names})[._]").match, topics))
