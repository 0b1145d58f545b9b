"""The protocol of a database as a source of changes."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from connector.capture.change import CaptureEvent, Change, Position, Progress, Row
from connector.capture.progress import Recovered
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.snapshot_plan import Plan
from connector.capture.tables import TableId

P = TypeVar("P", bound=Position)


class Source(Protocol[P]):
    """One database as a source of changes, with its own kind of position.

    Lifecycle: `open` → (`recover` or `snapshot`) → `open` → `stream` → `close`, all by the
    task's thread. After a `TransientError` the engine closes the source and starts again with
    `open`; positions that were yielded before stay valid.
    """

    def open(self) -> None:
        """Connect, unless connected, and check what capturing needs.

        :raises StopError: the server's settings or the user's privileges do not suffice.
        """

    def position(self, offset: Mapping[str, Any]) -> P:
        """Read a stored offset."""

    def can_resume(self, position: P) -> bool:
        """Whether the server still has everything after a position.

        :raises PositionLostError: it has not; the text says more about that.
        """

    def recover(self, position: P) -> Recovered:
        """Rebuild the tables as of a position; return which recorded changes were applied.

        :raises HistoryError: the schema history is not complete.
        """

    def begin_log(self) -> P:
        """Return the position of the oldest event that the server still has.

        No tables are known there; there must not be a schema history yet.
        """

    def captured_tables(self) -> Mapping[TableId, bool]:
        """Return the captured tables that the server has; whether their definitions are known."""

    def known_tables(self) -> Iterable[TableId]:
        """Return the captured tables whose definitions are known; any thread may ask."""

    def snapshot(self, plan: Plan, stored: P | None) -> Generator[Change, None, P]:
        """Read the present tables; return the position to stream from.

        ``stored`` is the position to keep if only the schema is recovered.
        """

    def read_again(
        self, request: SnapshotRequest, at: P, event: Row | None
    ) -> Generator[Change, None, None]:
        """Read the present rows of some tables, while the stream stands at a position.

        ``event`` is the source block of the event at which it stands, None if that is not known.
        """

    def stream(self, start: P) -> Iterator[CaptureEvent | Progress[P]]:
        """Yield changes as they are committed, without end.

        Yields `HeartbeatDue` or `Progress` at least every second, also when there are no changes.
        """

    def close(self) -> None:
        """Release all connections."""
