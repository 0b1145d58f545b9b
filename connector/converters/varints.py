"""Numbers of variable length: seven bits a byte, the lowest first."""

from __future__ import annotations

from typing import Final

GROUP: Final = 14  # bits that one look-up writes
MASK: Final = (1 << GROUP) - 1
LAST: Final = tuple(
    bytes((n,)) if n < 128 else bytes((n & 127 | 128, n >> 7)) for n in range(1 << GROUP)
)
MORE: Final = tuple(bytes((n & 127 | 128, n >> 7 | 128)) for n in range(1 << GROUP))


def varint(value: int) -> bytes:
    """Return a number that is not negative."""
    if value <= MASK:
        return LAST[value]
    if value < 1 << 28:
        return MORE[value & MASK] + LAST[value >> GROUP]
    return MORE[value & MASK] + varint(value >> GROUP)
