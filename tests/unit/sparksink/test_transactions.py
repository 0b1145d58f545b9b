from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark")

from sparksink.state.transactions import Open, Transactions, read_again, union

NUMBERS = st.sets(st.integers(1, 40))


def ranges(numbers: set[int]) -> list[tuple[int, int]]:
    return [(number, number) for number in numbers]


@given(NUMBERS, NUMBERS)
def test_a_union_has_the_same_numbers_in_the_fewest_ranges(one: set[int], other: set[int]):
    joined = union((*union(ranges(one)), *union(ranges(other))))
    found = [number for first, last in joined for number in range(first, last + 1)]
    assert found == sorted(one | other)
    assert all(first > before + 1 for (_, before), (first, _) in pairwise(joined))


def test_a_transaction_is_whole_with_all_its_events_and_its_end():
    one = Open().joined(((1, 2),), None)
    assert not one.whole
    assert not one.joined(((2, 2),), 3).whole
    assert one.joined(((3, 3),), 3).whole
    assert Open().joined((), 0).whole


def test_what_is_known_is_kept_as_text():
    known = Transactions({"a": Open(((1, 2), (5, 5)), 7), "b": Open(((1, 1),))}, ("z",), lost=True)
    assert read_again(known.text()) == known
    assert read_again(None) == Transactions({})
