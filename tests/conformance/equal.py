"""What a run has to fulfill: no side failed, and the messages are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.conformance.normal import difference
from tests.conformance.sides import Run, Side

# A captured table that got a name which is not captured: Debezium knows it again after a restart.
_REMOVAL = re.compile(r'"ddl" : "(?!DROP TABLE).*"type" : "DROP"', re.DOTALL)


def assert_none_failed(theirs: Side, ours: Side) -> None:
    assert not theirs.failure, f"Debezium failed: its events are no measure: {theirs.failure[:999]}"
    assert not ours.failure


def assert_equal(ours: Side, theirs: Side, names: Iterable[str]) -> None:
    differences = []
    for name in sorted(names):
        mine, other = ours.topics.get(name, []), theirs.topics[name]
        if "heartbeat" in name:  # how many there are is a matter of time
            mine, other = mine[:1], other[:1]
        if name.startswith("history."):
            mine = [message for message in mine if not _REMOVAL.search(str(message[2]))]
        for number, pair in enumerate(zip(mine, other, strict=False)):
            differences.append(difference(f"{name}[{number}]", *pair))
        if len(mine) != len(other):
            longer = mine if len(mine) > len(other) else other
            extra = longer[min(len(mine), len(other))]
            differences.append(f"{name}: {len(mine)} messages, not {len(other)}: {extra}")
    found = [text for text in differences if text]
    assert not found, "\n".join(found[:10])


def assert_sides_equal(run: Run, seed: int) -> None:
    for side in run.ours:
        assert_none_failed(run.oracle, side)
        assert_equal(side, run.oracle, run.oracle.topics)
        assert sorted(side.topics) == sorted(run.oracle.topics), f"seed {seed}"
