"""Reads the next chunks while the stream goes on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

ReadStep = Callable[[], bool]


class ReadAhead:
    """Runs a step in a thread of its own; its caller goes on and takes the result later.

    A chunk takes the database about as long as its rows take this process: both at the same time
    make an incremental snapshot faster, and changes of the log do not wait for a slow SELECT.
    """

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._future: Future[bool] | None = None

    @property
    def is_running(self) -> bool:
        """Whether a step was started whose result is not taken."""
        return self._future is not None

    @property
    def is_done(self) -> bool:
        """Whether the result can be taken without waiting."""
        return self._future is not None and self._future.done()

    def start(self, step: ReadStep) -> None:
        """Start a step; the result of the one before must be taken."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "chunks")
        self._future = self._pool.submit(step)

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the end of the step, at most so long."""
        if self._future is not None:
            wait([self._future], seconds)

    def take(self) -> bool:
        """Return the result of the step, or raise its error; wait for it."""
        future, self._future = self._future, None
        return future is not None and future.result()

    def drop(self) -> None:
        """Wait for the end of the step and forget its result."""
        self.wait()
        self._future = None

    def close(self) -> None:
        """End the thread."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        self._future = None
