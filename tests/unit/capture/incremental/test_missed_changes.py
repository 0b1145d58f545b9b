"""What the log has while a chunk is being read."""

from __future__ import annotations

from connector.capture.change import RowChanges
from connector.capture.incremental.chunk_source import TableRequest
from connector.capture.incremental.marked_reading import MarkedReading
from connector.capture.incremental.missed_changes import MissedChanges
from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.parallel import ChunkReaders
from connector.capture.incremental.reading import TableReading
from connector.capture.incremental.refused_marks import RefusedMarks
from connector.capture.incremental.reports import SnapshotReports
from connector.capture.incremental.table_state import TableState
from connector.capture.incremental.window import Windows, decoded
from connector.capture.notifications import Notifications
from connector.capture.table_schema import TableEventSchema
from tests.unit.capture.incremental.in_turn import InTurn
from tests.unit.capture.incremental.simulated import SIGNALS, TABLE, Chunks, Database, schema

SCHEMA = schema(TABLE, "id", "v")


def deleted(key: int, codec: TableEventSchema = SCHEMA) -> RowChanges:
    return RowChanges(codec, "d", [((key, "a"), None)], ())


def left(missed: MissedChanges) -> list[int]:
    windows = Windows()
    windows.begin()
    windows.fill(SCHEMA, [[(1, "a"), (2, "b")], [(3, "c")]])
    missed.replay(windows)
    [(_, batches, is_void)] = windows.close()
    return [] if is_void else [row[0] for batch in batches for row in decoded(batch)]


def test_changes_behind_the_first_mark_drop_rows_that_are_read_later() -> None:
    missed = MissedChanges()
    missed.note(deleted(1))
    missed.open()
    missed.note(deleted(2))
    missed.note(deleted(3, schema(SIGNALS, "id", "v")))
    missed.note(deleted(3, schema(TABLE, "id", "v", keys=())))
    assert left(missed) == [1, 3]
    assert left(missed) == [1, 2, 3], "they are forgotten"


def test_a_table_that_was_truncated_has_no_rows() -> None:
    missed = MissedChanges()
    missed.alter(TABLE)
    missed.open()
    assert left(missed) == []


def test_the_stream_waits_for_a_chunk_if_very_many_keys_change_meanwhile() -> None:
    ahead = InTurn()
    chunks = Chunks(Database({key: (key, "a") for key in range(5)}))
    reports, options = SnapshotReports(Notifications()), IncrementalOptions()
    reading = TableReading(chunks, ChunkReaders(chunks), reports, options, Windows(), lambda: 0.0)
    reading.state.add([TableState(TableRequest(TABLE))])
    marked = MarkedReading(reading, RefusedMarks(), ahead)
    list(marked.begin())
    marked.open()
    for first in range(0, 20_000, 1000):
        rows = [((key, "a"), None) for key in range(first + 4, first + 1004)]
        marked.deduplicate(RowChanges(SCHEMA, "d", rows, ()))
        assert not ahead.has_ended
    marked.deduplicate(deleted(3))
    assert ahead.has_ended
    list(marked.settle())
    [(_, batches, _)] = reading.windows.close()
    assert [row[0] for batch in batches for row in decoded(batch)] == [0, 1, 2]
