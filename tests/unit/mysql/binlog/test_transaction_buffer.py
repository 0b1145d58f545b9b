"""Transactions that are held until their end, large ones in a temporary file."""

from __future__ import annotations

import tempfile
from itertools import islice
from pathlib import Path

import pytest

from connector.capture.change import LookAhead
from connector.errors import DiskFullError
from connector.mysql.binlog.events import (
    Began,
    Committed,
    GtidRead,
    QueryRan,
    RowsChanged,
)
from connector.mysql.binlog.transaction_buffer import TransactionBuffer
from connector.mysql.binlog.whole_transactions import LogEvent
from tests.fixtures.disk import no_space_beyond

MEGABYTE = 1 << 20
HEADER = (1, 1, 4, 100)


def large_transaction(megabytes: int) -> list[LogEvent]:
    """Return the events of a transaction with one row a megabyte."""
    images = [bytes([number]) * MEGABYTE for number in range(megabytes)]
    rows = [
        RowsChanged(HEADER, "c", None, (image, 0, MEGABYTE), (b"\x01", b"\x01")) for image in images
    ]
    return [Began(HEADER, 1), *rows, Committed(HEADER)]


def images_of(events: list[LogEvent]) -> list[bytes]:
    return [event.data for event in events if isinstance(event, RowsChanged)]


def test_a_transaction_larger_than_the_memory_for_it_is_complete() -> None:
    events = large_transaction(11)
    released = list(TransactionBuffer().release(events))
    assert images_of(released) == [bytes([number]) * MEGABYTE for number in range(11)]
    assert [type(event) for event in released] == [type(event) for event in events]


def test_what_is_held_is_counted() -> None:
    buffer = TransactionBuffer()
    assert buffer.take_counts() is None
    list(buffer.release([Began(HEADER, 1), QueryRan(HEADER, 1, "d", "ROLLBACK")]))
    list(buffer.release([Began(HEADER, 1), Committed(HEADER)]))
    assert buffer.take_counts() == LookAhead(rolled_back=1)
    list(buffer.release(large_transaction(11)))
    list(buffer.release([Began(HEADER, 1), GtidRead(HEADER, "0-1-2", begins=True)]))
    assert buffer.take_counts() == LookAhead(malformed=1, large=1)
    assert buffer.take_counts() is None


def test_a_disk_that_was_full_before_the_first_file_is_a_transient_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python looks for a folder then, and finds none that it can write to."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    with no_space_beyond(0), pytest.raises(DiskFullError, match="No usable temporary directory"):
        list(TransactionBuffer().release(large_transaction(11)))
    assert len(list(TransactionBuffer().release(large_transaction(11)))) == 13


@pytest.mark.parametrize("megabytes", [0, 3, 7])
def test_a_full_disk_is_a_transient_error(megabytes: int) -> None:
    with (
        no_space_beyond(megabytes * MEGABYTE),
        pytest.raises(DiskFullError, match="TMPDIR") as caught,
    ):
        list(TransactionBuffer().release(large_transaction(11)))
    assert "File too large" in str(caught.value)
    assert len(list(TransactionBuffer().release(large_transaction(11)))) == 13


@pytest.mark.parametrize("released", [0, 5])
def test_the_file_of_a_stream_that_stops_is_closed(released: int) -> None:
    """Within the transaction, or while its rows are processed."""
    buffer, before = TransactionBuffer(), open_files()
    *events, end = large_transaction(11)
    list(buffer.release(events))
    assert len(open_files()) == len(before) + 1
    if released:
        rows = buffer.release([end])
        assert len(list(islice(rows, released))) == released
        rows.close()
    buffer.close()
    assert open_files() == before


def open_files() -> list[str]:
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())
