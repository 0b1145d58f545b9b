"""Redelivered changes never look like those of another binlog, wherever batches end."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

pytest.importorskip("pyspark")

from sparksink.apply.partition_measures import MeasuredChange, PartitionMeasures
from sparksink.apply.position_check import change_of_another_log
from sparksink.change_position import ChangePosition
from sparksink.state.table_result import PartitionEnd

Change = tuple[int, int]
"""Position and time."""


def measure_batch(batch: Sequence[MeasuredChange]) -> PartitionMeasures:
    """Measure a batch as the aggregates in Spark do."""
    highest = max(batch, key=lambda one: (one.position, -one.offset))
    return PartitionMeasures(
        min(batch, key=lambda one: one.offset),
        highest,
        min(batch, key=lambda one: (one.position, one.offset)),
        max(batch, key=lambda one: (one.at, -one.offset)),
        PartitionEnd(highest.position, max(one.at for one in batch)),
    )


def later(one: PartitionEnd, other: PartitionEnd) -> PartitionEnd:
    return PartitionEnd(max(one.highest, other.highest), max(one.at, other.at))


def detect(messages: Sequence[Change], chance: random.Random) -> bool:
    """Read a partition in random batches; return whether another binlog is detected."""
    changes = [
        MeasuredChange(ChangePosition(1, pos), offset, at)
        for offset, (pos, at) in enumerate(messages)
    ]
    end: PartitionEnd | None = None
    while changes:
        size = chance.randint(1, len(changes))
        seen, changes = measure_batch(changes[:size]), changes[size:]
        if change_of_another_log(seen, end):
            return True
        end = seen.end if end is None else later(end, seen.end)
    return False


def binlog(chance: random.Random, start: int, at: int) -> list[Change]:
    """Write changes whose times are those of their statements, in any order of the commits."""
    return [(start + 10 * n, at + n + chance.randint(0, 5)) for n in range(chance.randint(2, 12))]


def delivered(log: Sequence[Change], chance: random.Random) -> list[Change]:
    """Deliver a binlog with a connector that restarts at times, from any position on."""
    messages, written = list[Change](), 0
    while written < len(log):
        begin = chance.randint(0, written) if chance.random() < 0.4 else written
        written = chance.randint(written, len(log))
        messages += log[begin:written]
    return messages


@pytest.mark.parametrize("seed", range(500))
def test_redelivered_changes_belong_to_the_same_binlog(seed: int) -> None:
    chance = random.Random(seed)
    assert not detect(delivered(binlog(chance, 1000, 0), chance), chance)


@pytest.mark.parametrize("seed", range(500))
def test_a_binlog_that_restarts_is_another_one(seed: int) -> None:
    chance = random.Random(seed)
    old = binlog(chance, 1000, 0)
    new = binlog(chance, chance.randint(1, 999), 100)
    assert detect([*delivered(old, chance), *delivered(new, chance)], chance)
