"""Whether all rows of the connector's snapshots have arrived.

A snapshot's rows belong to no transaction. From its first row on the tables hold a part of it. It
is complete when the row marked ``last``, or the first transaction that the connector streams after
it, was read, and then every partition up to where it ended at that moment.
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
    """How far a batch reads each partition, and a call that returns how far they reach now.

    Recorded messages have neither: everything counts as read. Messages that are applied again are
    not part of what ``streams``: ``reached`` is how far the stream has read then.
    """

    reached: Offsets
    present: Callable[[], Offsets]
    streams: bool = True

    def with_cached_offsets(self) -> ReadProgress:
        """Return the same, which asks where partitions end once, from whatever thread."""
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
    """What a batch has of snapshots.

    ``rows`` are those of a whole snapshot, ``last`` tells whether the one marked so is among them,
    ``incremental`` counts rows of incremental snapshots. ``streams`` tells whether the batch has a
    transaction, which the connector reports only while no snapshot runs.
    """

    rows: int = 0
    incremental: int = 0
    last: bool = False
    streams: bool = False


@dataclass(frozen=True, slots=True)
class SnapshotProgress:
    """What is known after a batch.

    A snapshot is ``running``; ``silent`` once all was read that was there with its last known row,
    so that a later transaction follows it; and ``ended`` until everything up to ``until`` is read.
    """

    phase: Phase = "none"
    until: Offsets | None = None

    def after(self, batch: SnapshotRows, progress: ReadProgress) -> SnapshotProgress:
        """Return what is known after another batch."""
        found = self._before_barrier(batch, progress.present)
        if found.phase in {"none", "silent"} or not progress.covers(found.until or {}):
            return found
        if found.phase == "ended":
            return NO_SNAPSHOT
        return found if batch.rows else SnapshotProgress("silent")

    def ended(self, present: Callable[[], Offsets]) -> SnapshotProgress:
        """Return the same with a wait for everything that is there now, unless one runs."""
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
        """Return it as values of JSON."""
        return [self.phase, self.until]

    @staticmethod
    def of_json(found: list[Any] | None) -> SnapshotProgress:
        """Read what `as_json` returned; None is the beginning."""
        return SnapshotProgress(*found) if found else NO_SNAPSHOT


NO_SNAPSHOT: Final = SnapshotProgress()
