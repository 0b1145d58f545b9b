"""Random chains of transforms: both sides write the same messages, or both refuse or fail.

``CHAINS=480`` plays so many, ``CHAIN_OPTIONS=1`` changes their options, too. A failure names seed
and numbers: ``SEED=7 CHAIN=23`` plays one chain again.
"""

from __future__ import annotations

import os
import random
import secrets
from contextlib import closing
from dataclasses import replace

import pytest

from tests.conformance.chain import PREDICATES, Chain, Step, load
from tests.conformance.chain_run import ChainRun, Pair
from tests.conformance.equal import assert_equal
from tests.conformance.sides import Side
from tests.fixtures.topics import Topics
from tools.stack import ConnectClient, ConnectWorker, KafkaBroker, MillraceWorker, MySql97

_COUNT = int(os.environ.get("CHAINS", "48"))
_SEED = int(os.environ.get("SEED", secrets.randbelow(10**6)))
_NUMBERS = [int(os.environ["CHAIN"])] if "CHAIN" in os.environ else range(_COUNT)
_AT_ONCE = 16
_CHANGES_OPTIONS = "CHAIN_OPTIONS" in os.environ
_VALUES = (
    "", " ", "true", "False", "0", "-1", "9999999999", "id", "nope", "name,id", "id:ident", "a.b",
    "$1", "*", ":", ",", "after.id", "op,source", "before", "string", "ü",
)  # fmt: skip
_PARTITIONS = "topic.creation.default.partitions"
_MOST_STEPS = 3  # added to a chain that is known to work
# Texts that Debezium takes for false, and expressions that it never comes to, are refused here.
_STRICTER = ("Expected value to be either true or false", "Failed to parse expression")
_FAULTS = ("java.lang.ClassCastException", "java.lang.NullPointerException")  # of Java's code


@pytest.mark.slow
def test_random_chains(
    broker: KafkaBroker,
    mysql: MySql97,
    topics: Topics,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
) -> None:
    chains = [_chain(number) for number in _NUMBERS]
    differences, written = [], 0
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as ours,
    ):
        for start in range(0, len(chains), _AT_ONCE):
            run = ChainRun(chains[start : start + _AT_ONCE], mysql, broker, topics, oracle, ours)
            run.play()
            for pair in run.pairs.values():
                difference = _difference(pair)
                if difference:
                    differences.append(f"{pair.chain}\n{difference}")
                written += bool(pair.theirs.topics and not pair.theirs.failure)
    print(f"{len(chains)} random chains, seed {_SEED}: {written} wrote messages")
    assert not differences, f"seed {_SEED}:\n" + "\n\n".join(differences)
    assert written > len(chains) / (8 if _CHANGES_OPTIONS else 4), "most chains show nothing"


def _chain(number: int) -> Chain:
    """Return a chain that is known to work with some steps of others in between."""
    chance = random.Random(f"{_SEED} {number}")
    known = [chain for chain in load() if not chain.fails and not chain.refused]
    pool = [step for chain in known for step in chain.steps if not _names_partitions(step)]
    # Hashes of keys differ, as the names of their schemas have each side's own prefix.
    base = chance.choice([chain for chain in known if chain.config.get(_PARTITIONS, "1") == "1"])
    steps = list(base.steps)
    timestamps = base.timestamps
    for _ in range(chance.randint(1, _MOST_STEPS)):
        added = _step(chance, chance.choice(pool))
        steps.insert(chance.randint(0, len(steps)), added)
        timestamps &= "EventRouter" not in added.class_name  # it takes the time of processing
    if _CHANGES_OPTIONS:
        steps = [_options(chance, step, pool) for step in steps]
    return replace(base, name=f"{number}-{base.name}", steps=steps, timestamps=timestamps)


def _names_partitions(step: Step) -> bool:
    """Whether messages of a step name their partition: one that is missing blocks Debezium."""
    placed = any(":partition" in text for text in step.options.values())
    return placed or "PartitionRouting" in step.class_name


def _options(chance: random.Random, step: Step, pool: list[Step]) -> Step:
    """Return a step, sometimes with an option that is changed, added or left out."""
    if chance.random() < 0.6:
        return step
    others = [other.options for other in pool if other.class_name == step.class_name]
    known = sorted({key for options in others for key in options})
    if not known:
        return step
    key = chance.choice(known)
    values = [options[key] for options in others if key in options]
    changed = {name: value for name, value in step.options.items() if name != key}
    if key not in step.options or chance.random() < 0.8:
        changed[key] = chance.choice(_VALUES if chance.random() < 0.4 else values)
    return replace(step, options=changed)


def _step(chance: random.Random, step: Step) -> Step:
    """Return a step, sometimes with another predicate."""
    if chance.random() < 0.7:
        return step
    predicate = chance.choice([*PREDICATES])
    return replace(step, predicate=predicate, negate=chance.random() < 0.5)


def _cause(side: Side) -> str:
    """Return the last cause of a failure."""
    return side.failure.rpartition("Caused by: ")[2][:1000] or "does not fail"


def _difference(pair: Pair) -> str:
    if pair.refused:
        refused = [side.name in pair.refused or side.failure for side in pair.sides]
        ours = pair.refused.get(pair.ours.name, "")
        if _CHANGES_OPTIONS and any(reason in ours for reason in _STRICTER):
            return ""
        return "" if all(refused) else f"refused by one: {pair.refused}"
    if pair.theirs.failure or pair.ours.failure:
        if pair.theirs.failure and (pair.ours.failure or _cause(pair.theirs).startswith(_FAULTS)):
            return ""
        return f"Debezium: {_cause(pair.theirs)}\nours: {_cause(pair.ours)}"
    try:
        assert sorted(pair.ours.topics) == sorted(pair.theirs.topics)
        assert_equal(pair.ours, pair.theirs, pair.theirs.topics)
    except AssertionError as error:
        return str(error)[:1500]
    return ""
