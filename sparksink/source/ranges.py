"""Offsets of many partitions: how far the next batch goes, and who reads which part of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple


class PartitionId(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class Range:
    """The messages of a partition from ``start`` on and before ``end``."""

    place: PartitionId
    start: int
    end: int


Offsets = Mapping[PartitionId, int]


def offsets_to_json(offsets: Offsets) -> dict[str, dict[str, int]]:
    """Return offsets in the form of Spark's own Kafka source, in order."""
    found: dict[str, dict[str, int]] = {}
    for place, offset in sorted(offsets.items()):
        found.setdefault(place.topic, {})[str(place.partition)] = offset
    return found


def offsets_from_json(offsets: Mapping[str, Mapping[str, int]]) -> dict[PartitionId, int]:
    """Return offsets of that form by partition."""
    return {
        PartitionId(topic, int(number)): offset
        for topic, partitions in offsets.items()
        for number, offset in partitions.items()
    }


def limit_offsets(starts: Offsets, ends: Offsets, most: int) -> dict[PartitionId, int]:
    """Return how far to go with ``most`` messages, which partitions share by what they have.

    Each that has any gets at least one, so that all go on.
    """
    sizes = {place: max(0, end - starts.get(place, 0)) for place, end in ends.items()}
    total = sum(sizes.values())
    if total <= most:
        return dict(ends)
    return {
        place: starts.get(place, 0) + (max(1, size * most // total) if size else 0)
        for place, size in sizes.items()
    }


def ranges_between(starts: Offsets, ends: Offsets) -> list[Range]:
    """Return what lies between offsets; a partition without a start is read from 0 on."""
    found = (Range(place, starts.get(place, 0), end) for place, end in sorted(ends.items()))
    return [one for one in found if one.start < one.end]


def split_ranges(ranges: Iterable[Range], tasks: int) -> list[Sequence[Range]]:
    """Divide ranges among at most so many tasks, of which all get the same number of messages."""
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
