"""Unscaled decimals as bytes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from connector.data.decimals import unscaled_bytes, unscaled_size


@given(st.integers(-(10**65), 10**65) | st.sampled_from([0, 127, 128, -128, -129, 255, 256]))
def test_the_shortest_twos_complement(value: int) -> None:
    written = unscaled_bytes(value)
    assert int.from_bytes(written, "big", signed=True) == value
    assert len(written) == unscaled_size(value)
    half = 1 << (8 * (len(written) - 1)) >> 1
    assert len(written) == 1 or not -half <= value < half
