"""Offsets of many partitions: the end of the next batch, and its division among tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple


class PartitionId(NamedTuple):
    """A partition of a topic."""

    topic: str
    number: int


@dataclass(frozen=True, slots=True)
class Range:
    """The messages of a partition from ``start`` to before ``end``."""

    partition: PartitionId
    start: int
    end: int


Offsets = Mapping[PartitionId, int]


def offsets_to_json(offsets: Offsets) -> dict[str, dict[str, int]]:
    """Return offsets in the form of Spark's Kafka source, sorted."""
    found: dict[str, dict[str, int]] = {}
    for partition, offset in sorted(offsets.items()):
        found.setdefault(partition.topic, {})[str(partition.number)] = offset
    return found


def offsets_from_json(offsets: Mapping[str, Mapping[str, int]]) -> dict[PartitionId, int]:
    """Parse offsets in the form of Spark's Kafka source."""
    return {
        PartitionId(topic, int(number)): offset
        for topic, partitions in offsets.items()
        for number, offset in partitions.items()
    }


def limit_offsets(starts: Offsets, ends: Offsets, most: int) -> dict[PartitionId, int]:
    """Return the end offsets for ``most`` messages, divided in proportion to the partitions' sizes.

    Each partition with messages gets at least one.
    """
    sizes = {partition: max(0, end - starts.get(partition, 0)) for partition, end in ends.items()}
    total = sum(sizes.values())
    if total <= most:
        return dict(ends)
    return {
        partition: starts.get(partition, 0) + (max(1, size * most // total) if size else 0)
        for partition, size in sizes.items()
    }


def ranges_between(starts: Offsets, ends: Offsets) -> list[Range]:
    """Return the ranges between offsets; a partition without a start is read from 0 on."""
    found = (
        Range(partition, starts.get(partition, 0), end) for partition, end in sorted(ends.items())
    )
    return [one for one in found if one.start < one.end]


def split_ranges(ranges: Iterable[Range], tasks: int) -> list[Sequence[Range]]:
    """Divide ranges among at most so many tasks, with equal numbers of messages."""
    left = list(ranges)
    total = sum(one.end - one.start for one in left)
    size = max(1, -(-total // max(1, tasks)))
    found: list[Sequence[Range]] = []
    while left:
        share, room = [], size
        while left and room:
            cut = min(left[0].end, left[0].start + room)
            share.append(replace(left[0], end=cut))
            room -= cut - left[0].start
            left[0] = replace(left[0], start=cut)
            left = left if cut < left[0].end else left[1:]
        found.append(share)
    return found
