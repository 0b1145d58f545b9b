"""The progress of the running batch."""

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
    """One batch: the messages of its tables, once they are counted, and the finished tables.

    Threads that apply the batch write it, others read it.
    """

    number: int
    tables: Mapping[str, PendingMessages] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    started: float = field(default_factory=time.monotonic)

    def line(self) -> str:
        """Return a line: ``batch 7: 200 of 1,200 messages, 1 of 3 tables done after 40 s``."""
        seconds = time.monotonic() - self.started
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
        """Return the unfinished tables with the time of their earliest message."""
        return {n: one.since for n, one in dict(self.tables).items() if n not in self.done}
