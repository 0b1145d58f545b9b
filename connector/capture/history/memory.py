"""A schema history that lasts as long as the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

from connector.capture.history.record import HistoryRecord
from connector.capture.history.snapshot import Mark


class MemoryHistory:
    """Keeps records in a list. A restarted connector finds nothing: for tests and trials."""

    def __init__(self) -> None:
        self._records: list[HistoryRecord] = []
        self._read = 0

    def prepare(self) -> None:
        """Do nothing: the list is there."""

    def exists(self) -> bool:
        """Tell whether there is a record."""
        return bool(self._records)

    def records(self, after: Mark | None = None) -> Iterator[HistoryRecord]:
        """Return the records there are now."""
        self._read = len(self._records)
        return iter(self._records[0 if after is None else after.place + 1 :])

    def last(self) -> Mark | None:
        """Return the mark of the last record that was read."""
        return self._mark(self._read - 1) if self._read else None

    def holds(self, mark: Mark) -> bool:
        """Tell whether the record of a mark is there."""
        return mark.place < len(self._records) and self._mark(mark.place) == mark

    def _mark(self, place: int) -> Mark:
        return Mark.of(place, self._records[place].line().encode("utf-8", "surrogatepass"))

    def append(self, record: HistoryRecord) -> None:
        """Add a record."""
        self._records.append(record)

    def buffering(self) -> AbstractContextManager[None]:
        """Do nothing: there is nothing to wait for."""
        return nullcontext()

    def close(self) -> None:
        """Do nothing: the records stay."""
