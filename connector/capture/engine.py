"""Runs a capture: recovery or snapshot, then the stream, with retries after transient errors."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

from connector.capture.backoff import Backoff
from connector.capture.change import (
    Change,
    Notice,
    Position,
    Progress,
    WaitCause,
    Waiting,
)
from connector.capture.incremental.offsets import has_initial_tables
from connector.capture.notifications import Notifications
from connector.capture.progress import CaptureProgress
from connector.capture.signals.processor import Signals
from connector.capture.snapshot_plan import ModeOf, Plan, plan_start
from connector.capture.snapshot_publishing import SnapshotPublisher
from connector.capture.source import Source
from connector.errors import (
    BrokerUnavailableError,
    HistoryError,
    LostHistoryError,
    PositionLostError,
    StopError,
    TransientError,
)

log = logging.getLogger(__name__)

P = TypeVar("P", bound=Position)
R = TypeVar("R")
Steps = Generator[Change, None, P | None]
# Debezium marks offsets of rows that it reads while it streams: the initial snapshot is complete.
_WHILE_STREAMING = (None, False, "", "INCREMENTAL", "BLOCKING")
_BLOCKING = "blocking snapshots"
_STEP = 0.25  # seconds: a wait is split into steps so that its consumer can react in between


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Snapshot mode, delays and retries. Times are in seconds.

    Without ``checks_position`` the engine assumes that the server still has a stored position; if
    it has not, streaming fails. ``in_chunks``: the rows of a first start are read in chunks while
    changes are streamed, so that a restart continues them.
    """

    snapshot_mode: str = "initial"
    snapshot_delay: float = 0.0
    streaming_delay: float = 0.0
    backoff: Backoff = field(default_factory=Backoff)
    configured_mode: ModeOf | None = None
    checks_position: bool = True
    notifications: Notifications = field(default_factory=Notifications)
    in_chunks: bool = False


class Engine(Generic[P]):
    """Captures one source; used by one thread. It records its state in ``progress``."""

    def __init__(
        self,
        source: Source[P],
        options: EngineOptions,
        progress: CaptureProgress | None = None,
        signals: Signals | None = None,
    ) -> None:
        self._source = source
        self._options = options
        self._progress = progress or CaptureProgress()
        self._signals = signals
        self._publisher = SnapshotPublisher(self._progress, options.notifications, signals)
        self._last: P | None = None

    def changes(self, offset: Mapping[str, Any] | None) -> Iterator[Change]:
        """Yield all changes after an offset; without one, from a snapshot on.

        Transient errors are retried here. A snapshot that was interrupted restarts; a stream
        continues where it was.
        """
        start = yield from self._retry(lambda: self._start(offset))
        if start is None:
            return
        yield from self._wait(self._options.streaming_delay, "")
        self._last = start
        yield from self._retry(self._stream)

    def _start(self, offset: Mapping[str, Any] | None) -> Steps[P]:
        """Open the source, recover or take a snapshot; return the position to stream from."""
        source = self._source
        source.open()
        stored = source.position(offset) if offset else None
        in_snapshot = bool(offset and offset.get("snapshot") not in _WHILE_STREAMING)
        complete = stored is not None and not in_snapshot
        chunks_left = complete and offset is not None and has_initial_tables(offset)
        plan = self._plan(stored, in_snapshot=in_snapshot, chunks_left=chunks_left)
        log.info("Start with %s", plan)
        if (
            chunks_left
            and not plan.data
            and (self._signals is None or not self._signals.has_chunks)
        ):
            raise StopError(
                "The initial snapshot is not complete, and nothing reads its chunks any longer.",
                "Set millrace.snapshot.resumable=true again; to begin again, delete the offsets.",
            )
        if self._signals is not None and offset and not plan.data:
            self._signals.restore(offset)
        if not plan.snapshot:
            return (yield from self._resume(plan, stored))
        return (yield from self._snapshot(plan, stored if complete and not plan.data else None))

    def _resume(self, plan: Plan, stored: P | None) -> Steps[P]:
        """Return the stored position, or that of the oldest event of the log."""
        history = self._progress.history
        if plan.whole_log or stored is None:
            position = self._source.begin_log()
        else:
            position = stored
            try:
                with history.recovering():
                    history.record_recovery(self._source.recover(stored))
            except LostHistoryError as error:
                if not plan.on_lost_history:
                    raise
                log.warning("%s The present definitions are read instead.", error)
                return (yield from self._snapshot(replace(plan, schema=True), stored))
            self._read_new_tables()
        yield Waiting("")
        if not self._publisher.reads_chunks:
            self._progress.snapshot = "skipped"
            yield from self._options.notifications.snapshot("SKIPPED")
        return position if plan.stream else None

    def _read_new_tables(self) -> None:
        if self._signals is not None:
            self._signals.read_new_tables(self._source.captured_tables)

    def _plan(self, stored: P | None, *, in_snapshot: bool, chunks_left: bool) -> Plan:
        """Decide what this start does; a source may know why a position is lost."""
        complete = stored is not None and not in_snapshot
        lost: PositionLostError | None = None
        resumable = True
        if stored is not None and complete and self._options.checks_position:
            try:
                resumable = self._source.can_resume(stored)
            except PositionLostError as error:
                lost, resumable = error, False
        try:
            return plan_start(
                self._options.snapshot_mode,
                has_offset=stored is not None,
                in_snapshot=in_snapshot,
                configured=self._options.configured_mode,
                resumable=resumable,
                in_chunks=self._options.in_chunks,
                has_chunks_left=chunks_left,
            )
        except PositionLostError as error:
            raise lost or error from None

    def _snapshot(self, plan: Plan, stored: P | None) -> Steps[P]:
        yield from self._wait(self._options.snapshot_delay, "")
        yield Waiting("")
        position = yield from self._publisher.snapshot(
            self._source.snapshot(plan, stored), "initial"
        )
        if stored is not None:
            self._read_new_tables()
        # With chunks, a start behind changes of rows that were emitted would lose these changes.
        yield self._publisher.with_state(Progress(position, is_due=plan.in_chunks))
        return position if plan.stream else None

    def _stream(self) -> Steps[P]:
        """Stream, and take the blocking snapshots that are requested meanwhile."""
        signals = self._signals
        if signals is not None:
            signals.rewind()
        while True:
            if signals is not None:
                yield from self._read_again(signals)
            yield from self._stream_on()
            if signals is None or signals.blocking is None:
                return None
            self._source.close()

    def _read_again(self, signals: Signals) -> Iterator[Change]:
        """Take the blocking snapshots that are due, while the stream stands at its position."""
        assert self._last is not None
        while (request := signals.blocking) is not None:
            self._source.open()
            try:
                changes = self._source.read_again(request.tables, self._last, request.event)
                yield from self._wait(self._options.snapshot_delay, "")
                yield from self._publisher.snapshot(changes, "blocking")
            except HistoryError:
                raise
            except StopError as error:
                fault = f"The blocking snapshot of signal {request.signal.id} failed: {error}"
                log.warning("%s", fault)
                yield Notice(fault, _BLOCKING)
                self._source.close()
            else:
                yield Notice("", _BLOCKING)
            signals.end_blocking()
            yield signals.with_state(Progress(self._last))

    def _stream_on(self) -> Iterator[Change]:
        assert self._last is not None
        self._source.open()
        changes: Iterator[Change] = self._source.stream(self._last)
        if self._signals is not None:
            changes = self._signals.weave(changes)
            changes = self._publisher.stream(changes)
        for change in changes:
            if isinstance(change, Progress):
                self._last = cast("P", change.position)
                self._progress.streaming = True
            yield change

    def _retry(self, work: Callable[[], Steps[P]]) -> Steps[P]:
        """Run some work; run it again after each transient error."""
        attempt = 0
        while True:
            try:
                changes = work()
                while True:
                    change = next(changes)
                    if attempt:
                        attempt = 0
                        yield Waiting("")
                    yield change
            except StopIteration as end:
                result: P | None = end.value
                return result
            except TransientError as error:
                self._source.close()
                of_kafka = isinstance(error, BrokerUnavailableError)
                self._progress.record_fault(of_kafka=of_kafka)
                attempt += 1
                backoff = self._options.backoff
                if 0 <= backoff.attempts < attempt:
                    raise StopError(
                        f"The connector gave up after {backoff.attempts} retries: {error}",
                        "Restart the task when the database is back, or raise errors.max.retries.",
                    ) from error
                delay = backoff.delay(attempt)
                log.debug("%s; next attempt in %.1f s", error, delay)
                cause: WaitCause = "history" if of_kafka else "database"
                yield from self._wait(delay, str(error), cause)

    def _wait(self, seconds: float, reason: str, cause: WaitCause = "database") -> Iterator[Change]:
        while seconds > 0:
            yield Waiting(reason, min(seconds, _STEP), cause)
            seconds -= _STEP
