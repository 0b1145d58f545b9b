"""An initial snapshot that is read in chunks: what offsets have, and where a start goes on.

A database in memory is captured from an empty offset to its end, with a kill after any step: the
offset that was stored last decides what the next start does.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

import pytest

from connector.capture.backoff import Backoff
from connector.capture.change import Change, FailedTables, Position, Progress, Row, RowChanges
from connector.capture.engine import Engine, EngineOptions
from connector.capture.incremental.offsets import has_initial_tables
from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.snapshot import INITIAL, IncrementalSnapshot
from connector.capture.notifications import Notifications
from connector.capture.progress import CaptureProgress, Recovered
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.snapshot_events import ChunkedReadBegan, Notification, SnapshotBegan
from connector.capture.snapshot_plan import Mode, Plan, plan_start
from connector.capture.tables import TableId
from connector.errors import ConfigError, StopError
from tests.unit.capture.incremental.rows_read import rows_read
from tests.unit.capture.incremental.simulated import (
    SIGNALS,
    TABLE,
    At,
    Capture,
    Chunks,
    Database,
)
from tests.unit.capture.incremental.simulated_time import QuickClock

NOTIFICATIONS = Notifications("p", ("sink",))


class Start(Capture):
    """A source whose initial snapshot leaves its table to chunks, and the engine that runs it."""

    def __init__(self, database: Database, size: int = 2) -> None:
        super().__init__(database, Chunks(database), size, deletes=False)
        self.progress = CaptureProgress()

    def start(self, offset: Mapping[str, Any] | None, **more: Any) -> Iterator[Change]:
        """Run the engine from an offset to the end of the log."""
        backoff = Backoff(0.0, 0.0, jitter=lambda: 0.0)
        options = EngineOptions(backoff=backoff, notifications=NOTIFICATIONS, **more)
        return Engine(self, options, self.progress, self.signals).changes(offset)

    def open(self) -> None: ...

    def close(self) -> None: ...

    def position(self, offset: Mapping[str, Any]) -> At:
        return At(offset["n"])

    def can_resume(self, position: Position) -> bool:  # noqa: ARG002 - a protocol
        return True

    def recover(self, position: Position) -> Recovered:  # noqa: ARG002 - a protocol
        return Recovered(0)

    def begin_log(self) -> At:
        return At(0)

    def captured_tables(self) -> Mapping[TableId, bool]:
        return {TABLE: True}

    def known_tables(self) -> Sequence[TableId]:
        return [TABLE]

    def snapshot(self, plan: Plan, stored: Position | None) -> Generator[Change, None, Position]:  # noqa: ARG002 - a protocol
        at = At(len(self.database.log))
        yield Progress(At(-1))
        yield SnapshotBegan({TABLE: len(self.database.rows)})
        if plan.in_chunks:
            yield ChunkedReadBegan([TABLE])
        yield Progress(at)
        return at

    def read_again(
        self, request: SnapshotRequest, at: Position, event: Row | None
    ) -> Generator[Change, None, None]:
        raise AssertionError(f"no signal requests a blocking snapshot: {request} {at} {event}")

    def stream(self, start: Position) -> Iterator[Change]:
        assert isinstance(start, At)
        return self._stream(start.number)


def database(rows: int = 5) -> Database:
    return Database({number: (number, "v") for number in range(rows)})


def offsets(changes: Sequence[Change]) -> list[dict[str, Any]]:
    found = [change for change in changes if isinstance(change, Progress)]
    return [{**change.position.to_offset(), **change.kept} for change in found]


def notified(changes: list[Change]) -> list[tuple[str, str]]:
    return [
        (change.aggregate_type.split()[0], change.type)
        for change in changes
        if isinstance(change, Notification)
    ]


def test_the_rows_are_read_while_the_log_is_streamed() -> None:
    made = Start(database())
    changes = list(made.start(None, in_chunks=True))
    assert rows_read(changes) == [0, 1, 2, 3, 4]
    assert notified(changes) == [
        ("Initial", "STARTED"),
        ("Incremental", "STARTED"),
        *[("Incremental", "IN_PROGRESS")] * 3,
        ("Incremental", "TABLE_SCAN_COMPLETED"),
        ("Incremental", "COMPLETED"),
        ("Initial", "COMPLETED"),
    ]
    ids = {one.id for one in changes if isinstance(one, Notification)}
    assert INITIAL in ids
    assert made.progress.snapshot == "completed"
    assert made.progress.tables.report()["rows"] == 5
    assert not has_initial_tables(offsets(changes)[-1])


def test_no_row_is_emitted_before_an_offset_has_the_tables() -> None:
    """Otherwise a start behind the deletion of an emitted row would not see the deletion."""
    changes = list(Start(database()).start(None, in_chunks=True))
    due = next(n for n, one in enumerate(changes) if isinstance(one, Progress) and one.is_due)
    assert has_initial_tables(offsets(changes[due : due + 1])[0])
    assert rows_read(changes[:due]) == []


def test_every_offset_behind_the_snapshot_leads_to_all_rows() -> None:
    count = len(list(Start(database()).start(None, in_chunks=True)))
    for step in range(1, count):
        made = database()
        first = [one for one, _ in zip(Start(made).start(None, in_chunks=True), range(step))]  # noqa: B905 - the shorter one ends it
        stored = offsets(first)
        offset = stored[-1] if stored and stored[-1]["n"] >= 0 else None
        second = list(Start(made).start(offset, in_chunks=True))
        assert {*rows_read(first), *rows_read(second)} == {0, 1, 2, 3, 4}, step
        again = {*rows_read(first)} & {*rows_read(second)}
        assert offset is None or len(again) <= 2, "more than one chunk is read again"
        assert not any(map(has_initial_tables, offsets(second)[-1:]))
        if offset is not None and has_initial_tables(offset):
            assert notified(second)[-1] == ("Initial", "COMPLETED")
            assert ("Initial", "SKIPPED") not in notified(second)


def test_always_continues_an_incomplete_snapshot_and_then_begins_again() -> None:
    made = database()
    first = [
        one
        for one in Start(made).start(None, in_chunks=True, snapshot_mode="always")
        if not isinstance(one, Notification)
    ]
    begun = next(
        o for o in offsets(first) if "incremental_snapshot_primary_key" in o and o["n"] > 2
    )
    second = list(Start(made).start(begun, in_chunks=True, snapshot_mode="always"))
    assert ("Initial", "STARTED") not in notified(second)
    third = list(Start(made).start(offsets(second)[-1], in_chunks=True, snapshot_mode="always"))
    assert notified(third)[0] == ("Initial", "STARTED")
    assert rows_read(third) == [0, 1, 2, 3, 4]


def test_a_failed_table_keeps_the_snapshot_incomplete_until_a_restart_reads_it_on() -> None:
    made = database()
    start = Start(made)
    changes: list[Change] = []
    for change in start.start(None, in_chunks=True):
        changes.append(change)
        if rows_read(changes) == [0, 1] and not start.chunks.refusals:
            start.chunks.refusals = 5
    assert start.progress.snapshot == "running"
    assert notified(changes)[-1] == ("Incremental", "COMPLETED")
    again = list(Start(made).start(offsets(changes)[-1], in_chunks=True))
    assert rows_read(again) == [2, 3, 4], "a restart reads it on, behind its last chunk"
    assert ("Incremental", "STARTED") in notified(again)
    assert notified(again)[-1] == ("Initial", "COMPLETED")
    assert [dict(one.reasons) for one in again if isinstance(one, FailedTables)][-1] == {}


def test_a_table_that_was_dropped_is_skipped() -> None:
    class WithoutTable(Chunks):
        def schema(self, table: TableId) -> None:  # noqa: ARG002 - a protocol
            return None

    made = Start(database())
    made.incremental = IncrementalSnapshot(
        WithoutTable(made.database), NOTIFICATIONS, IncrementalOptions(), QuickClock()
    )
    made.signals = Signals(SignalOptions(SIGNALS), (), made.incremental)
    changes = list(made.start(None, in_chunks=True))
    [ended] = [
        one.additional_data["status"]
        for one in changes
        if isinstance(one, Notification) and one.type == "TABLE_SCAN_COMPLETED"
    ]
    assert ended == "SKIPPED"
    assert not [one for one in changes if isinstance(one, FailedTables)]
    assert notified(changes)[-1] == ("Initial", "COMPLETED")


def test_a_stopped_snapshot_is_complete() -> None:
    made = database()
    made.log.append(RowChanges(made.defined, "c", [(None, (9, "v"))], (0,)))
    start = Start(made)
    changes = []
    for change in start.start(None, in_chunks=True):
        changes.append(change)
        if notified(changes)[-1:] == [("Incremental", "IN_PROGRESS")] and not rows_read(changes):
            list(start.incremental.stop(SnapshotRequest(())))
    assert len(rows_read(changes)) < 5
    assert ("Initial", "COMPLETED") in notified(changes)
    assert start.progress.snapshot == "completed"


def test_nothing_reads_the_chunks_any_longer() -> None:
    made = database()
    changes = list(Start(made).start(None, in_chunks=True))
    begun = next(offset for offset in offsets(changes) if has_initial_tables(offset))
    source = Start(made)
    options = EngineOptions(notifications=NOTIFICATIONS)
    with pytest.raises(StopError, match="nothing reads its chunks"):
        list(Engine(source, options, None, None).changes(begun))


@pytest.mark.parametrize("mode", ["initial_only", "configuration_based"])
def test_chunks_need_a_mode_that_streams(mode: str) -> None:
    with pytest.raises(ConfigError, match=f"snapshot.mode={mode} does not do"):
        plan_start(
            mode,
            has_offset=False,
            in_snapshot=False,
            resumable=True,
            configured=lambda _has_offset, _in_snapshot: Mode(True, True, False),
            in_chunks=True,
        )


@pytest.mark.parametrize("mode", ["no_data", "never"])
def test_modes_without_rows_have_no_chunks(mode: str) -> None:
    plan = plan_start(mode, has_offset=False, in_snapshot=False, resumable=True, in_chunks=True)
    assert not plan.in_chunks
