"""Health of a job: it is idle or makes progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Final

Activity = Callable[[], Hashable | None]
"""Returns a value that changes while a job works, None while it waits for messages."""

_STALL_SECONDS: Final = 900.0
"""The job is stuck when no task of Spark has ended for so long."""


class Health:
    """Checks the activity of a job at each health check.

    A long batch or compaction is healthy as long as its tasks end.
    """

    def __init__(
        self,
        activity: Activity,
        stall: float = _STALL_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._activity = activity
        self._clock = clock
        self._stall = stall
        self._last: Hashable | None = None
        self._moved = clock()

    def is_alive(self) -> bool:
        """Return whether the job is idle or makes progress; False if its activity is unknown."""
        try:
            now = self._activity()
        except Exception:  # noqa: BLE001 - whatever it is, the job is not well
            return False
        if now is None or now != self._last:
            self._last, self._moved = now, self._clock()
        return self._clock() - self._moved < self._stall
