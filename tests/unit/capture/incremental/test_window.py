"""The window of a chunk: its phases, and which rows it drops."""

from __future__ import annotations

import pytest

from connector.capture.change import RowChanges
from connector.capture.incremental.window import TRANSITIONS, Event, Phase, Window
from tests.unit.capture.incremental.simulated import SIGNALS, TABLE, schema

SCHEMA = schema(TABLE, "id", "v")


def fill_window(*, skips_unchanged: bool = False) -> Window:
    window = Window(skips_unchanged=skips_unchanged)
    window.advance("chunk")
    window.fill(SCHEMA, [(1, "a"), (2, "b"), (3, "c")])
    window.advance("open")
    return window


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
    assert window.take() == [(2, "b")]


def test_an_update_that_is_not_emitted_drops_nothing() -> None:
    window = fill_window(skips_unchanged=True)
    window.deduplicate(RowChanges(SCHEMA, "u", [((1, "a"), (1, "a"))], ()))
    assert window.take() == [(1, "a"), (2, "b"), (3, "c")]


def test_changes_before_the_first_mark_and_of_other_tables_drop_nothing() -> None:
    window = Window()
    window.advance("chunk")
    window.fill(SCHEMA, [(1, "a")])
    window.deduplicate(RowChanges(SCHEMA, "d", [((1, "a"), None)], ()))
    window.advance("open")
    other = schema(SIGNALS, "id", "v")
    window.deduplicate(RowChanges(other, "d", [((1, "a"), None)], ()))
    assert window.take() == [(1, "a")]


def test_an_altered_table_drops_all_rows() -> None:
    window = fill_window()
    assert window.advance("change") == "open"
    assert window.take() == []
