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


def test_a_restart_resumes_a_paused_snapshot() -> None:
    made = database()
    made.signal("two", "pause-snapshot")
    before = list(Capture(made, Chunks(made), 2, deletes=False).run({}))
    last = [change for change in before if isinstance(change, Progress)][-1]
    offset: dict[str, Any] = {**last.position.to_offset(), **last.kept}
    after = list(Capture(made, Chunks(made), 2, deletes=False).run(offset))
    assert sorted(rows_read(before) + rows_read(after)) == [0, 1, 2, 3, 4]
