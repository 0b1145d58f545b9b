"""Signals that change the stream: definitions, and the position of the next start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from connector.capture.change import Change, HeartbeatDue, Notice, Progress, RowChanges
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.tables import TableId
from connector.errors import DatabaseUnavailableError
from tests.unit.capture.incremental.simulated import SIGNALS, At, schema
from tests.unit.capture.signals.recorded_requests import Stream

SCHEMA = schema(SIGNALS, "id", "type", "data")
DROP = '{"database": "d", "changes": [{"type": "DROP", "id": "d.t"}]}'


def row(identity: str, type_: str, data: str) -> tuple[None, tuple[str, str, str]]:
    return None, (identity, type_, data)


def stream_of(*changes: Change) -> Iterator[Change]:
    return iter(changes)


def inserted(*rows: tuple[None, tuple[str, str, str]]) -> RowChanges:
    return RowChanges(SCHEMA, "c", list(rows), ("source",))


def position(identity: str, number: int) -> RowChanges:
    return inserted(row(identity, "set-binlog-position", f'{{"n": {number}}}'))


def new_signals(stream: Stream | None = None) -> Signals:
    return Signals(SignalOptions(SIGNALS), stream=stream or Stream())


def restarts(changes: Iterator[Change]) -> list[int | None]:
    """Return where a restart would read, after each progress."""
    found = [change.restart for change in changes if isinstance(change, Progress)]
    return [None if at is None else at.to_offset()["n"] for at in found]


def last_state(changes: list[Change]) -> Mapping[str, Any]:
    return [change.kept for change in changes if isinstance(change, Progress)][-1]


def test_definitions_change_at_the_row_of_their_signal() -> None:
    stream = Stream()
    rows = row("1", "log", "{}"), row("2", "Schema-Changes", DROP), row("3", "log", "{}")
    changes = list(new_signals(stream).weave(stream_of(inserted(*rows))))
    [request] = stream.requests
    assert (request.database, request.schema) == ("d", None)
    assert [(one.type, one.id) for one in request.changes] == [("DROP", TableId("d", "t"))]
    texts = [one.text if isinstance(one, Notice) else one.first_row for one in changes]  # type: ignore[union-attr]  # rows
    assert texts == [0, "redefined in row 1", 1, 2]


@pytest.mark.parametrize(
    "data",
    [
        "{}",
        '{"database": "d"}',
        '{"database": "", "changes": [{"type": "DROP", "id": "d.t"}]}',
        '{"database": "d", "changes": []}',
        '{"database": "d", "changes": "d.t"}',
        '{"database": "d", "changes": ["d.t"]}',
        '{"database": "d", "changes": [{"type": "DROP"}]}',
        '{"database": "d", "changes": [{"type": "DROP", "id": "a.b.c.d"}]}',
        '{"database": "d", "changes": [{"type": "NONE", "id": "d.t", "table": {}}]}',
        '{"database": "d", "changes": [{"type": "DROP", "id": "d.t"}, {"type": "ALTER"}]}',
        '{"database": "d", "changes": [{"type": "ALTER", "id": "d.t", "table": {}}]}',
        '{"database": "d", "changes": [{"type": "CREATE", "id": "d.t", "table": [1]}]}',
    ],
)
def test_changes_that_cannot_be_read_are_skipped_as_a_whole(data: str) -> None:
    stream = Stream()
    list(new_signals(stream).weave(stream_of(inserted(row("1", "schema-changes", data)))))
    assert stream.requests == []


def test_offsets_have_the_position_from_its_signal_on() -> None:
    steps = stream_of(
        Progress(At(1)), position("a", 7), Progress(At(2)), HeartbeatDue(), Progress(At(3))
    )
    changes = list(new_signals().weave(steps))
    assert restarts(iter(changes)) == [None, 7, 7]
    assert [one.text for one in changes if isinstance(one, Notice)] == [
        "Signal a: after a restart the connector reads from n 7."
    ]
    assert [change.position for change in changes if isinstance(change, Progress)] == [
        At(1),
        At(2),
        At(3),
    ]
    assert HeartbeatDue(now=True) in changes


def test_the_last_signal_sets_the_position() -> None:
    rows: list[Change] = [position("a", 7), position("b", 5), position("a", 6), Progress(At(1))]
    assert restarts(new_signals().weave(iter(rows))) == [6]


def test_a_position_that_cannot_be_read_changes_nothing() -> None:
    rows: list[Change] = [inserted(row("a", "set-binlog-position", "{}")), Progress(At(1))]
    assert restarts(new_signals().weave(iter(rows))) == [None]


def test_a_restart_that_reads_its_signals_again_continues_behind_them() -> None:
    rows: list[Change] = [position("a", 3), Progress(At(4)), position("b", 2), Progress(At(5))]
    offset = last_state(list(new_signals().weave(iter(rows))))
    again = new_signals()
    again.restore(offset)
    assert restarts(again.weave(iter(rows))) == [None, None]
    once_more: list[Change] = [*rows, position("c", 1), Progress(At(6))]
    again = new_signals()
    again.restore(offset)
    assert restarts(again.weave(iter(once_more))) == [None, None, 1]


def test_an_error_before_the_next_progress_undoes_a_signal() -> None:
    signals = new_signals()

    def stream() -> Iterator[Change]:
        yield position("a", 7)
        yield Progress(At(1))
        yield position("b", 8)
        raise DatabaseUnavailableError("gone")

    with pytest.raises(DatabaseUnavailableError):
        list(signals.weave(stream()))
    assert restarts(signals.weave(stream_of(Progress(At(1))))) == [7]
    assert restarts(signals.weave(stream_of(position("b", 8), Progress(At(2))))) == [8]


def test_a_damaged_list_of_signals_is_no_error() -> None:
    signals = new_signals()
    signals.restore({"millrace_position_signals": "[1"})
    assert restarts(signals.weave(stream_of(position("a", 7), Progress(At(1))))) == [7]
