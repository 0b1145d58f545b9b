"""Events of the log that lead to no change: unreadable ones, and those of other tables."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Never

from connector.capture.change import LeftOut
from connector.errors import StopError
from connector.mysql.binlog.events import IncidentSeen, RowsChanged, Unreadable
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.types.type_options import FailureMode

log = logging.getLogger(__name__)


class LeftOutEvents:
    """Counts the events that are left out; ``filtered`` are those of tables that are not captured.

    ``on_failure`` is ``event.processing.failure.handling.mode``.
    """

    def __init__(self, at: Coordinates, on_failure: FailureMode) -> None:
        self._at = at
        self._on_failure = on_failure
        self._skipped = 0
        self.filtered = 0

    def fail(self, error: Exception) -> Iterable[Never]:
        """Raise the error of an event, or leave the event out: return that it has no changes."""
        if self._on_failure == "fail":
            raise error
        self._skipped += 1
        level = logging.WARNING if self._on_failure == "warn" else logging.DEBUG
        log.log(level, "The event at %s:%d is skipped: %s", self._at.file, self._at.pos, error)
        return ()

    def fail_unreadable(self, event: Unreadable) -> Iterable[Never]:
        """Refuse a malformed event."""
        return self.fail(event.error)

    def fail_without_table(self, event: RowsChanged) -> Iterable[Never]:
        """Refuse rows without a TABLE_MAP event.

        The server ends some statements with an event that has neither.
        """
        if event.start < event.end:
            at = self._at
            self.fail(
                StopError(
                    f"The rows at {at.file}:{at.pos} of the binlog follow no TABLE_MAP event: "
                    "the stored offset lies within a transaction.",
                    "Set the connector's offset to the position at which the transaction begins, "
                    "or take a new snapshot.",
                )
            )
        return ()

    def fail_incident(self, event: IncidentSeen) -> Iterable[Never]:
        """Refuse a log that is not complete."""
        at = self._at
        return self.fail(
            StopError(
                f"The server reports lost events in its log before {at.file}:{at.pos}: "
                f"{event.message}",
                "Take a new snapshot. event.processing.failure.handling.mode=warn continues "
                "without the lost events.",
            )
        )

    def take_counts(self) -> LeftOut | None:
        """Return the counts since the last call, None if there are none."""
        if not self.filtered and not self._skipped:
            return None
        counts = LeftOut(self.filtered, self._skipped)
        self.filtered = self._skipped = 0
        return counts
