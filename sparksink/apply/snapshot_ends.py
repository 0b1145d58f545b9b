"""Decides when the end of a snapshot may remove the rows that the snapshot lacks.

The end is the last row of a snapshot, in one partition of the topic. Other rows of the snapshot may
be in partitions that are read later, so nothing is removed before all partitions are read up to
their end offsets from after the end was written.
"""

from __future__ import annotations

from collections.abc import Iterable

from sparksink.source import routed_tables
from sparksink.source.routes import Route
from sparksink.state.sink_state import SinkState
from sparksink.state.snapshots import ReadProgress
from sparksink.state.table_result import Boundary, PendingSweep


class SnapshotEnds:
    """The snapshot ends of one table in one batch with its end offsets."""

    def __init__(self, route: Route, progress: ReadProgress, state: SinkState) -> None:
        self._route = route
        self._progress = progress
        self._state = state

    def due(self, ends: Iterable[Boundary]) -> list[Boundary]:
        """Return the ends that may remove rows with this batch; the others are deferred."""
        found = list(ends)
        topic = routed_tables.topic_of(self._route.topic)
        until = self._progress.present().get(topic, {}) if found else {}
        if self._progress.covers({topic: until}):
            return found
        for end in found:
            self._state.defer_sweep(PendingSweep(self._route.table, self._route.topic, end, until))
        return []


def due_now(state: SinkState, progress: ReadProgress, resumes: str) -> list[PendingSweep]:
    """Return the deferred ends that are due; of parked tables only those of ``resumes``."""
    parked = state.parked_tables().keys() - {resumes}
    return [
        one
        for one in state.pending_sweeps()
        if one.table not in parked
        and progress.covers({routed_tables.topic_of(one.topic): one.until})
    ]
