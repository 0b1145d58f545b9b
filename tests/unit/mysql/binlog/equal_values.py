"""Equality of values, NaN included."""

from __future__ import annotations


def same(left: object, right: object) -> bool:
    """Compare with types: 1, 1.0 and True are different values of an event."""
    return repr(left) == repr(right)
