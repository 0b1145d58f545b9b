"""Transactions in one event (``binlog_transaction_compression``)."""

from __future__ import annotations

import re
import struct
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.mysql.binlog.events import (
    Began,
    BinlogEvent,
    Committed,
    RowsChanged,
    TableMapped,
    TransactionCompressed,
    Unreadable,
)
from connector.mysql.binlog.parser import EventParser
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds import BINARIES
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS

TABLE = table_of([INTEGERS[4], BINARIES[1]])
ALL = (True, True)
INSIDE = [
    written.query("BEGIN"),
    written.table_map(TABLE.kinds),
    written.rows(written.WRITE, TABLE.image((1, b"a" * 200), ALL), [ALL]),
    written.xid(),
]


def inside(event: bytes) -> list[BinlogEvent]:
    parser = EventParser(checksums=False)
    assert parser.is_compressed_transaction(event, 0)
    whole, *rest = parser.transaction(event, 0, len(event))
    assert whole.__class__ is TransactionCompressed
    assert whole.header[3] == int.from_bytes(event[9:13], "little")
    return rest


@pytest.mark.parametrize("compressed", [True, False])
def test_the_events_inside_follow_the_transaction(compressed: bool) -> None:
    found = inside(written.compressed_transaction(b"".join(INSIDE), compressed=compressed))
    assert [event.__class__ for event in found] == [Began, TableMapped, RowsChanged, Committed]
    assert isinstance(found[1], TableMapped)
    assert isinstance(found[2], RowsChanged)
    assert found[2].table_map is found[1].table_map


def test_other_events_are_none() -> None:
    assert not EventParser(checksums=False).is_compressed_transaction(INSIDE[0], 0)


@given(st.lists(st.integers(0, 400_000), max_size=6))
def test_events_are_found_however_the_text_is_cut_into_pieces(sizes: list[int]) -> None:
    events = [written.event(200, bytes(size)) for size in sizes]
    found = inside(written.compressed_transaction(b"".join(events)))
    assert [event.header[3] for event in found] == [size + 19 for size in sizes]


def test_a_transaction_is_uncompressed_as_it_is_read() -> None:
    many = written.event(200, bytes(1000)) * 20_000
    event = written.compressed_transaction(many)
    events = EventParser(checksums=False).transaction(event, 0, len(event))
    assert [next(events).header[3] for _ in range(3)] == [len(event), 1019, 1019]


DAMAGED = {
    "it lacks its last event": written.compressed_transaction(
        b"".join(INSIDE[:3]), size=len(b"".join(INSIDE))
    ),
    "its last event is cut short": written.compressed_transaction(b"".join(INSIDE)[:-3]),
    "the compressed data end early": written.compressed_transaction(b"".join(INSIDE))[:-9],
    "the compressed data are none": written.event(40, written.payload_head([(2, 0)], 4) + b"none"),
    "the compression is not known": written.event(40, written.payload_head([(2, 7)], 0)),
    "the head has no end": written.event(40, b"\1\1\5"),
    "an event inside has no size": written.compressed_transaction(bytes(40)),
    "an event inside is damaged": written.compressed_transaction(written.event(33, b"\0")),
}


def test_an_event_that_claims_to_be_large_takes_no_memory() -> None:
    huge = bytearray(INSIDE[1])
    huge[9:13] = (0xF0000000).to_bytes(4, "little")
    event = written.compressed_transaction(INSIDE[0] + huge)
    tracemalloc.start()
    try:
        assert isinstance(inside(event)[-1], Unreadable)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.timeout(10)
@pytest.mark.parametrize("event", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_transaction_is_refused(event: bytes) -> None:
    last = inside(event)[-1]
    assert isinstance(last, Unreadable)
    assert re.search("malformed event|unknown compression", str(last.error))


def test_a_missing_uncompressed_size_is_not_checked() -> None:
    body = b"".join(INSIDE)
    event = written.event(40, written.payload_head([(2, 255)], len(body)) + body)
    assert len(inside(event)) == len(INSIDE)
    assert struct.unpack_from("<B", event, 4) == (40,)
