"""Payloads of one packet and of several."""

from __future__ import annotations

import pytest

from connector.mysql.session.wire import join_payload, payload_end

WHOLE = 0xFFFFFF


def packets(event: bytes) -> bytes:
    """Cut a packet's body, which starts with a zero byte, into pieces of at most 16 MB."""
    body = b"\0" + event
    pieces = [body[start : start + WHOLE] for start in range(0, len(body) + 1, WHOLE)]
    return b"".join(
        len(piece).to_bytes(3, "little") + bytes([number]) + piece
        for number, piece in enumerate(pieces)
    )


@pytest.mark.parametrize("size", [WHOLE - 1, WHOLE, 2 * WHOLE - 1, 2 * WHOLE + 5])
def test_a_large_event_is_joined_from_its_packets(size: int) -> None:
    event = b"e" * size
    data = b"front" + packets(event)
    end = payload_end(data + b"behind", 5)
    assert end == len(data)
    assert join_payload(data + b"behind", 5, end, skip=1) == event


def test_a_large_event_waits_for_its_last_packet() -> None:
    data = packets(b"e" * (WHOLE + 100))
    known = 0
    for have in (4, WHOLE + 4, WHOLE + 8, len(data) - 1):
        needed = payload_end(data[:have], 0)
        assert have < needed <= len(data)
        assert needed >= known
        known = needed
    assert payload_end(data, 0) == len(data)
