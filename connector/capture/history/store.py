"""What a schema history is kept in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from connector.capture.history.record import HistoryRecord
from connector.capture.history.snapshot import Mark


class HistoryStore(Protocol):
    """Keeps the records of one connector in their order. Used by one thread.

    Life: `prepare`, then `records` at most once if there is something to recover, then `append`
    any number of times, then `close`. All but `close` raise `HistoryError` for what a person has
    to mend, and `TransientError` for what may pass.
    """

    def prepare(self) -> None:
        """Make the file or topic, if it is not there."""
        ...

    def exists(self) -> bool:
        """Tell whether the history holds a record."""
        ...

    def records(self, after: Mark | None = None) -> Iterator[HistoryRecord]:
        """Read all records from the first, or the one after a mark, to the last there is now."""
        ...

    def last(self) -> Mark | None:
        """Return the mark of the last record that was read; None when there is none."""
        ...

    def holds(self, mark: Mark) -> bool:
        """Tell whether the record of a mark is where it was."""
        ...

    def append(self, record: HistoryRecord) -> None:
        """Add a record; it is durable when this returns, but for `buffering`."""
        ...

    def buffering(self) -> AbstractContextManager[None]:
        """Let records appended within the context be durable only at its end.

        A snapshot writes one for each table: to wait for each of thousands takes minutes.
        """
        ...

    def close(self) -> None:
        """Release what is held; twice does no harm."""
        ...
