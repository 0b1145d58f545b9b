"""When a heartbeat is due."""

from __future__ import annotations

import time
from collections.abc import Callable


class Heartbeat:
    """Counts the time between heartbeats; an interval of zero means none at all."""

    def __init__(self, interval: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = interval
        self._clock = clock
        self._next = clock() + interval

    def due(self, *, now: bool = False) -> bool:
        """Whether to beat; ``now`` requests a beat whatever the time."""
        if not self._interval or (not now and self._clock() < self._next):
            return False
        self._next = self._clock() + self._interval
        return True
