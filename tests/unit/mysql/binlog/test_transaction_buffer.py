"""Transactions that are held until their end, large ones in a temporary file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import LookAhead
from connector.errors import DiskFullError
from connector.mysql.binlog.events import (
    Began,
    Committed,
    GtidRead,
    QueryRan,
    RowsChanged,
    Unreadable,
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


SPELLINGS = (str.lower, str.upper, str.title)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("INSERT", "SAVEPOINT", "ROLLBACK TO")),
        st.sampled_from(("s", "long name", 'a"b', "a`b", "a``b", "select")),
        st.sampled_from(SPELLINGS),
        st.sampled_from('`"'),
    )
)


@given(STEPS)
def test_what_was_rolled_back_to_a_savepoint_is_left_out(
    steps: list[tuple[str, str, Callable[[str], str], str]],
) -> None:
    """Servers compare the names of savepoints without case, and log each as it was written."""
    events: list[LogEvent] = [Began(HEADER, 1)]
    kept, savepoints = list[bytes](), dict[str, list[bytes]]()
    for number, (action, name, spelling, quote) in enumerate(steps):
        if action == "INSERT":
            row = number.to_bytes(2, "big")
            events.append(RowsChanged(HEADER, "c", None, (row, 0, 2), (b"\x01", b"\x01")))
            kept = [*kept, row]
            continue
        if action == "SAVEPOINT":
            savepoints[name] = kept
        elif name in savepoints:
            kept = savepoints[name]
        else:
            continue  # the server logs none
        events.append(statement(f"{action} {quoted(spelling(name), quote)}"))
    assert images_of(list(TransactionBuffer().release([*events, Committed(HEADER)]))) == kept


def statement(sql: str) -> QueryRan:
    return QueryRan(HEADER, 1, "shop", sql)


def quoted(name: str, quote: str) -> str:
    """Quote a name as servers do with and without ANSI_QUOTES."""
    return quote + name.replace(quote, quote * 2) + quote


@pytest.mark.parametrize("name", ["s", "S$1", "höhe"])
def test_names_of_savepoints_may_have_no_quotes(name: str) -> None:
    """MariaDB writes none with ``sql_quote_show_create=0``, as far as they are not needed."""
    row = RowsChanged(HEADER, "c", None, (b"row", 0, 3), (b"\x01", b"\x01"))
    events = [
        Began(HEADER, 1),
        statement(f"SAVEPOINT {quoted(name, '`')}"),
        row,
        statement(f"ROLLBACK TO {name.upper()}"),
        Committed(HEADER),
    ]
    assert images_of(list(TransactionBuffer().release(events))) == []


def test_an_unknown_savepoint_is_an_error() -> None:
    """Servers log none: which rows were rolled back is unknown."""
    events = [Began(HEADER, 1), statement("ROLLBACK TO `s`"), *large_transaction(6)[1:]]
    released = list(TransactionBuffer().release(events))
    (error,) = [event.error for event in released if isinstance(event, Unreadable)]
    assert str(error) == "a transaction in the binlog rolls back to the unknown savepoint `s`"
    assert "warn publishes" in error.remedy
    assert len(images_of(released)) == 6


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
