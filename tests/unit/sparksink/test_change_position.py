"""Two numbers order changes exactly as epoch, file, position, row and rank do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparksink.change_position import OPERATION_RANKS, pack

coordinates = st.tuples(
    st.integers(0, (1 << 31) - 1),
    st.integers(0, (1 << 32) - 1),
    st.integers(0, (1 << 40) - 1),
    st.integers(0, (1 << 20) - 1),
    st.sampled_from(sorted(OPERATION_RANKS)),
)


def packed(at: tuple[int, int, int, int, str]) -> Any:
    epoch, file, pos, row, operation = at
    return pack(epoch, f"mysql-bin.{file:06}", pos, row, operation)


@given(coordinates, coordinates)
def test_packed_places_compare_as_their_parts(one: Any, other: Any) -> None:
    def parts(at: Any) -> Any:
        return (*at[:4], OPERATION_RANKS[at[4]])

    assert (packed(one) < packed(other)) == (parts(one) < parts(other))
    assert (packed(one) == packed(other)) == (parts(one) == parts(other))


@given(st.integers(0, (1 << 39)), st.integers(1, 1 << 20), st.data())
def test_rows_of_a_large_transaction_are_before_the_next_position(
    pos: int, size: int, data: st.DataObject
) -> None:
    """A transaction of some bytes has less than 2²⁰ times as many rows."""
    row = data.draw(st.integers(0, (size << 20) - 2))
    places: list[Any] = [
        packed((0, 1, *at)) for at in ((pos, row, "u"), (pos, row + 1, "d"), (pos + size, 0, "d"))
    ]
    assert places == sorted(set(places))


@given(coordinates)
def test_both_halves_are_what_a_bigint_holds(at: Any) -> None:
    for row in (at[3], (1 << 40) - 1):
        assert all(0 <= half < 1 << 63 for half in packed((*at[:3], row, at[4])))


@pytest.mark.parametrize(
    ("epoch", "file", "pos", "row"),
    [
        (0, "bin.000001", 1 << 40, 0),
        (0, "bin.000001", 0, 1 << 40),
        (0, "bin.000001", -1, 0),
        (1 << 31, "bin.000001", 0, 0),
        (0, f"bin.{1 << 32}", 0, 0),
        (0, "bin", 0, 0),
        (0, "bin.x1", 0, 0),
        (0, "", 0, 0),
    ],
)
def test_what_does_not_fit_is_refused_and_never_wrapped(
    epoch: Any, file: str, pos: Any, row: Any
) -> None:
    assert pack(epoch, file, pos, row, "c") is None


def test_the_file_number_is_a_number() -> None:
    before = pack(0, "bin.999999", 900, 0, "c")
    assert before is not None
    assert before < pack(0, "bin.1000000", 4, 0, "c")  # type: ignore[operator] # it fits
