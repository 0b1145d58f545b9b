"""The lag of each table: the age of its oldest change that is not applied."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from sparksink.state.table_result import TableResult

Waiting = Callable[[], Mapping[str, datetime]]
"""Returns the tables of the running batch, with the time of their earliest message."""


class SourceLag:
    """The lag of each table in seconds: 0 if everything is applied.

    For a table that is behind or parked it is the age of the last applied change. ``waiting``
    returns the tables with messages in the running batch.
    """

    def __init__(self, waiting: Waiting = dict) -> None:
        self.waiting = waiting
        self._applied: dict[str, datetime] = {}
        self._tables: set[str] = set()
        self._behind: Collection[str] | None = None
        self._parked: Collection[str] = ()

    def set_applied(self, done: Sequence[TableResult], parked: Collection[str]) -> None:
        """Set what was applied to some tables, and which tables are parked."""
        self._tables |= {one.table for one in done}
        self._applied |= {one.table: one.source_ts for one in done if one.source_ts}
        self._parked = set(parked)

    def set_behind(self, tables: Collection[str]) -> None:
        """Set the tables whose topics have messages after the last batch."""
        self._behind = set(tables)

    def seconds(self) -> Mapping[str, float]:
        """Return the lag of the tables whose lag is known."""
        waiting = self.waiting()
        found = {name: self._lag(name, waiting) for name in sorted({*self._tables, *waiting})}
        return {name: lag for name, lag in found.items() if lag is not None}

    def _lag(self, table: str, waiting: Mapping[str, datetime]) -> float | None:
        if table in waiting:
            return age_seconds(waiting[table])
        if self._behind is not None and table not in self._behind and table not in self._parked:
            return 0.0
        last = self._applied.get(table)
        return None if last is None else age_seconds(last)


def age_seconds(at: datetime) -> float:
    """Return how many seconds ago a time was; Spark returns times in the local zone."""
    return max(0.0, (datetime.now(UTC) - at.astimezone(UTC)).total_seconds())
