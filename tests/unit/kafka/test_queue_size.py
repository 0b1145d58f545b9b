"""The bytes in the producer's queue."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from connector.kafka.queue_size import QueueSize


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=200), st.data())
def test_the_last_messages_have_the_bytes_that_they_had(
    sizes: list[int], data: st.DataObject
) -> None:
    size = QueueSize(capacity=100)
    for number in range(1, len(sizes) + 1):
        size.note(number, sum(sizes[:number]))
    left = data.draw(st.integers(0, len(sizes)))
    assert size.bytes_of(left, len(sizes), sum(sizes)) == sum(sizes[len(sizes) - left :])


def test_between_two_sums_the_mean_counts() -> None:
    size = QueueSize(capacity=10_000)
    size.note(4, 400)
    size.note(10, 1000)
    size.note(15, 1500)
    assert size.bytes_of(5, 15, 1500) == 500
    assert size.bytes_of(2, 15, 1500) == 200
    assert size.bytes_of(15, 15, 1500) == 1500
    assert size.bytes_of(0, 15, 1500) == 0


def test_before_any_message_there_are_none() -> None:
    assert QueueSize(capacity=10).bytes_of(0, 0, 0) == 0
