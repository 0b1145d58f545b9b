"""A log that ends with the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from connector.worker.storage import LogEntry


class MemoryLog:
    """Keeps entries in memory; ``entries`` are its first ones."""

    def __init__(self, entries: Mapping[bytes, bytes] | None = None) -> None:
        self.entries = dict(entries or {})

    def read(self) -> dict[bytes, bytes]:
        """Return all entries."""
        return dict(self.entries)

    def write(self, entries: Sequence[LogEntry]) -> None:
        """Store the entries."""
        for entry in entries:
            self.post(entry)

    def post(self, entry: LogEntry) -> None:
        """Store one entry."""
        key, value = entry
        self.entries.pop(key, None)
        if value is not None:
            self.entries[key] = value
