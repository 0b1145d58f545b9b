"""Random runs of read-only snapshots, on a server that sends transactions before they are visible.

After a restart the server may be a replica that lags behind what was streamed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from connector.capture.change import Change, HeartbeatDue, Position, Progress, Row
from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.read_only import ReadOnlySnapshot
from connector.capture.notifications import Notifications
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.signal import SnapshotRequest
from tests.unit.capture.incremental.in_turn import InTurn
from tests.unit.capture.incremental.random_run import Run
from tests.unit.capture.incremental.simulated import (
    SIGNALS,
    At,
    Capture,
    Chunks,
    Database,
    types,
)
from tests.unit.capture.incremental.simulated_time import QuickClock, RandomOrder

RUNS = 300


class Log(list[Change]):
    """A log that knows the rows after each of its entries."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database
        self.states = [dict(database.rows)]

    def append(self, change: Change) -> None:
        super().append(change)
        self.states.append(dict(self._database.rows))


class LaggingChunks(Chunks):
    """A server where commits are sent first, then visible, then counted as executed."""

    def __init__(self, run: ReadOnlyRun) -> None:
        super().__init__(run.database)
        self._run = run
        self.log = run.log
        self.visible = run.random.randrange(len(self.log) + 1)
        self.executed = run.random.randrange(self.visible + 1)
        self._streamed = self._complete = self._low = self._high = 0

    def catch_up(self) -> None:
        self.visible = self._run.random.randint(self.visible, len(self.log))
        self.executed = self._run.random.randint(self.executed, self.visible)

    def follow(self, streamed: Position, last: Row | None) -> None:
        assert isinstance(streamed, At)
        self._complete = streamed.number
        self._streamed = max(streamed.number, 0 if last is None else last[0] + 1)

    def can_read(self) -> bool:
        self._step()
        self._low = self.executed
        self._step()
        return self._low >= self._streamed

    def open_window(self, chunk: str) -> None: ...

    def close_window(self, chunk: str) -> None:  # noqa: ARG002 - a protocol
        self._step()
        self._high = self.executed

    def reflects(self, source: Row) -> bool:
        return bool(source[0] < self._low)

    def has_passed(self) -> bool:
        return self._complete >= self._high

    def source_here(self) -> Row:
        return (-1,)

    def _rows(self) -> Mapping[int, Row]:
        return self.log.states[self.visible]

    def _step(self) -> None:
        super()._step()
        self.catch_up()


class StandingChunks(LaggingChunks):
    """A server that never catches up."""

    def catch_up(self) -> None:
        self.visible = self.executed = 0


class ReadOnlyCapture(Capture):
    """A capture whose batches hold several transactions, and end within one."""

    def __init__(self, run: ReadOnlyRun, chunks: LaggingChunks, size: int) -> None:
        super().__init__(run.database, chunks, size, deletes=False)
        self._run = run
        self.incremental = ReadOnlySnapshot(
            chunks,
            Notifications("p", ("sink",)),
            IncrementalOptions(size, threads=run.random.randrange(1, 4)),
            QuickClock(0.1),
            RandomOrder(run.random),
            InTurn(run.random),
        )
        self.signals = Signals(SignalOptions(SIGNALS), (), self.incremental)

    def _stream(self, start: int) -> Iterator[Change]:
        number = start
        choose = self._run.random.random
        for change in super()._stream(start):
            if isinstance(change, Progress):
                assert isinstance(change.position, At)
                number = change.position.number
                if choose() < 0.5:
                    yield Progress(At(number))
                    yield HeartbeatDue()
            elif not isinstance(change, HeartbeatDue):
                yield change
                if choose() < 0.2:  # the batch ends before the commit
                    yield Progress(At(number))
                    yield HeartbeatDue()
        yield Progress(At(number))
        if len(self.database.log) > number:
            yield from self._stream(number)


class ReadOnlyRun(Run):
    """One run without marks in the log."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.log = Log(self.database)
        self.database.log = self.log

    def capture(self, size: int) -> Capture:
        """Start a capture, perhaps of a replica that lags."""
        return ReadOnlyCapture(self, LaggingChunks(self), size)


def test_a_snapshot_that_waits_for_the_server_can_be_stopped() -> None:
    run = ReadOnlyRun(0)
    run.database.write(99, (99, 1))
    chunks = StandingChunks(run)
    snapshot = ReadOnlySnapshot(chunks, Notifications("p", ("sink",)), IncrementalOptions(9))
    list(snapshot.execute("one", SnapshotRequest(("d.t",))))
    assert not list(snapshot.go_on(At(1)))
    assert types(list(snapshot.stop(SnapshotRequest(("d.t",))))) == ["COMPLETED", "ABORTED"]
    assert not snapshot.running
    assert not list(snapshot.go_on(At(1)))


@pytest.mark.parametrize("part", range(10))
def test_the_topic_equals_the_table(part: int) -> None:
    for seed in range(part * RUNS // 10, (part + 1) * RUNS // 10):
        print(f"seed {seed}")
        ReadOnlyRun(seed).play()
