"""The parts of the client/server protocol that every reader of packets needs."""

from __future__ import annotations


def length_encoded(data: bytes, offset: int) -> tuple[int, int]:
    """Read a length-encoded integer; return it with the offset behind it."""
    first = data[offset]
    if first < 251:
        return first, offset + 1
    size = {252: 2, 253: 3, 254: 8}[first]
    end = offset + 1 + size
    return int.from_bytes(data[offset + 1 : end], "little"), end
