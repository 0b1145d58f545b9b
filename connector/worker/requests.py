"""Runs requests with a timeout, and records their stages for its message."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

from connector.errors import MillraceError

T = TypeVar("T")

_log = logging.getLogger(__name__)


class RequestTimeoutError(MillraceError):
    """A request timed out; it continues in the background."""


@dataclass(slots=True)
class _RequestStage:
    text: str
    began: datetime
    completed: datetime | None = None


class Stages:
    """The present or last stage of a request, for the message of a timeout."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._last: _RequestStage | None = None

    @contextmanager
    def begin(self, text: str) -> Iterator[None]:
        """Record a stage for as long as the block runs."""
        stage = self._last = _RequestStage(text, self._now())
        try:
            yield
        finally:
            stage.completed = self._now()

    def summary(self) -> str:
        """Describe the present or last stage in Connect's words; empty before the first one."""
        stage = self._last
        if stage is None:
            return ""
        began = _iso(stage.began)
        if stage.completed is None:
            return f"The worker is currently {stage.text}, which began at {began}."
        return (
            f"The last operation the worker completed was {stage.text}, which began at {began} "
            f"and completed at {_iso(stage.completed)}."
        )


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Outcome(Generic[T]):
    """The result of an action, or what it raised."""

    value: T
    error: BaseException | None = None

    def __init__(self) -> None:
        self.done = threading.Event()


def run_with_timeout(action: Callable[[Stages], T], timeout: float) -> T:
    """Run an action in a thread of its own and wait for it, ``timeout`` seconds at most.

    A connector that hangs then blocks one thread, and not the client.

    :raises RequestTimeoutError: it takes longer. Errors of the action are raised again.
    """
    stages = Stages()
    outcome: _Outcome[T] = _Outcome()

    def run() -> None:
        try:
            outcome.value = action(stages)
        except BaseException as error:  # noqa: BLE001 — raised again where it is waited for
            outcome.error = error
        outcome.done.set()

    threading.Thread(target=run, name="request", daemon=True).start()
    if not outcome.done.wait(timeout):
        summary = stages.summary()
        raise RequestTimeoutError(
            "Request timed out. " + summary if summary else "Request timed out"
        )
    if outcome.error is not None:
        raise outcome.error
    return outcome.value


def run_in_background(name: str, action: Callable[[], object]) -> threading.Thread:
    """Run an action in a thread of its own; its errors are logged."""

    def run() -> None:
        try:
            action()
        except Exception as error:  # noqa: BLE001 — no caller waits for it
            _log.warning("%s: %s", name, error)

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread
