"""Counts of the events of a snapshot, or of a stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from connector.capture.change import Row


class LastEvent(NamedTuple):
    """The last event of a context: its operation, its table or database, and its source block."""

    operation: str
    about: object
    source: Row


@dataclass(slots=True)
class EventCounts:
    """The events of a snapshot, or of a stream.

    ``counts`` has the letter of each operation, and an empty text for schema changes.
    ``last_at`` is in seconds, 0.0 before any event. Without ``last`` there was none.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("", *"crudt"), 0))
    last_at: float = 0.0
    last: LastEvent | None = None

    @property
    def total(self) -> int:
        """All events."""
        return sum(self.counts.values())
