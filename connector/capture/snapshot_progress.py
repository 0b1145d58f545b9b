"""How far a snapshot has come, table by table."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final, Literal

from connector.capture.snapshot_events import ChunkScan, SnapshotBegan, TableScan
from connector.capture.tables import TableId

log = logging.getLogger(__name__)

_LOG_INTERVAL: Final = 10.0  # seconds

TableSnapshotState = Literal["WAITING", "RUNNING", "COMPLETED"]
SnapshotKind = Literal["initial", "blocking"]


@dataclass(slots=True)
class TableProgress:
    """One table; ``estimate`` is the server's estimate of its rows, None if it has none.

    ``chunks`` is the number of ranges of keys into which it is split, 0 if tables are not.
    """

    estimate: int | None = None
    rows: int = 0
    state: TableSnapshotState = "WAITING"
    chunks: int = 0
    chunks_completed: int = 0

    @property
    def total(self) -> int | None:
        """The rows that are expected; at the end those that were read."""
        if self.state == "COMPLETED" or self.estimate is None:
            return self.rows if self.state == "COMPLETED" else None
        return max(self.estimate, self.rows)

    def report(self) -> dict[str, object]:
        """Return the progress for the REST API."""
        return {
            "state": self.state,
            "rows": self.rows,
            "total_rows": self.total,
            "percent": None if self.total is None else _percent(self.rows, self.total),
            **(
                {"chunks": self.chunks, "chunks_completed": self.chunks_completed}
                if self.chunks
                else {}
            ),
        }


class SnapshotProgress:
    """The tables of one snapshot. Its task updates it, any thread reads it.

    A line of the log shows the progress every ten seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._began = self._ended = self._next_line = 0.0
        self._rows_before = 0
        self.kind: SnapshotKind = "initial"
        self.tables: dict[TableId, TableProgress] = {}

    def begin(self, change: SnapshotBegan) -> None:
        """Begin a snapshot; one that is read again begins at zero, unless it is continued."""
        self._began = self._clock()
        self._ended = 0.0
        self._next_line = self._began + _LOG_INTERVAL
        self.tables = {
            table: TableProgress(estimate, change.rows.get(table, 0))
            for table, estimate in change.estimates.items()
        }
        self._rows_before = self.rows

    def scan(self, step: TableScan) -> None:
        """Record the start or the end of a table; one that was altered starts again."""
        state: TableSnapshotState = "RUNNING" if step.rows is None else "COMPLETED"
        before = self.tables.get(step.table, TableProgress())
        chunks = step.chunks or (before.chunks if state == "COMPLETED" else 0)
        completed = chunks if state == "COMPLETED" else 0
        self.tables[step.table] = TableProgress(
            before.estimate, step.rows or 0, state, chunks, completed
        )

    def scan_chunk(self, step: ChunkScan) -> None:
        """Count a range of keys that is read."""
        if step.table in self.tables:
            self.tables[step.table].chunks_completed += step.is_complete

    def read(self, table: TableId, rows: int) -> None:
        """Count rows; the end of a table has counted all of them, also those held back."""
        found = self.tables.get(table)
        if found is None or found.state == "COMPLETED":
            return
        found.rows += rows
        found.state = "RUNNING"
        now = self._clock()
        if now >= self._next_line:
            self._next_line = now + _LOG_INTERVAL
            log.info("%s; reading %s", self, table)

    def end(self) -> None:
        """Record the end; a table that was not read was dropped meanwhile."""
        self._ended = self._clock()
        for table in self.tables.values():
            table.state = "COMPLETED"

    @property
    def rows(self) -> int:
        """The rows that were read."""
        return sum(table.rows for table in list(self.tables.values()))

    @property
    def total(self) -> int | None:
        """The rows that are expected in all; None if that of a table is unknown."""
        totals = [table.total for table in list(self.tables.values())]
        known = [total for total in totals if total is not None]
        return sum(known) if len(known) == len(totals) else None

    @property
    def seconds(self) -> float:
        """How long the rows have been read, or took."""
        return (self._ended or self._clock()) - self._began if self._began else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the other rows will take at the mean speed; None if that is unknown."""
        rows, total, read = self.rows, self.total, self.rows - self._rows_before
        return None if total is None or not read else (total - rows) * self.seconds / read

    def report(self) -> dict[str, object]:
        """Return the progress for the REST API."""
        rows, total, left = self.rows, self.total, self.seconds_left
        tables = dict(self.tables)
        completed = all(table.state == "COMPLETED" for table in tables.values())
        return {
            "type": self.kind,
            "state": "COMPLETED" if completed else "RUNNING",
            "rows": rows,
            "total_rows": total,
            "percent": None if total is None else _percent(rows, total),
            "seconds": round(self.seconds, 1),
            "seconds_left": None if left is None else round(left, 1),
            "tables": [{"table": str(name), **table.report()} for name, table in tables.items()],
        }

    def __str__(self) -> str:
        completed = sum(table.state == "COMPLETED" for table in self.tables.values())
        rows, total, left = self.rows, self.total, self.seconds_left
        share = f" of about {total} ({_percent(rows, total)} %)" if total else ""
        text = f"Snapshot: {completed} of {len(self.tables)} tables, {rows} rows{share}"
        text += f", {(rows - self._rows_before) / max(self.seconds, 0.001):.0f} rows/s"
        return text if left is None else f"{text}, about {left:.0f} s left"


def _percent(rows: int, total: int) -> int:
    return rows * 100 // total if total else 100
