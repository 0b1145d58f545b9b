"""A SELECT of a chunk that takes long holds up neither a stop nor a stream that begins again."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from connector.capture.change import Change, HeartbeatDue, Progress, SchemaChange, Waiting
from connector.capture.incremental.chunk_source import Chunk, Key, TableRequest
from connector.capture.incremental.pace import IncrementalOptions
from connector.capture.incremental.snapshot import IncrementalSnapshot
from connector.capture.notifications import Notifications
from connector.capture.signals.processor import SignalOptions, Signals
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.table_schema import TableEventSchema
from connector.errors import DatabaseUnavailableError
from tests.unit.capture.incremental.simulated import SIGNALS, TABLE, At, Chunks, Database

_LONG = 20.0  # seconds of a SELECT


class SlowChunks(Chunks):
    """Chunks whose SELECT ends only when it is interrupted, or after a long time."""

    def __init__(self) -> None:
        self.database = Database({1: (1, "v")})
        super().__init__(self.database)
        self.begun, self.ended = threading.Event(), threading.Event()
        self._interrupted = threading.Event()

    def interrupt(self) -> None:
        self._interrupted.set()

    def read(
        self,
        schema: TableEventSchema,
        request: TableRequest,
        after: Key | None,
        until: Key | None,
        limit: int,
    ) -> Chunk:
        self.begun.set()
        was_interrupted = self._interrupted.wait(_LONG)
        self.ended.set()
        if was_interrupted:
            raise DatabaseUnavailableError("the connection is lost")
        return super().read(schema, request, after, until, limit)


def snapshot_of(chunks: Chunks) -> IncrementalSnapshot:
    return IncrementalSnapshot(chunks, Notifications(), IncrementalOptions())


@contextmanager
def reading(chunks: SlowChunks) -> Iterator[IncrementalSnapshot]:
    """Let a SELECT run that must not run to its end."""
    snapshot = snapshot_of(chunks)
    list(snapshot.execute("one", SnapshotRequest((str(TABLE),))))
    assert chunks.begun.wait(_LONG)
    began = time.monotonic()
    yield snapshot
    assert chunks.ended.is_set(), "the thread is still reading"
    assert time.monotonic() - began < _LONG / 2


def test_a_stop_interrupts_the_select_of_a_chunk() -> None:
    with reading(SlowChunks()) as snapshot:
        snapshot.close()


def test_a_stream_that_begins_again_interrupts_the_select_of_a_chunk() -> None:
    with reading(SlowChunks()) as snapshot:
        snapshot.restore({})
    snapshot.close()


def test_a_blocking_snapshot_begins_when_no_chunk_is_read() -> None:
    """A SELECT that runs would hold up its global lock, and with it all writers."""
    chunks = SlowChunks()
    signals = Signals(SignalOptions(SIGNALS), (), snapshot_of(chunks))
    began = time.monotonic()
    list(signals.weave(signals_while_reading(chunks)))
    assert signals.blocking is not None
    assert chunks.ended.is_set(), "the thread is still reading"
    assert time.monotonic() - began < _LONG / 2
    signals.close()


def test_a_task_can_stop_while_the_stream_waits_for_a_chunk() -> None:
    """A statement that alters a table waits for the rows; deliveries are handled meanwhile."""
    with reading(SlowChunks()) as snapshot:
        waits = snapshot.follow_schema(SchemaChange("ALTER", "d", "ALTER TABLE", (), ()))
        assert isinstance(next(waits), Waiting)
        snapshot.close()


def signals_while_reading(chunks: SlowChunks) -> Iterator[Change]:
    """Yield a signal for an incremental snapshot, and while its SELECT runs a blocking one."""
    made = chunks.database
    for number, kind in enumerate(("incremental", "blocking"), 1):
        data = {"type": kind, "data-collections": [str(TABLE)]}
        made.signal(kind, "execute-snapshot", json.dumps(data))
        yield HeartbeatDue()
        yield made.log[-1]
        yield Progress(At(number))
        assert chunks.begun.wait(_LONG)
