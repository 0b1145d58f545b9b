"""The protocol of the storage of a schema history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from connector.capture.history.record import HistoryRecord
from connector.capture.history.snapshot import HistoryMark


class HistoryStore(Protocol):
    """Keeps the records of one connector in their order. Used by one thread.

    Life: `prepare`, then `records` at most once if there is something to recover, then `append`
    any number of times, then `close`. All but `close` raise `HistoryError` for permanent
    errors and `TransientError` for transient ones.
    """

    def prepare(self) -> None:
        """Create the file or topic, if it does not exist."""
        ...

    def exists(self) -> bool:
        """Return whether the history has a record."""
        ...

    def records(self, after: HistoryMark | None = None) -> Iterator[HistoryRecord]:
        """Read all records from the first, or the one after a mark, to the last there is now."""
        ...

    def last(self) -> HistoryMark | None:
        """Return the mark of the last record that was read; None when there is none."""
        ...

    def holds(self, mark: HistoryMark) -> bool:
        """Return whether the record of a mark is where it was."""
        ...

    def append(self, record: HistoryRecord) -> None:
        """Add a record; it is durable when this returns, except within `buffering`."""
        ...

    def buffering(self) -> AbstractContextManager[None]:
        """Let records appended within the context be durable only at its end.

        A snapshot writes one for each table: to wait for each of thousands takes minutes.
        """
        ...

    def close(self) -> None:
        """Release what is held; twice does no harm."""
        ...
