"""Tables that are added to the configuration: what offsets keep, and what is requested."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from connector.capture.change import Change, HeartbeatDue, Progress
from connector.capture.signals.blocking import BlockingQueue
from connector.capture.signals.new_tables import NewTables
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.tables import TableId
from connector.errors import DatabaseUnavailableError
from tests.unit.capture.incremental.simulated import At

A, B, DOTS = TableId("d", "a"), TableId("d", "b"), TableId("d", "b.c")
ALL = {A: True, B: True, DOTS: True}


def new_tables(tables: str, includes: tuple[TableId, ...] = (A, B, DOTS)) -> NewTables:
    return NewTables({"table.include.list": tables}, ("mysql",), includes.__contains__)


def requested(offset: Mapping[str, Any]) -> list[str]:
    """Return the names of the tables that an offset requests."""
    queue = BlockingQueue()
    queue.restore(offset)
    names: list[str] = []
    while (request := queue.first) is not None:
        names += [str(table) for table in ALL if request.tables.includes(table)]
        queue.remove_first()
    return names


def test_tables_that_the_filters_did_not_select_before_are_requested() -> None:
    before = new_tables(r"d\.a").to_offset()
    assert requested(new_tables(r"d\.[ab].*").with_request(before, ALL)) == ["d.b", "d.b.c"]
    assert requested(new_tables(r"d\.a,d\.b").with_request(before, {A: True, B: True})) == ["d.b"]
    assert requested(new_tables(r"d\.a").with_request(before, {A: True})) == []


def test_a_table_that_was_created_meanwhile_is_not_new() -> None:
    """Its rows come with the stream: the filters selected it before it existed."""
    before = new_tables(r"d\..*").to_offset()
    assert requested(new_tables(r"d\..*").with_request(before, {**ALL, B: False})) == []


def test_without_stored_filters_tables_without_a_definition_are_new() -> None:
    assert requested(new_tables(r"d\..*").with_request({}, {A: True, B: False})) == ["d.b"]


def test_tables_that_snapshots_leave_out_are_not_read() -> None:
    before = new_tables(r"d\.a").to_offset()
    assert requested(new_tables(r"d\..*", (A, DOTS)).with_request(before, ALL)) == ["d.b.c"]


@pytest.mark.parametrize("text", ["{", "[]", '{"table.include.list": "("}'])
def test_damaged_filters_count_as_none(text: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    offset = {"millrace_captured": text}
    assert requested(new_tables(r"d\..*").with_request(offset, {A: True, B: False})) == ["d.b"]
    assert "The stored filters of tables are damaged" in caplog.text


def test_requests_that_wait_already_stay_before_it() -> None:
    first = new_tables(r"d\.a,d\.b").with_request(new_tables(r"d\.a").to_offset(), {A: 1, B: 1})  # type: ignore[dict-item]  # true
    assert requested(new_tables(r"d\..*").with_request(first, ALL)) == ["d.b", "d.b.c"]


def test_the_request_and_the_filters_are_stored_together() -> None:
    """A start that ends between them would forget the tables, or read them again and again."""
    made = Signals(SignalOptions(), new_tables=new_tables(r"d\..*"))
    made.restore(new_tables(r"d\.a").to_offset())
    made.read_new_tables(lambda: ALL)
    made.rewind()
    assert made.blocking is not None
    stored = made.with_state(Progress(At(1))).kept
    assert requested(stored) == ["d.b", "d.b.c"]
    assert requested(new_tables(r"d\..*").with_request(stored, ALL)) == ["d.b", "d.b.c"]
    made.end_blocking()
    stored = made.with_state(Progress(At(1))).kept
    assert requested(new_tables(r"d\..*").with_request(stored, ALL)) == []


def test_a_lost_connection_before_the_first_progress_keeps_the_request() -> None:
    made = Signals(SignalOptions(), new_tables=new_tables(r"d\..*"))
    made.restore(new_tables(r"d\.a").to_offset())
    made.read_new_tables(lambda: ALL)

    def stream() -> Iterator[Change]:
        yield HeartbeatDue()
        raise DatabaseUnavailableError("gone")

    with pytest.raises(DatabaseUnavailableError):
        list(made.weave(stream()))
    made.rewind()
    assert made.blocking is not None
