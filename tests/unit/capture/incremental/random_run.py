"""A random writer, restarts and faults while a table is read in chunks.

Afterwards the events, replayed key by key, equal the table; and at no moment does an event of a
chunk put an older row over a newer one.
"""

from __future__ import annotations

import json
import random
from typing import Any

from connector.capture.change import Emptied, FailedTables, Progress, RowChanges
from connector.errors import DatabaseUnavailableError
from tests.unit.capture.incremental.simulated import TABLE, Capture, Chunks, Database

EXECUTE = json.dumps({"data-collections": ["d.t"]})


class Run:
    """One run; the versions of rows grow with every change, so that older ones are known."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.database = Database()
        self.version = 0
        for key in self.random.sample(range(40), self.random.randrange(25)):
            self.database.rows[key] = self._row(key)
        self.started = dict(self.database.rows)
        self.deletes = self.random.random() < 0.3
        self.writes = self.random.randrange(60)
        self.topic: dict[int, Any] = {}
        self.read: set[int] = set()

    def _row(self, key: int) -> tuple[int, int]:
        self.version += 1
        return key, self.version

    def write(self) -> None:
        """Write at random, or do nothing."""
        choose = self.random.random
        while self.writes and choose() < 0.5:
            self.writes -= 1
            key, kind = self.random.randrange(45), choose()
            exists = key in self.database.rows
            if kind < 0.05:
                self.database.truncate()
            elif kind < 0.12:
                self.database.alter()
            elif kind < 0.3:
                self.database.write(key, None)
            elif kind < 0.45 and exists:
                to = self.random.choice([n for n in range(50) if n not in self.database.rows])
                self.database.write(key, self._row(to), moved_to=to)
            else:
                self.database.write(key, self._row(key))

    def capture(self, size: int) -> Capture:
        """Start a capture."""
        chunks = Chunks(self.database, deletes=self.deletes)
        return Capture(self.database, chunks, size, deletes=self.deletes)

    def replay(self) -> None:
        """Capture to the end, with restarts in between."""
        offset: dict[str, Any] = {}
        restarts = self.random.randrange(4)
        while True:
            capture = self.capture(self.random.randrange(1, 8))
            capture.chunks.refusals = self.random.choice([0, 0, 1, 3, 5, 7])
            capture.chunks.faults = self.random.randrange(1, 30) if restarts else 0
            left = self.random.randrange(1, 60) if restarts else -1
            try:
                for change in capture.run(offset):
                    if isinstance(change, Progress):
                        if self.random.random() < 0.7:  # else it is lost with the process
                            offset = {**change.position.to_offset(), **change.kept}
                    else:
                        self._emit(change)
                    self.write()
                    left -= 1
                    if not left:
                        break
                else:
                    return
            except DatabaseUnavailableError:
                pass
            restarts -= 1

    def _emit(self, change: Any) -> None:
        if isinstance(change, FailedTables) and change.reasons:
            self.database.signal("on", "resume-snapshot", EXECUTE)
        if isinstance(change, Emptied):
            self.topic.clear()
        if not isinstance(change, RowChanges) or change.codec.table.id != TABLE:
            return
        for before, after in change.rows:
            if change.op == "r":
                assert after is not None
                known = self.topic.get(after[0])
                assert known is None or known[1] <= after[1], "an older row over a newer one"
            if before is not None:
                self.topic.pop(before[0], None)
            if after is not None:
                self.topic[after[0]] = after

    def play(self) -> None:
        """Take a snapshot while rows are written; at the end the topic equals the table."""
        self.database.meanwhile = self.write
        self.write()
        self.database.signal("one", "execute-snapshot", EXECUTE)
        self.replay()
        assert self.topic == self.database.rows
