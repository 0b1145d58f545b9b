"""How far a capture has come."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Literal


@dataclass(slots=True)
class CaptureProgress:
    """How far a capture has come, for whoever looks at it from another thread.

    ``snapshot`` is empty until it is known whether there is one; its times are those of
    `time.monotonic`. ``faults`` counts what was waited for, ``disconnects`` those of a stream.
    """

    snapshot: Literal["", "running", "completed", "aborted", "skipped"] = ""
    snapshot_began: float = 0.0
    snapshot_ended: float = 0.0
    streaming: bool = False
    faults: int = 0
    disconnects: int = 0

    @property
    def snapshot_seconds(self) -> float:
        """How long the snapshot has taken until now, or took."""
        until = monotonic() if self.snapshot == "running" else self.snapshot_ended
        return until - self.snapshot_began

    def begin_snapshot(self) -> None:
        """Note that a snapshot begins."""
        self.snapshot_began = monotonic()
        self.snapshot = "running"

    def end_snapshot(self, how: Literal["completed", "aborted"]) -> None:
        """Note that it is over."""
        self.snapshot_ended = monotonic()
        self.snapshot = how

    def fault(self, *, of_kafka: bool = False) -> None:
        """Note a fault that is waited for; the database is well when it is one of Kafka."""
        if not of_kafka:
            self.faults += 1
            self.disconnects += self.streaming
        self.streaming = False
