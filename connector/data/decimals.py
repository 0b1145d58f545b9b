"""Unscaled decimals as bytes: the shortest two's complement, big-endian."""

from __future__ import annotations


def unscaled_size(value: int) -> int:
    """Return the number of bytes of an unscaled decimal."""
    return ((value if value >= 0 else ~value).bit_length() >> 3) + 1


def unscaled_bytes(value: int) -> bytes:
    """Return the bytes of an unscaled decimal."""
    return value.to_bytes(unscaled_size(value), "big", signed=True)
