"""The result of a batch for a table, and the boundaries of a table's rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from sparksink.change_position import ChangePosition


class Boundary(NamedTuple):
    """A position where all rows of a table ended; ``at`` is the source's time in microseconds."""

    hi: int
    lo: int
    at: int | None


class PendingSweep(NamedTuple):
    """The end of a snapshot whose rows may be in partitions that are not read so far.

    Rows from before it are removed once the ``topic`` was read up to the offsets in ``until``.
    """

    table: str
    topic: str
    end: Boundary
    until: Mapping[str, int]


class PartitionEnd(NamedTuple):
    """The highest position of a Kafka partition, and its latest time in microseconds.

    That is the time of the source, or with ordering.mode=kafka that of the message.
    """

    highest: ChangePosition
    at: int


@dataclass(frozen=True, slots=True)
class TableResult:
    """The result of one ``batch`` for one table; its last change has ``highest``, ``source_ts``.

    ``partitions`` are the ends of Kafka partitions; ``topic`` is set if messages of the table were
    read. ``operations`` counts changes by ``__op``, ``reasons`` counts dead letters, ``altered``
    alterations of columns. With ``swept`` all rows from before a position were removed.
    """

    table: str
    version: str = ""
    changes: int = 0
    faults: int = 0
    highest: ChangePosition | None = None
    source_ts: datetime | None = None
    seconds: float = 0.0
    messages: int = 0
    retries: int = 0
    operations: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    altered: Mapping[str, int] = field(default_factory=dict)
    swept: bool = False
    batch: int | None = None
    topic: str = ""
    partitions: Mapping[int, PartitionEnd] = field(default_factory=dict)

    def commit_entry(self) -> dict[str, Any]:
        """Return the entry of the table in ``commits``."""
        hi, lo = self.highest or (None, None)
        return {
            "source_table": self.table,
            "version": self.version,
            "changes": self.changes,
            "faults": self.faults,
            "seq_hi": hi,
            "seq_lo": lo,
            "source_ts": self.source_ts,
            "seconds": self.seconds,
        }

    def partition_entries(self) -> list[dict[str, Any]]:
        """Return the entries of the table's partitions in ``commits``."""
        return [
            {
                "source_table": self.table,
                "partition": partition,
                "seq_hi": end.highest.hi,
                "seq_lo": end.highest.lo,
                "source_micros": end.at,
            }
            for partition, end in self.partitions.items()
        ]


def latest_result(last: TableResult | None, now: TableResult) -> TableResult:
    """Return the later result: batches may be repeated, so progress never goes back."""
    if last is None or last.highest is None or now.highest is None:
        return now if last is None or now.highest else last
    times = [one.source_ts for one in (last, now) if one.source_ts]
    ends = {
        number: _latest_end(end, last.partitions.get(number, end))
        for number, end in now.partitions.items()
    }
    return replace(
        now,
        highest=max(last.highest, now.highest),
        source_ts=max(times, default=None),
        partitions={**last.partitions, **ends},
    )


def _latest_end(one: PartitionEnd, other: PartitionEnd) -> PartitionEnd:
    return PartitionEnd(max(one.highest, other.highest), max(one.at, other.at))
