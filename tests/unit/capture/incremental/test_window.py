"""The window of a chunk: its phases, and which rows it drops."""

from __future__ import annotations

import time

import pytest

from connector.capture.change import PositionText, Row, RowChanges
from connector.capture.incremental.chunk_source import TableRequest
from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.parallel import ChunkReaders
from connector.capture.incremental.reading import TableReading
from connector.capture.incremental.reports import SnapshotReports
from connector.capture.incremental.table_state import TableState
from connector.capture.incremental.window import TRANSITIONS, Event, Phase, Window, Windows, decoded
from connector.capture.notifications import Notifications
from tests.unit.capture.incremental.simulated import SIGNALS, TABLE, Chunks, Database, schema

SCHEMA = schema(TABLE, "id", "v")


def fill_window(*, skips_unchanged: bool = False) -> Window:
    window = Window(skips_unchanged=skips_unchanged)
    window.advance("chunk")
    window.fill(SCHEMA, [[(1, "a"), (2, "b"), (3, "c")]])
    window.advance("open")
    return window


def left(window: Window) -> list[Row]:
    return [row for batch in window.take() for row in decoded(batch)]


@pytest.mark.parametrize(
    ("events", "phase"),
    [
        (["chunk"], "read"),
        (["chunk", "open"], "open"),
        (["chunk", "open", "close"], "idle"),
        (["chunk", "change", "open"], "stale"),
        (["chunk", "open", "change", "close"], "idle"),
        (["open"], "idle"),
        (["change"], "idle"),
    ],
)
def test_events_lead_from_phase_to_phase(events: list[Event], phase: Phase) -> None:
    window = Window()
    for event in events:
        window.advance(event)
    assert window.phase == phase


def test_every_window_can_be_closed() -> None:
    phases = set(TRANSITIONS.values()) - {"idle"}
    assert {TRANSITIONS[phase, "close"] for phase in phases} == {"idle"}


def test_rows_are_dropped_by_both_keys_of_a_change() -> None:
    window = fill_window()
    window.deduplicate(RowChanges(SCHEMA, "u", [((1, "a"), (3, "x"))], ()))
    assert left(window) == [(2, "b")]


def test_an_update_that_is_not_emitted_drops_nothing() -> None:
    window = fill_window(skips_unchanged=True)
    window.deduplicate(RowChanges(SCHEMA, "u", [((1, "a"), (1, "a"))], ()))
    assert left(window) == [(1, "a"), (2, "b"), (3, "c")]


def test_changes_before_the_first_mark_and_of_other_tables_drop_nothing() -> None:
    window = Window()
    window.advance("chunk")
    window.fill(SCHEMA, [[(1, "a")]])
    window.deduplicate(RowChanges(SCHEMA, "d", [((1, "a"), None)], ()))
    window.advance("open")
    other = schema(SIGNALS, "id", "v")
    window.deduplicate(RowChanges(other, "d", [((1, "a"), None)], ()))
    assert left(window) == [(1, "a")]


def test_an_altered_table_drops_all_rows() -> None:
    window = fill_window()
    assert window.advance("change") == "open"
    assert left(window) == []


def test_rows_with_one_key_are_emitted_once() -> None:
    window = Window()
    window.advance("chunk")
    window.fill(SCHEMA, [[(1, "a"), (2, "b")], [(1, "c")]])
    assert left(window) == [(1, "c"), (2, "b")]


def test_many_changes_drop_rows_before_the_window_ends() -> None:
    window = fill_window()
    for first in range(4, 10_000, 500):
        rows = [(None, (key, "x")) for key in range(first, first + 500)]
        window.deduplicate(RowChanges(SCHEMA, "c", rows, ()))
    window.deduplicate(RowChanges(SCHEMA, "d", [((2, "b"), None)], ()))
    assert left(window) == [(1, "a"), (3, "c")]


def test_rows_are_numbered_through_all_batches_of_a_chunk() -> None:
    chunks = Chunks(Database({key: (key, "a") for key in range(5)}))
    reports = SnapshotReports(Notifications())
    options, windows = IncrementalOptions(), Windows()
    reading = TableReading(chunks, ChunkReaders(chunks), reports, options, windows, time.monotonic)
    reading.state.add([TableState(TableRequest(TABLE))])
    reading.begin()
    assert list(reading.read_further())
    emitted = reading.close_windows((), PositionText("0/binlog.1/4/"))
    texts = [
        change.position_text.of_row(number)
        for change in emitted
        if change.position_text is not None
        for number in range(len(change.rows))
    ]
    assert texts == [f"0/binlog.1/4/{number}" for number in range(5)]
