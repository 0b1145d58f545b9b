"""How long to wait before each retry."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before each retry, in seconds, and how often to retry.

    ``attempts`` is the number of retries, negative for no limit.
    """

    first: float = 0.1
    longest: float = 10.0
    attempts: int = -1
    jitter: Callable[[], float] = random.random

    def delay(self, attempt: int) -> float:
        """Return the wait before an attempt, counted from 1."""
        limit: float = min(self.longest, self.first * 2 ** min(attempt - 1, 16))
        return limit * (0.5 + self.jitter() / 2)
