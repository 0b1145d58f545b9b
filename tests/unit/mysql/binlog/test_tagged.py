"""Tagged GTID events: integers of variable length, fields in any number."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.mysql.binlog.tagged import parse_tagged_gtid, signed, unsigned

SERVERS = st.binary(min_size=16, max_size=16)
TAGS = st.from_regex(r"[a-z_][a-z0-9_]{0,31}", fullmatch=True) | st.just("")


def as_unsigned(value: int) -> bytes:
    """As many low bits of the first byte are set as bytes follow it."""
    for more in range(8):
        if value < 1 << 7 * (more + 1):
            head = (1 << more) - 1
            return (value << more + 1 | head).to_bytes(more + 1, "little")
    return b"\xff" + value.to_bytes(8, "little")


def as_signed(value: int) -> bytes:
    return as_unsigned(value << 1 if value >= 0 else ~value << 1 | 1)


def message(server: bytes, tag: str, number: int, *more: tuple[int, bytes]) -> bytes:
    fields = [
        (0, as_unsigned(1)),
        (1, b"".join(map(as_unsigned, server))),
        (2, as_signed(number)),
        (3, as_unsigned(len(tag)) + tag.encode()),
        *more,
    ]
    body = b"".join(as_unsigned(field) + value for field, value in fields)
    return as_unsigned(1) + as_unsigned(len(body) + 3) + as_unsigned(3) + body


@given(st.integers(0, (1 << 64) - 1), st.binary(max_size=3), st.binary(max_size=9))
def test_unsigned_integers(value: int, before: bytes, behind: bytes) -> None:
    encoded = as_unsigned(value)
    found = unsigned(before + encoded + behind, len(before))
    assert found == (value, len(before) + len(encoded))


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_signed_integers(value: int) -> None:
    encoded = as_signed(value)
    assert signed(encoded, 0) == (value, len(encoded))


@pytest.mark.parametrize(
    ("encoded", "value"), [(b"\0", 0), (b"\xfe", 127), (b"\x01\x02", 128), (b"\xfd\xff", 16383)]
)
def test_sizes_of_integers(encoded: bytes, value: int) -> None:
    assert unsigned(encoded, 0) == (value, len(encoded))
    assert as_unsigned(value) == encoded


@given(SERVERS, TAGS, st.integers(1, (1 << 63) - 1), st.integers(0, 1 << 55), st.booleans())
def test_a_gtid_with_its_times(
    server: bytes, tag: str, number: int, micros: int, replicated: bool
) -> None:
    more = [(4, as_signed(-7)), (5, as_signed(123)), (6, as_unsigned(micros + replicated))]
    if replicated:
        more.append((7, as_unsigned(micros)))
    more += [(8, as_unsigned(500)), (9, as_unsigned(80400))]
    name = f"{uuid.UUID(bytes=server)}:{tag}" if tag else str(uuid.UUID(bytes=server))
    found = parse_tagged_gtid(message(server, tag, number, *more))
    assert found == (f"{name}:{number}", micros)


def test_a_gtid_without_times() -> None:
    assert parse_tagged_gtid(message(bytes(16), "t", 5)) == (f"{uuid.UUID(int=0)}:t:5", 0)


@pytest.mark.parametrize("size", range(30))
def test_a_message_that_is_cut_short_is_refused(size: int) -> None:
    whole = message(bytes(range(200, 216)), "tag", 1 << 40)
    with pytest.raises((IndexError, KeyError, ValueError)):
        parse_tagged_gtid(whole[:size])
