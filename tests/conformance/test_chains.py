"""Chains of transforms: the messages equal those of Debezium with the same chain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import closing

import pytest

from tests.conformance.chain import Chain, load
from tests.conformance.chain_run import ChainRun, Pair
from tests.conformance.equal import assert_equal
from tests.fixtures.topics import Topics
from tools.stack import ConnectClient, ConnectWorker, KafkaBroker, MillraceWorker, MySql97

_AT_ONCE = 16


@pytest.fixture(scope="module")
def pairs(
    request: pytest.FixtureRequest,
    broker: KafkaBroker,
    mysql: MySql97,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
) -> Iterator[dict[str, Pair]]:
    chains = list(_chains(request.session.items))
    found: dict[str, Pair] = {}
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        for start in range(0, len(chains), _AT_ONCE):
            some = chains[start : start + _AT_ONCE]
            run = ChainRun(some, mysql, broker, topics, oracle, ours)
            run.play()
            found |= run.pairs
        yield found


def _chains(tests: Iterable[pytest.Item]) -> Iterator[Chain]:
    """Yield the chains of the collected tests of this module."""
    for test in tests:
        if isinstance(test, pytest.Function) and test.module.__name__ == __name__:
            chain = test.callspec.params["chain"]
            assert isinstance(chain, Chain)
            yield chain


# Each sixth chain shows what most of them show; all of them take some minutes.
CHAINS = [
    pytest.param(chain, id=chain.name, marks=[pytest.mark.slow] if number % 6 else [])
    for number, chain in enumerate(load())
]


@pytest.mark.parametrize("chain", CHAINS)
def test_a_chain(pairs: dict[str, Pair], chain: Chain) -> None:
    pair = pairs[chain.name]
    if chain.refused:
        assert list(pair.refused) == [pair.ours.name]
        assert pair.theirs.failure
        return
    assert not pair.refused
    if chain.fails:
        assert pair.theirs.failure
        assert pair.ours.failure
        _, _, cause = pair.ours.failure.splitlines()[0].partition(": ")
        words = re.split("[.,:;]", cause)[0].split()
        assert chain.other_message or " ".join(words[:4]) in pair.theirs.failure
        return
    assert not pair.theirs.failure
    assert not pair.ours.failure
    assert sorted(pair.ours.topics) == sorted(pair.theirs.topics)
    assert pair.theirs.topics, "the chain writes nothing: it shows nothing"
    assert_equal(pair.ours, pair.theirs, pair.theirs.topics)
