"""The ends of batches, and the shares of tasks: each message is read exactly once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sparksink.source.ranges import (
    PartitionId,
    Range,
    limit_offsets,
    offsets_from_json,
    offsets_to_json,
    ranges_between,
    split_ranges,
)

places = st.builds(PartitionId, st.sampled_from(["a", "b", "c"]), st.integers(0, 3))
offsets = st.dictionaries(places, st.integers(0, 50))


@given(offsets, offsets, st.integers(1, 60), st.integers(1, 5))
def test_batches_come_to_the_end_and_share_all_of_it(
    starts: dict[PartitionId, int], ends: dict[PartitionId, int], most: int, tasks: int
) -> None:
    starts = {
        partition: min(start, ends.get(partition, start)) for partition, start in starts.items()
    }
    seen: set[tuple[PartitionId, int]] = set()
    at = {partition: starts.get(partition, 0) for partition in ends}
    while at != ends:
        end = limit_offsets(at, ends, most)
        ranges = ranges_between(at, end)
        read = [
            (one.partition, offset)
            for share in split_ranges(ranges, tasks)
            for one in share
            for offset in range(one.start, one.end)
        ]
        assert 0 < len(read) <= most + len(ends)
        assert len(split_ranges(ranges, tasks)) <= tasks
        assert len(set(read)) == len(read)
        assert seen.isdisjoint(read)
        seen |= set(read)
        at = end
    expected = {
        (one.partition, n)
        for one in ranges_between(starts, ends)
        for n in range(one.start, one.end)
    }
    assert seen == expected


@given(offsets)
def test_offsets_are_read_again_as_they_were_written(given: dict[PartitionId, int]) -> None:
    assert offsets_from_json(offsets_to_json(given)) == given


def test_tasks_get_the_same_number_of_messages() -> None:
    ranges = [Range(PartitionId("a", 0), 5, 15), Range(PartitionId("a", 1), 0, 2)]
    assert split_ranges(ranges, 2) == [
        [Range(PartitionId("a", 0), 5, 11)],
        [Range(PartitionId("a", 0), 11, 15), Range(PartitionId("a", 1), 0, 2)],
    ]
    assert split_ranges([], 2) == []
    assert limit_offsets({}, {PartitionId("a", 0): 90, PartitionId("a", 1): 1}, 10) == {
        PartitionId("a", 0): 9, PartitionId("a", 1): 1,
    }  # fmt: skip
