"""Packets of the client/server protocol: their payloads, lengths and errors."""

from __future__ import annotations

from typing import Final, NamedTuple

HEADER_SIZE: Final = 4
FULL_PACKET: Final = 0xFFFFFF
"""The length of a packet whose payload continues in the next one."""
ERROR: Final = b"\xff"
"""The first byte of an error packet."""


class ErrorPacket(NamedTuple):
    """An error that the server reports."""

    code: int
    text: str


def payload_end(data: bytes, start: int) -> int:
    """Return where the last packet of a payload ends.

    If the data end before that, the result is behind their end: up to where they must reach at
    least.
    """
    length = FULL_PACKET
    while length == FULL_PACKET:
        if len(data) - start < HEADER_SIZE:
            return start + HEADER_SIZE
        length = int.from_bytes(data[start : start + 3], "little")
        start += HEADER_SIZE + length
    return start


def join_payload(data: bytes, start: int, end: int, skip: int = 0) -> bytes:
    """Return the payload of the packets between two offsets, without its first ``skip`` bytes."""
    view = memoryview(data)
    parts: list[memoryview] = []
    while start < end:
        length = int.from_bytes(data[start : start + 3], "little")
        first = start + HEADER_SIZE
        parts.append(view[first + (0 if parts else skip) : first + length])
        start = first + length
    return b"".join(parts)


def read_error(packet: bytes) -> ErrorPacket:
    """Read an error packet: its mark, the code, the SQL state behind a ``#``, the message."""
    return ErrorPacket(int.from_bytes(packet[1:3], "little"), packet[9:].decode("utf-8", "replace"))


def length_encoded(data: bytes, offset: int) -> tuple[int, int]:
    """Read a length-encoded integer; return it with the offset behind it."""
    first = data[offset]
    if first < 251:
        return first, offset + 1
    size = {252: 2, 253: 3, 254: 8}[first]
    end = offset + 1 + size
    return int.from_bytes(data[offset + 1 : end], "little"), end
