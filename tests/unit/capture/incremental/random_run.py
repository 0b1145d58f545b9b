"""A random writer, restarts and faults while tables are read in chunks, several at a time.

Afterwards the events, replayed key by key, equal the table; and at no moment does an event of a
chunk put an older row over a newer one.
"""

from __future__ import annotations

import json
import random
from typing import Any

from connector.capture.change import Emptied, FailedTables, Progress, RowChanges
from connector.capture.tables import TableId
from connector.errors import DatabaseUnavailableError, SessionRefusedError
from tests.unit.capture.incremental.simulated import (
    SIGNALS,
    TABLE,
    Capture,
    Chunks,
    Database,
)
from tests.unit.capture.incremental.simulated_time import RandomOrder

FAULTS = (DatabaseUnavailableError, SessionRefusedError)
EXECUTE = json.dumps({"data-collections": ["d\\.t.*"]})


class Run:
    """One run; the versions of rows grow with every change, so that older ones are known."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        count = self.random.randrange(1, 4)
        names = (TABLE, *(TableId("d", f"t{number}") for number in range(1, count)))
        self.database = Database(tables=names)
        self.version = 0
        for key in self.random.sample(range(40), self.random.randrange(25)):
            self.database.rows[key] = self._row(key)
        self.started = dict(self.database.rows)
        self.deletes = self.random.random() < 0.3
        self.writes = self.random.randrange(60)
        self.pace = self.random.choice((0.5, 0.2, 0.1))
        self.offset: dict[str, Any] = {}
        self.streamed = 0
        self.signals = 0
        self.is_stopped = False
        self.topic: dict[int, Any] = {}
        self.read: set[int] = set()

    def _row(self, key: int) -> tuple[int, int]:
        self.version += 1
        return key, self.version

    def write(self) -> None:
        """Write at random, or do nothing."""
        choose = self.random.random
        while self.writes and choose() < self.pace:
            self.writes -= 1
            key, kind = self.random.randrange(45), choose()
            exists = key in self.database.rows
            if kind < 0.05:
                self.database.truncate(self.random.choice(self.database.tables))
            elif kind < 0.12:
                self.database.alter(self.random.choice(self.database.tables))
            elif kind < 0.18:
                self._signal()
            elif kind < 0.3:
                self.database.write(key, None)
            elif kind < 0.45 and exists:
                table = self.database.table_of(key)
                free = [n for n in range(60) if n not in self.database.rows]
                to = self.random.choice([n for n in free if self.database.table_of(n) == table])
                self.database.write(key, self._row(to), moved_to=to)
            else:
                self.database.write(key, self._row(key))

    def _signal(self) -> None:
        types = ("pause-snapshot", "resume-snapshot", "resume-snapshot", "stop-snapshot")
        type_ = self.random.choice(types)
        self.is_stopped |= type_ == "stop-snapshot"
        self.signal(type_)

    def signal(self, type_: str, data: str = "{}") -> None:
        """Send a signal through the table."""
        self.signals += 1
        self.database.signal(f"s{self.signals}", type_, data)

    def capture(self, size: int) -> Capture:
        """Start a capture."""
        chunks = Chunks(self.database, deletes=self.deletes)
        threads, order = self.random.randrange(1, 4), RandomOrder(self.random)
        return Capture(
            self.database, chunks, size, deletes=self.deletes, threads=threads, order=order
        )

    def replay(self) -> None:
        """Capture to the end, with restarts in between, of the process or of the stream alone."""
        restarts = self.random.randrange(4)
        again: Capture | None = None
        while True:
            capture = again or self.capture(self.random.randrange(1, 8))
            self._prepare_faults(capture.chunks, restarts)
            left = self.random.randrange(1, 60) if restarts else -1
            if again is None:
                self.streamed = int(self.offset.get("n", 0))
                changes = capture.run(self.offset)
            else:
                changes = capture.run_again(self.streamed)
            try:
                for change in changes:
                    self._note(change)
                    self.write()
                    left -= 1
                    if not left:
                        break
                else:
                    capture.incremental.close()
                    return
            except DatabaseUnavailableError:
                pass
            restarts -= 1
            again = capture if self.random.random() < 0.5 else None
            if again is None:
                capture.incremental.close()

    def _prepare_faults(self, chunks: Chunks, restarts: int) -> None:
        chunks.refusals = self.random.choice([0, 0, 1, 3, 5, 7])
        chunks.refused_marks = [self.random.random() < 0.3 for _ in range(self.random.randrange(9))]
        chunks.has_writable = bool(restarts) and self.random.random() < 0.3
        chunks.faults = self.random.randrange(1, 30) if restarts else 0
        chunks.fault = self.random.choice(FAULTS)

    def _note(self, change: Any) -> None:
        if not isinstance(change, Progress):
            self._emit(change)
            return
        position = change.position.to_offset()
        self.streamed = int(position["n"])
        if self.random.random() < 0.7:  # else it is lost with the process
            self.offset = {**position, **change.kept}

    def _emit(self, change: Any) -> None:
        if isinstance(change, FailedTables) and change.reasons:
            self.database.signal("on", "resume-snapshot", EXECUTE)
        if isinstance(change, Emptied):
            gone = [key for key in self.topic if self.database.table_of(key) == change.table]
            self.topic = {key: row for key, row in self.topic.items() if key not in gone}
        if not isinstance(change, RowChanges) or change.codec.table.id == SIGNALS:
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
        self.signal("execute-snapshot", EXECUTE)
        self.replay()
        while self.writes:
            self.write()
        self.signal("resume-snapshot")
        self.replay()
        if self.is_stopped:
            self.signal("execute-snapshot", EXECUTE)
            self.replay()
        assert self.topic == self.database.rows
