"""Tracks whether all rows of the connector's snapshots have arrived.

A snapshot's rows belong to no transaction, and from the first row on the tables have a part of it.
It is complete when the row marked ``last``, or the first transaction after it, was read, and then
every partition up to its end offset at that time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

Offsets = Mapping[str, Mapping[str, int]]
"""Topic → partition → offset after the last message."""

Phase = Literal["none", "running", "silent", "ended"]


@dataclass(frozen=True, slots=True)
class ReadProgress:
    """The end offsets of a batch, and a function that returns the present end offsets.

    Recorded messages have neither: everything counts as read. Messages that are applied again do
    not belong to the stream (``streams``): ``reached`` is then how far the stream has read.
    """

    reached: Offsets
    present: Callable[[], Offsets]
    streams: bool = True

    def with_cached_offsets(self) -> ReadProgress:
        """Return the same with cached present offsets, for all threads."""
        lock, found = threading.Lock(), list[Offsets]()

        def present() -> Offsets:
            with lock:
                if not found:
                    found.append(self.present())
                return found[0]

        return replace(self, present=present)

    def covers(self, until: Offsets) -> bool:
        """Return whether the batch reads every partition up to some offsets."""
        return all(
            self.reached.get(topic, {}).get(partition, 0) >= offset
            for topic, partitions in until.items()
            for partition, offset in partitions.items()
        )


RECORDED: Final = ReadProgress({}, dict)


@dataclass(frozen=True, slots=True)
class SnapshotRows:
    """The snapshot rows of a batch.

    ``rows`` counts rows of a regular snapshot, with ``last`` if the one marked so is among them;
    ``incremental`` counts rows of incremental snapshots. With ``streams`` the batch has a
    transaction, which the connector reports only while no snapshot runs.
    """

    rows: int = 0
    incremental: int = 0
    last: bool = False
    streams: bool = False


@dataclass(frozen=True, slots=True)
class SnapshotProgress:
    """The progress of snapshots after a batch.

    A snapshot is ``running``; ``silent`` once everything that existed with its last known row was
    read, so that a later transaction follows it; and ``ended`` until ``until`` is read.
    """

    phase: Phase = "none"
    until: Offsets | None = None

    def after(self, batch: SnapshotRows, progress: ReadProgress) -> SnapshotProgress:
        """Return the progress after another batch."""
        found = self._before_barrier(batch, progress.present)
        if found.phase in {"none", "silent"} or not progress.covers(found.until or {}):
            return found
        if found.phase == "ended":
            return NO_SNAPSHOT
        return found if batch.rows else SnapshotProgress("silent")

    def with_end(self, present: Callable[[], Offsets]) -> SnapshotProgress:
        """Return the same, waiting for all present messages unless a snapshot runs."""
        if self.phase in {"running", "silent"}:
            return self
        return SnapshotProgress("ended", present())

    def _before_barrier(
        self, batch: SnapshotRows, present: Callable[[], Offsets]
    ) -> SnapshotProgress:
        if batch.rows:
            return SnapshotProgress("ended" if batch.last else "running", present())
        if self.phase == "silent" and batch.streams:
            return SnapshotProgress("ended", present())
        return self

    def as_json(self) -> list[Any]:
        """Return it as JSON values."""
        return [self.phase, self.until]

    @staticmethod
    def from_json(found: list[Any] | None) -> SnapshotProgress:
        """Parse the result of `as_json`; None is the initial state."""
        return SnapshotProgress(*found) if found else NO_SNAPSHOT


NO_SNAPSHOT: Final = SnapshotProgress()
