"""The capture task: a thread that restarts its run after transient errors."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from connector.capture.backoff import Backoff
from connector.capture.signals.rest_channel import RestChannel
from connector.errors import (
    BatchTooLargeError,
    ClientFailedError,
    Retry,
    TopicMissingError,
    decide,
    trace_of,
)
from connector.plugin import TaskContext
from connector.task.capture import OpenCapture
from connector.task.capture_run import CaptureRun
from connector.task.health import TaskHealth
from connector.task.metrics import TaskMetrics

log = logging.getLogger(__name__)

_FENCING = 2.0  # seconds for a write that is in progress when the task is abandoned
_ENDING = 0.5  # seconds of a stop that are kept for storing the offset and closing


class CaptureTask:
    """Runs one connector's capture; see `connector.plugin.Task` for its lifecycle."""

    def __init__(
        self,
        context: TaskContext,
        open_capture: OpenCapture,
        backoff: Backoff | None = None,
    ) -> None:
        self._context = context
        self._open_capture = open_capture
        self._backoff = backoff or Backoff()
        self.metrics = TaskMetrics()
        self.rest_channel: RestChannel | None = None
        self.health = TaskHealth(context.report, self.metrics)
        self.batch_bytes: int | None = None  # what Kafka accepts, once it has refused more
        self._stopping = threading.Event()
        self._paused = threading.Event()
        self._deadline = float("inf")
        name = f"task-{context.connector}-{context.task}"
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread and return."""
        self._thread.start()

    def pause(self) -> None:
        """Ask to stop reading."""
        self._paused.set()

    def resume(self) -> None:
        """Ask to continue reading."""
        self._paused.clear()

    def stop(self, timeout: float) -> bool:
        """Send what was read, store the offset and close everything."""
        self._deadline = time.monotonic() + timeout - _ENDING
        self._stopping.set()
        if not self._thread.ident:
            return True
        self._thread.join(timeout)
        if self._thread.is_alive():
            if not self._context.fence.close(_FENCING):
                log.error("A write of the abandoned task is still in progress")
            return False
        return True

    def snapshot_reports(self) -> Sequence[Mapping[str, object]]:
        """Return how far the snapshots have come, none before any."""
        tables, incremental = self.metrics.progress.tables, self.metrics.incremental
        found = [tables.report()] if tables.tables else []
        return [*found, incremental.report()] if incremental.tables else found

    def signals(self) -> Sequence[Mapping[str, object]]:
        """Return the last signals that the REST API got."""
        channel = self.rest_channel
        return [] if channel is None else channel.report()

    def add_signal(
        self, identity: str, type_: str, data: Mapping[str, Any]
    ) -> Mapping[str, object] | None:
        """Take a signal and return it as `signals` does; None without the channel ``rest``."""
        channel = self.rest_channel
        return None if channel is None else channel.add(identity, type_, data)

    def use_channel(self, channel: RestChannel | None) -> None:
        """Note the channel of this run; signals that came during the run before are kept."""
        if channel is not None and self.rest_channel is not None:
            channel.continue_from(self.rest_channel)
        self.rest_channel = channel

    def _work(self) -> None:
        context = self._context
        try:
            with context.metrics.publish(context.connector, context.task, self.metrics):
                self._run()
        except BaseException as error:  # noqa: BLE001 - a thread that ends in silence looks RUNNING
            if not self.abandoned:
                context.report("FAILED", trace_of(error))

    def _run(self) -> None:
        """Capture until the task stops; start another run after a transient error of Kafka."""
        attempt = 0
        while not self._stopping.is_set():
            run = None
            try:
                run = CaptureRun(self._context, self._open_capture, self)
                run.capture()
            except BaseException as error:  # noqa: BLE001 - `decide` knows what may be retried
                if self.abandoned:
                    return
                decision = decide(error)
                if not isinstance(decision, Retry):
                    if run is not None:
                        run.offsets.commit_after_error()
                    self._context.report("FAILED", decision.trace)
                    return
                self._prepare_restart(error, run)
                self.metrics.restarts += 1
                attempt = 1 if run is not None and run.sent else attempt + 1
                reason = f"{decision.reason}; the task restarts"
                self.health.report_fault("kafka", reason, at_once=True)
                self._stopping.wait(self._backoff.delay(attempt))
            finally:
                if run is not None:
                    _close(run)

    def _prepare_restart(self, error: BaseException, run: CaptureRun | None) -> None:
        """Remove the cause of a failed run, so that the next one may succeed."""
        if isinstance(error, BatchTooLargeError):
            self.batch_bytes = error.smaller
        elif isinstance(error, TopicMissingError):
            self._context.topics.forget(error.topic)
        elif not isinstance(error, ClientFailedError):
            return
        if run is not None:  # Kafka answers: what it acknowledged need not be sent again
            run.offsets.commit_before_restart()

    @property
    def stopping(self) -> bool:
        """Whether the task has to stop."""
        return self._stopping.is_set()

    @property
    def seconds_left(self) -> float:
        """How long a stop may still take."""
        return max(0.0, self._deadline - time.monotonic())

    @property
    def paused(self) -> bool:
        """Whether the task must not read for now."""
        return self._paused.is_set()

    @property
    def abandoned(self) -> bool:
        """Whether the worker no longer waits for the task, which must not store anything."""
        return self._context.fence.closed


def _close(run: CaptureRun) -> None:
    """Close what a run has opened; an error there decides nothing, the run is over."""
    try:
        run.close()
    except Exception as error:  # noqa: BLE001 - whatever a client raises
        log.warning("A connection of the last run was not closed properly: %s", error)
