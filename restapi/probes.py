"""Threads of their own for `/health` and `/metrics`, which answer whatever else waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread

Answer = TypeVar("Answer")

_THREADS: Final = 8


class ProbeThreads:
    """Runs functions in threads that no other request can occupy."""

    def __init__(self) -> None:
        self._limiter: CapacityLimiter | None = None

    async def run(self, function: Callable[[], Answer]) -> Answer:
        """Run a function in a thread and return its result."""
        if self._limiter is None:  # belongs to an event loop, which runs only now
            self._limiter = CapacityLimiter(_THREADS)
        return await to_thread.run_sync(function, limiter=self._limiter)
