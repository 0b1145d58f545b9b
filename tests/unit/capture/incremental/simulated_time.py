"""A clock, and an order of steps, for captures of a simulated database."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from connector.errors import DatabaseUnavailableError


class QuickClock:
    """A clock that goes on whenever it is read: retries do not wait for long."""

    def __init__(self, step: float = 60.0) -> None:
        self._seconds = 0.0
        self._step = step

    def __call__(self) -> float:
        self._seconds += self._step
        return self._seconds


class RandomOrder:
    """Runs the steps of several threads one after the other, in any order."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def __call__(self, steps: Sequence[Callable[[], None]]) -> None:
        errors = []
        for step in self.chance.sample(steps, len(steps)):
            try:
                step()
            except DatabaseUnavailableError as error:
                errors.append(error)
        if errors:
            raise errors[0]
