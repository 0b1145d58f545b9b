"""Limits repeated log lines of the Kafka library to one in ten seconds."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from typing import Final

_EVERY: Final = 10.0  # seconds
_OF_LIBRARY: Final = "[thrd:"  # stands in each of its lines
_NUMBERS: Final = re.compile(r"\d+")


class RepeatedLineFilter(logging.Filter):
    """Drops lines of the library that differ from a recent one in numbers only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log the line."""
        message = record.getMessage()
        if _OF_LIBRARY not in message:
            return True
        now, kind = self._clock(), _NUMBERS.sub("", message)
        if now - self._last.get(kind, -_EVERY) < _EVERY:
            return False
        self._last = {text: at for text, at in self._last.items() if now - at < _EVERY}
        self._last[kind] = now
        return True
