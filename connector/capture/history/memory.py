"""A schema history that lasts as long as the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

from connector.capture.history.record import HistoryRecord


class MemoryHistory:
    """Keeps records in a list. A restarted connector finds nothing: for tests and trials."""

    def __init__(self) -> None:
        self._records: list[HistoryRecord] = []

    def prepare(self) -> None:
        """Do nothing: the list is there."""

    def exists(self) -> bool:
        """Tell whether there is a record."""
        return bool(self._records)

    def records(self) -> Iterator[HistoryRecord]:
        """Return the records there are now."""
        return iter(list(self._records))

    def append(self, record: HistoryRecord) -> None:
        """Add a record."""
        self._records.append(record)

    def buffering(self) -> AbstractContextManager[None]:
        """Do nothing: there is nothing to wait for."""
        return nullcontext()

    def close(self) -> None:
        """Do nothing: the records stay."""
