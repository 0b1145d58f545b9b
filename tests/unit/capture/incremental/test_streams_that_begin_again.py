"""Incremental snapshots whose stream begins again, after an error or a blocking snapshot."""

from __future__ import annotations

import json
from typing import Any

from connector.capture.change import Change, Progress
from tests.unit.capture.incremental.rows_read import rows_read
from tests.unit.capture.incremental.simulated import At, Capture, Chunks, Database, types

EXECUTE = json.dumps({"data-collections": ["d.t"]})


def database() -> Database:
    made = Database({number: (number, "v") for number in range(5)})
    made.signal("one", "execute-snapshot", EXECUTE)
    return made


def position(changes: list[Change]) -> At:
    found = [change.position for change in changes if isinstance(change, Progress)][-1]
    assert isinstance(found, At)
    return found


def test_a_paused_snapshot_stays_paused_when_the_stream_begins_again() -> None:
    """Only a restart of the task resumes it."""
    made = database()
    made.signal("two", "pause-snapshot")
    capture = Capture(made, Chunks(made), 2, deletes=False)
    before = list(capture.run({}))
    assert "PAUSED" in types(before)
    made.write(7, (7, "new"))
    after = list(capture.run_again(position(before).number))
    assert rows_read(after) == []
    assert types(after) == []
    made.signal("three", "resume-snapshot")
    resumed = list(capture.run_again(position(after).number))
    assert sorted(rows_read(before) + rows_read(resumed)) == [0, 1, 2, 3, 4]
    assert types(resumed)[0] == "RESUMED"


class MovedServer(Chunks):
    """A name of a server that means another one after a failover; open sessions stay."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.is_stale = False

    def close_window(self, chunk: str) -> None:
        if self.is_stale:  # the mark is in a log that is not streamed
            self._step()
        else:
            super().close_window(chunk)

    def move(self) -> None:
        self.is_stale = True

    def close(self) -> None:
        super().close()
        self.is_stale = False


def test_chunks_are_read_from_the_server_that_is_streamed() -> None:
    """The session for chunks may still reach the server from before: its marks would not come."""
    made = database()
    chunks = MovedServer(made)
    capture = Capture(made, chunks, 2, deletes=False)
    changes: list[Change] = []
    for change in capture.run({}):
        changes.append(change)
        if rows_read(changes):
            break
    chunks.move()
    changes += capture.run_again(position(changes).number)
    assert set(rows_read(changes)) == {0, 1, 2, 3, 4}


def test_a_restart_resumes_a_paused_snapshot() -> None:
    made = database()
    made.signal("two", "pause-snapshot")
    before = list(Capture(made, Chunks(made), 2, deletes=False).run({}))
    last = [change for change in before if isinstance(change, Progress)][-1]
    offset: dict[str, Any] = {**last.position.to_offset(), **last.kept}
    after = list(Capture(made, Chunks(made), 2, deletes=False).run(offset))
    assert sorted(rows_read(before) + rows_read(after)) == [0, 1, 2, 3, 4]
