"""A stream that resumes within a transaction is interrupted again before it is where it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.capture.change import Change, Progress, RowChanges, TransactionBoundary
from connector.capture.tables import TableId
from connector.debezium.transactions import Transaction, mark_record
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.position.binlog_position import BinlogPosition
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.sample_log import FILE, LOG, SERVER, log_of, set_positions
from tests.unit.mysql.binlog.sample_log import translated as translate

BOUNDARIES = TranslateOptions(boundaries=True)


def resume(log: list[bytes], start: BinlogPosition | None) -> list[Change]:
    """Translate what a server sends after a position: the whole of a transaction in progress."""
    if start is not None and str(start.gtids) == f"{SERVER}:1-5":
        return []
    rotation = written.rotate(FILE, 4)
    artificial = bytes(4) + rotation[4:13] + bytes(4) + rotation[17:]
    return translate([artificial, *log], start, BOUNDARIES)


def interruptions(
    changes: Iterable[Change], offset: dict[str, object]
) -> Iterator[tuple[list[object], BinlogPosition, dict[str, object]]]:
    """Yield what was emitted up to each position, with the counts that are stored with it."""
    transaction = Transaction()
    transaction.restore(offset)
    seen: list[object] = []
    for change in changes:
        seen += events(change, transaction)
        if isinstance(change, Progress):
            assert isinstance(change.position, BinlogPosition)
            yield list(seen), change.position, transaction.to_offset()


def events(change: Change, transaction: Transaction) -> Iterator[object]:
    if isinstance(change, TransactionBoundary):
        record = mark_record(change, transaction, "transactions")
        if record is not None:
            yield record.value
    if isinstance(change, RowChanges):
        for _, after in change.rows:
            yield after, tuple(transaction.event(TableId("shop", "orders")).values())


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3), min_size=1, max_size=3))
def test_two_interruptions_lose_nothing_repeat_nothing_and_count_once(
    rows: list[list[int]],
) -> None:
    log = set_positions(log_of(*rows))
    *_, (whole, _, _) = interruptions(resume(log, None), {})
    for first, at, counts in interruptions(resume(log, None), {}):
        for second, again, counted in interruptions(resume(log, at), counts):
            rest = [seen for seen, _, _ in interruptions(resume(log, again), counted)]
            assert first + second + (rest[-1] if rest else []) == whole


@pytest.mark.parametrize("row", [1, 2])
def test_rows_that_are_done_stay_done(row: int) -> None:
    """Debezium's offsets count rows of an event too."""
    *_, start = [at for _, at, _ in interruptions(resume(LOG[:-2], None), {})]
    start = replace(start, row=row)
    found = [at for _, at, _ in interruptions(resume(LOG, start), {})]
    before, after = found[:-2], found[-2:]
    assert {(at.event, at.row) for at in before} == {(start.event, row)}
    assert [(at.event, at.row) for at in after] == [(start.event + 1, 0), (0, 0)]
