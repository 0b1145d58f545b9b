"""The progress of a capture: snapshot, streaming, errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic, time
from typing import Literal, NamedTuple

from connector.capture.snapshot_progress import SnapshotKind, SnapshotProgress


class Recovered(NamedTuple):
    """How many records of a history were applied, and what the last one did."""

    changes: int
    last: str = ""


@dataclass(slots=True)
class HistoryProgress:
    """The recovery of a schema history, and the changes since; times are those of `time.time`.

    ``applied`` counts all changes of tables, those of the recovery too; the last ones are known as
    text. Times are 0 before any.
    """

    recovery_began: float = 0.0
    recovered: int = 0
    applied: int = 0
    last_recovered: float = 0.0
    last_applied: float = 0.0
    recovered_change: str = ""
    applied_change: str = ""
    _recovers: bool = False

    @property
    def status(self) -> Literal["STOPPED", "RECOVERING", "RUNNING"]:
        """What is done with the history at present; nothing before the first recovery or change."""
        if self._recovers:
            return "RECOVERING"
        return "RUNNING" if self.recovery_began or self.applied else "STOPPED"

    @contextmanager
    def recovering(self) -> Iterator[None]:
        """Return the context of a recovery, which may fail."""
        self.recovery_began = time()
        self._recovers = True
        try:
            yield
        finally:
            self._recovers = False

    def record_recovery(self, found: Recovered) -> None:
        """Count what a recovery applied."""
        self.recovered += found.changes
        self.applied += found.changes
        if found.changes:
            self.last_recovered = self.last_applied = time()
            self.recovered_change = self.applied_change = found.last

    def apply(self, change: str) -> None:
        """Count a change of a snapshot or of the log."""
        self.applied += 1
        self.last_applied = time()
        self.applied_change = change


@dataclass(slots=True)
class CaptureProgress:
    """The progress of a capture, which other threads may read.

    ``snapshot`` is empty until it is known whether there is one; its times are those of
    `time.monotonic`, and ``tables`` its rows. ``faults`` counts transient errors, ``disconnects``
    those during streaming. ``holds_locks``: writers wait for the snapshot.
    """

    snapshot: Literal["", "running", "completed", "aborted", "skipped"] = ""
    snapshot_began: float = 0.0
    snapshot_ended: float = 0.0
    holds_locks: bool = False
    streaming: bool = False
    faults: int = 0
    disconnects: int = 0
    tables: SnapshotProgress = field(default_factory=SnapshotProgress)
    history: HistoryProgress = field(default_factory=HistoryProgress)

    @property
    def snapshot_seconds(self) -> float:
        """How long the snapshot has taken until now, or took."""
        until = monotonic() if self.snapshot == "running" else self.snapshot_ended
        return until - self.snapshot_began

    def begin_snapshot(self, kind: SnapshotKind = "initial") -> None:
        """Record the start of a snapshot."""
        self.tables.kind = kind
        self.streaming = False
        self.snapshot_began = monotonic()
        self.snapshot = "running"

    def end_snapshot(self, how: Literal["completed", "aborted"]) -> None:
        """Record the end of the snapshot."""
        self.snapshot_ended = monotonic()
        self.snapshot = how
        self.holds_locks = False
        if how == "completed":
            self.tables.end()

    def record_fault(self, *, of_kafka: bool = False) -> None:
        """Record a transient error; one of Kafka is not counted as an error of the database."""
        if not of_kafka:
            self.faults += 1
            self.disconnects += self.streaming
        self.streaming = False
