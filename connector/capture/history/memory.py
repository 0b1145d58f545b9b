"""A schema history that lasts as long as the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

from connector.capture.history.record import HistoryRecord
from connector.capture.history.snapshot import HistoryMark


class MemoryHistory:
    """Keeps records in a list. A restarted connector finds nothing: for tests and trials."""

    def __init__(self) -> None:
        self._records: list[HistoryRecord] = []
        self._read = 0

    def prepare(self) -> None:
        """Do nothing: the list is there."""

    def exists(self) -> bool:
        """Return whether there is a record."""
        return bool(self._records)

    def records(self, after: HistoryMark | None = None) -> Iterator[HistoryRecord]:
        """Return the records there are now."""
        self._read = len(self._records)
        return iter(self._records[0 if after is None else after.offset + 1 :])

    def last(self) -> HistoryMark | None:
        """Return the mark of the last record that was read."""
        return self._mark(self._read - 1) if self._read else None

    def holds(self, mark: HistoryMark) -> bool:
        """Return whether the record of a mark exists."""
        return mark.offset < len(self._records) and self._mark(mark.offset) == mark

    def _mark(self, offset: int) -> HistoryMark:
        return HistoryMark.of(offset, self._records[offset].line().encode("utf-8", "surrogatepass"))

    def append(self, record: HistoryRecord) -> None:
        """Add a record."""
        self._records.append(record)

    def buffering(self) -> AbstractContextManager[None]:
        """Do nothing: there is nothing to wait for."""
        return nullcontext()

    def close(self) -> None:
        """Do nothing: the records stay."""
