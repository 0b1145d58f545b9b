"""The fence between a task and everything it writes: closed before a successor may start."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType

from connector.errors import FencedError


class Fence:
    """Lets a task write until it is closed; any thread may close it, once and for good.

    ``with fence:`` surrounds a write, so that closing waits for one that is under way: it must
    be short, or end when the functions given to `on_close` are called. `wait` is called again
    and again while the task waits for Kafka.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # sending a message may create its topic
        self._closed = threading.Event()
        self._abort: list[Callable[[], None]] = []
        self.observer: Callable[[str], None] = lambda _: None

    @property
    def closed(self) -> bool:
        """Whether the task may not write any more."""
        return self._closed.is_set()

    def __enter__(self) -> None:
        self._lock.acquire()
        if self.closed:
            self._lock.release()
            raise FencedError("The task was abandoned and may not write any more.")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()

    def wait(self, reason: str) -> None:
        """Report what the task waits for.

        :raises FencedError: the fence is closed.
        """
        if self.closed:
            raise FencedError("The task was abandoned and does not wait any more.")
        self.observer(reason)

    def on_close(self, abort: Callable[[], None]) -> Callable[[], None]:
        """Have something called when the fence closes; return what cancels that."""
        self._abort.append(abort)
        if self.closed:
            abort()
        return lambda: self._abort.remove(abort)

    def close(self, timeout: float) -> bool:
        """Let nothing more be written; wait for a write under way. False when it did not end."""
        self._closed.set()
        for abort in list(self._abort):
            abort()
        free = self._lock.acquire(timeout=timeout)
        if free:
            self._lock.release()
        return free
