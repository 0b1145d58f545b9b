"""How far the batch is that is being applied."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class PendingMessages:
    """The messages of a table in a batch, and the time of the earliest."""

    messages: int
    since: datetime


@dataclass(slots=True)
class BatchProgress:
    """One batch: the messages of its tables, once these are counted, and the tables that are done.

    Written by the threads that apply it, and read by others.
    """

    number: int
    tables: Mapping[str, PendingMessages] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    begun: float = field(default_factory=time.monotonic)

    def line(self) -> str:
        """Return it as text: ``batch 7: 200 of 1,200 messages, 1 of 3 tables done after 40 s``."""
        seconds = time.monotonic() - self.begun
        if not self.tables:
            return f"batch {self.number}: reading for {seconds:.0f} s"
        tables, done = dict(self.tables), set(self.done)
        applied = sum(one.messages for name, one in tables.items() if name in done)
        messages = sum(one.messages for one in tables.values())
        return (
            f"batch {self.number}: {applied:,} of {messages:,} messages,"
            f" {len(done)} of {len(tables)} tables done after {seconds:.0f} s"
        )

    def waiting(self) -> Mapping[str, datetime]:
        """Return the tables that are not done, with the time of their earliest message."""
        return {n: one.since for n, one in dict(self.tables).items() if n not in self.done}
