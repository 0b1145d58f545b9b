"""What an incremental snapshot does with signals, errors and altered tables."""

from __future__ import annotations

import json
from typing import Any

import pytest

from connector.capture.change import Change, FailedTables, Notice, Progress, RowChanges
from connector.capture.incremental.chunk_source import Key, TableRequest
from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.snapshot import IncrementalSnapshot
from connector.capture.notifications import Notifications
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import TableId
from connector.data.java_object_writer import serialize
from connector.errors import (
    DatabaseUnavailableError,
    SessionRefusedError,
    StopError,
    TableChangedError,
)
from tests.unit.capture.incremental.rows_read import rows_read
from tests.unit.capture.incremental.simulated import (
    TABLE,
    Capture,
    Chunks,
    Database,
    types,
)
from tests.unit.capture.incremental.simulated_time import QuickClock

EXECUTE = json.dumps({"data-collections": ["d.t"]})


class FailingChunks(Chunks):
    """Chunks whose highest key cannot be read for some time."""

    def __init__(self, database: Database, *errors: Exception) -> None:
        super().__init__(database)
        self.errors = list(errors)

    def maximum_key(self, schema: TableEventSchema, request: TableRequest) -> Key | None:
        if self.errors:
            raise self.errors.pop(0)
        return super().maximum_key(schema, request)


class RefusedMarks(Chunks):
    """A table of signals that refuses some marks: the first one of a window or the second one."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.refused = [True, False, True, False, False]

    def open_window(self, chunk: str) -> None:
        self._refuse()
        super().open_window(chunk)

    def close_window(self, chunk: str) -> None:
        self._refuse()
        super().close_window(chunk)

    def _refuse(self) -> None:
        if self.refused and self.refused.pop(0):
            raise StopError("denied")


def database(rows: int = 5) -> Database:
    made = Database({number: (number, "v") for number in range(rows)})
    made.signal("one", "execute-snapshot", EXECUTE)
    return made


def run(chunks: Chunks, made: Database, offset: dict[str, Any] | None = None) -> list[Change]:
    return list(Capture(made, chunks, 2, deletes=False).run(offset or {}))


def test_a_table_is_read_once_in_the_order_of_its_key() -> None:
    made = database()
    changes = run(Chunks(made), made)
    assert rows_read(changes) == [0, 1, 2, 3, 4]
    assert types(changes) == [
        "STARTED",
        *["IN_PROGRESS"] * 3,
        "TABLE_SCAN_COMPLETED",
        "COMPLETED",
    ]


def test_a_definition_that_is_newer_than_the_stream_is_awaited() -> None:
    made = database()
    changes = run(FailingChunks(made, *[TableChangedError("altered")] * 4), made)
    assert rows_read(changes) == [0, 1, 2, 3, 4]


def test_a_chunk_that_is_refused_is_read_again() -> None:
    made = database()
    changes = run(FailingChunks(made, *[StopError("no such column")] * 4), made)
    assert rows_read(changes) == [0, 1, 2, 3, 4]
    assert failures(changes) == []


@pytest.mark.parametrize(
    "errors",
    [
        [StopError("no such column")] * 5,
        [TableChangedError("altered")] * 9,
        [DatabaseUnavailableError("interrupted")] * 11,
    ],
)
def test_a_table_that_cannot_be_read_is_reported(errors: list[Exception]) -> None:
    made = database()
    changes = run(FailingChunks(made, *errors), made)
    assert rows_read(changes) == []
    assert types(changes)[-2:] == ["TABLE_SCAN_COMPLETED", "COMPLETED"]
    assert failures(changes) == [{str(TABLE): str(errors[0])}]


@pytest.mark.parametrize(
    "errors", [[DatabaseUnavailableError("interrupted")] * 10, [SessionRefusedError("none")] * 99]
)
def test_a_transient_error_of_a_chunk_does_not_end_the_stream(errors: list[Exception]) -> None:
    """What the log has meanwhile is emitted, before the chunk can be read."""
    made = database()
    made.write(7, (7, "new"))
    changes = run(FailingChunks(made, *errors), made)
    assert sorted(set(rows_read(changes))) == [0, 1, 2, 3, 4, 7]
    assert failures(changes) == []
    kinds = [change.op for change in changes if isinstance(change, RowChanges)]
    assert kinds.index("c", 1) < kinds.index("r")


def test_a_stop_between_two_attempts_ends_the_snapshot() -> None:
    made = database()
    made.signal("two", "stop-snapshot", EXECUTE)
    chunks = FailingChunks(made, *[DatabaseUnavailableError("interrupted")] * 99)
    changes = list(Capture(made, chunks, 2, deletes=False, clock=QuickClock(0.1)).run({}))
    assert rows_read(changes) == []
    assert types(changes)[-1] == "ABORTED"
    assert failures(changes) == []


def test_what_is_requested_behind_a_stop_is_read() -> None:
    """Though the stop waits for the end of a window."""
    made = database()
    made.signal("two", "stop-snapshot", EXECUTE)
    made.signal("three", "execute-snapshot", EXECUTE)
    changes = run(Chunks(made), made)
    assert rows_read(changes)[-5:] == [0, 1, 2, 3, 4]


def test_a_stop_that_waits_for_the_end_of_a_window_outlives_a_restart() -> None:
    made = database()
    made.signal("two", "stop-snapshot", EXECUTE)
    capture = Capture(made, Chunks(made), 2, deletes=False)
    offset: dict[str, Any] = {}
    for change in capture.run({}):
        if isinstance(change, Progress):
            offset = {**change.position.to_offset(), **change.kept}
            if offset["n"] == 2:
                break
    assert '"stop":1' in offset["millrace_started_tables"]
    changes = run(Chunks(made), made, offset)
    assert rows_read(changes) == []
    assert types(changes) == ["COMPLETED", "ABORTED"]


def failures(changes: list[Change]) -> list[dict[str, str]]:
    return [dict(change.reasons) for change in changes if isinstance(change, FailedTables)]


def test_a_failed_table_is_reported_until_it_is_read_or_stopped() -> None:
    made = database()
    offset = {"millrace_failed_tables": json.dumps({str(TABLE): "no such column"})}
    snapshot = IncrementalSnapshot(Chunks(made), Notifications(), IncrementalOptions())
    snapshot.restore(offset)
    assert failures(list(snapshot.resume_reading())) == [{str(TABLE): "no such column"}]
    assert not list(snapshot.stop(SnapshotRequest(("d.other",))))
    kept = json.loads(snapshot.to_offset()["millrace_failed_tables"])
    assert kept[str(TABLE)]["reason"] == "no such column"
    assert failures(list(snapshot.stop(SnapshotRequest((str(TABLE),))))) == [{}]
    assert snapshot.to_offset() == {}


class ChunksOfAnyCase(Chunks):
    """Tables of a server with lower_case_table_names=1."""

    def key(self, table: TableId) -> TableId:
        return TableId(table.database.lower(), table.table.lower())

    def schema(self, table: TableId) -> TableEventSchema | None:
        return super().schema(self.key(table))


def test_a_table_is_read_under_the_name_of_its_definition() -> None:
    """Not for ever: the rows of the window stand under that name."""
    made = database()
    chunks = ChunksOfAnyCase(made)
    snapshot = IncrementalSnapshot(chunks, Notifications(), IncrementalOptions(2))
    list(snapshot.execute("one", SnapshotRequest((str(TABLE).upper(),))))
    (read,) = json.loads(snapshot.to_offset()["incremental_snapshot_collections"])
    assert read["incremental_snapshot_collections_id"] == str(TABLE)
    list(snapshot.stop(SnapshotRequest(("d.T",))))
    assert '"stop":1' in snapshot.to_offset()["millrace_started_tables"]


def test_a_failed_table_is_read_on_behind_its_last_chunk() -> None:
    """Also after a restart: the offset has how far it was read."""
    made = database()
    chunks = Chunks(made)
    capture = Capture(made, chunks, 2, deletes=False)
    first: list[Change] = []
    for change in capture.run({}):
        first.append(change)
        if rows_read(first) and not chunks.refusals:
            chunks.refusals = 5
    assert rows_read(first) == [0, 1]
    assert not capture.incremental.running
    kept = next(change for change in reversed(first) if isinstance(change, Progress))
    offset = {**kept.position.to_offset(), **kept.kept}
    made.signal("two", "resume-snapshot")
    second = run(Chunks(made), made, offset)
    assert rows_read(second) == [2, 3, 4]
    assert failures(second) == [{str(TABLE): "no such column"}, {}]
    assert types(second)[0] == "STARTED"
    assert types(second)[-1] == "COMPLETED"


def test_a_failed_table_that_was_altered_is_read_from_its_start() -> None:
    made = database()
    key, end = serialize((1,)), serialize((4,))
    failed = {"reason": "r", "position": key, "maximum": end, "key": ["another"]}
    name = {"incremental_snapshot_collections_id": str(TABLE)}
    offset = {"millrace_failed_tables": json.dumps({str(TABLE): {**name, **failed}}), "n": 1}
    made.signal("two", "resume-snapshot", EXECUTE)
    assert rows_read(run(Chunks(made), made, offset)) == [0, 1, 2, 3, 4]


def test_marks_that_cannot_be_written_are_written_later() -> None:
    made = database()
    chunks = RefusedMarks(made)
    assert rows_read(run(chunks, made)) == [0, 1, 2, 3, 4]


def test_marks_of_another_connector_are_ignored() -> None:
    made = database()
    chunks = Chunks(made)
    made.meanwhile = lambda: made.signal("other-close", "snapshot-window-close")
    assert rows_read(run(chunks, made)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("position", "read"), [((1,), [2, 3, 4]), ((1, 2), [0, 1, 2, 3, 4])])
def test_a_restart_continues_behind_the_stored_key(position: Key, read: list[int]) -> None:
    """A key of another number of columns is that of an altered table: it is read again."""
    made = database()
    table = {
        "incremental_snapshot_collections_id": str(TABLE),
        "incremental_snapshot_collections_additional_condition": None,
        "incremental_snapshot_collections_surrogate_key": None,
    }
    offset = {
        "n": 1,
        "incremental_snapshot_collections": json.dumps([table]),
        "incremental_snapshot_primary_key": serialize(position),
        "incremental_snapshot_maximum_key": serialize((4,)),
        "incremental_snapshot_correlation_id": "one",
    }
    assert rows_read(run(Chunks(made), made, offset)) == read


@pytest.mark.parametrize("rows", [0, 1])
def test_a_small_table(rows: int) -> None:
    made = database(rows)
    changes = run(Chunks(made), made)
    assert rows_read(changes) == list(range(rows))
    assert types(changes)[-1] == "COMPLETED"


class DroppedTable(Chunks):
    """A table that does not exist at some of the moments at which it is looked for."""

    def __init__(self, database: Database, looks: list[bool]) -> None:
        super().__init__(database)
        self.looks = looks

    def schema(self, table: TableId) -> TableEventSchema | None:
        is_there = self.looks.pop(0) if self.looks else True
        return super().schema(table) if is_there else None


@pytest.mark.parametrize(
    ("looks", "read"),
    [
        ([True, True, *[False] * 4], [0, 1, 2, 3, 4]),
        ([True, True, *[False] * 5], [0, 1]),
        ([False, False], []),
    ],
)
def test_a_table_that_is_dropped_and_created_again_is_read_on(
    looks: list[bool], read: list[int]
) -> None:
    """One that was never there is reported at once."""
    made = database()
    changes = run(DroppedTable(made, looks), made)
    assert rows_read(changes) == read
    assert len(failures(changes)) == (read != [0, 1, 2, 3, 4])


@pytest.mark.parametrize("refusals", [[True], [False, True], [False, False, False, *[True] * 9]])
def test_a_read_only_server_is_waited_for(refusals: list[bool]) -> None:
    """A primary that becomes a replica refuses watermarks: the tables do not fail."""
    made = database()
    chunks = Chunks(made)
    chunks.refused_marks = list(refusals)
    changes = run(chunks, made)
    assert rows_read(changes) == [0, 1, 2, 3, 4]
    assert failures(changes) == []
    texts = [change.text for change in changes if isinstance(change, Notice)]
    assert texts[0].startswith("Incremental snapshots wait: the server is read-only, so ")
    assert texts[-1] == ""
    assert chunks.searches == [True] * sum(refusals), "the position belongs to the stream's thread"
