"""The faults that a task waits for, shown in its status and metrics while they last."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Literal

from connector.plugin import Report, ReportedState
from connector.task.metrics import TaskMetrics

log = logging.getLogger(__name__)

FaultCause = Literal["database", "kafka", "history", "offsets", "registry"]
SHOWN_AFTER: Final = 1.0  # seconds: shorter faults are not reported
LOGGED_EVERY: Final = 10.0  # seconds


class TaskHealth:
    """The faults that a task waits for, by cause. They outlive the runs of the task.

    A fault is shown once it has lasted `SHOWN_AFTER` seconds, so the caller keeps reporting it;
    the log repeats it every `LOGGED_EVERY` seconds.
    """

    def __init__(
        self, report: Report, metrics: TaskMetrics, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._report = report
        self._metrics = metrics
        self._clock = clock
        self._lock = threading.Lock()
        self._state: ReportedState = "RUNNING"
        self._since: dict[FaultCause, float] = {}
        self._shown: dict[str, str] = metrics.faults
        self._logged: dict[FaultCause, float] = {}
        self._notices: dict[str, str] = {}
        self._reported: tuple[ReportedState, str | None] | None = None

    def __contains__(self, cause: FaultCause) -> bool:
        return cause in self._since

    def enter(self, state: ReportedState) -> None:
        """Report a state, with the present faults."""
        with self._lock:
            self._state = state
            self._update()

    def report_fault(self, cause: FaultCause, reason: str, *, at_once: bool = False) -> None:
        """Report that a fault lasts; ``at_once`` shows it without a delay."""
        with self._lock:
            now = self._clock()
            since = self._since.setdefault(cause, now)
            if not at_once and now - since < SHOWN_AFTER:
                return
            if cause not in self._shown and cause not in ("database", "registry"):
                self._metrics.kafka_faults += 1
            self._shown[cause] = reason
            if now - self._logged.get(cause, -LOGGED_EVERY) >= LOGGED_EVERY:
                self._logged[cause] = now
                log.warning("%s", reason)
            self._update()

    def recover(self, cause: FaultCause) -> None:
        """Report that a fault is over, if there was one."""
        if cause not in self._since:
            return
        with self._lock:
            since = self._since.pop(cause)
            if self._shown.pop(cause, None) is not None:
                log.info("Recovered from the %s fault after %.1f s", cause, self._clock() - since)
                self._update()

    def notice(self, text: str, about: str = "configuration") -> None:
        """Show a text about a subject, behind the faults; an empty one: there is none."""
        with self._lock:
            self._notices[about] = text
            self._update()

    @contextmanager
    def watch(self, cause: FaultCause, reason: str) -> Iterator[None]:
        """Report a step that blocks the task's thread for longer than it should."""
        timer = threading.Timer(SHOWN_AFTER, self.report_fault, (cause, reason), {"at_once": True})
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _update(self) -> None:
        reasons = [*dict.fromkeys(self._shown.values()), *self._notices.values()]
        trace = "; ".join(filter(None, reasons)) or None
        if self._reported != (self._state, trace):
            self._reported = self._state, trace
            self._report(self._state, trace)
