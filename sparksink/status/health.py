"""Whether a job gets on: it is idle, or its work moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Final

Activity = Callable[[], Hashable | None]
"""Returns what changes while a job works, None where it waits for messages."""

_STALL_SECONDS: Final = 900.0
"""How long no task of Spark's may end before the job counts as stuck."""


class Health:
    """Asks for the activity of a job whenever somebody asks for its health.

    However long a batch or a compaction takes, it is healthy as long as tasks of it end.
    """

    def __init__(self, activity: Activity, stall: float = _STALL_SECONDS) -> None:
        self._activity = activity
        self._stall = stall
        self._last: Hashable | None = None
        self._moved = time.monotonic()

    def is_alive(self) -> bool:
        """Return whether the job gets on; an activity that cannot be asked for is none."""
        try:
            now = self._activity()
        except Exception:  # noqa: BLE001 - whatever it is, the job is not well
            return False
        if now is None or now != self._last:
            self._last, self._moved = now, time.monotonic()
        return time.monotonic() - self._moved < self._stall
