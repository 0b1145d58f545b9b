"""The metrics of one task: updated by its thread, read by any.

They are updated once for each change, which holds many rows, and never for each row; the clock is
read once for each batch.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from connector.capture.change import (
    Change,
    EventBatch,
    FailedTables,
    LeftOut,
    LookAhead,
    Position,
    Progress,
    Row,
    RowChanges,
    SchemaChange,
    Truncated,
)
from connector.capture.progress import CaptureProgress
from connector.capture.snapshot_events import IncrementalProgress
from connector.capture.tables import TableId
from connector.data.schema import Schema
from connector.native import NativeColumns
from connector.task.event_counts import EventCounts, LastEvent

_LAGS = 1000  # of which there are statistics
_LAST_OF_TABLE = frozenset(("last_in_data_collection", "last"))


class ProducerQueue(Protocol):
    """The queue of the producer; see `connector.kafka.producer.Producer`."""

    @property
    def capacity(self) -> int:
        """The most messages that may be in flight."""

    @property
    def queue_bytes(self) -> int:
        """The most bytes that may be in flight."""

    @property
    def bytes_in_flight(self) -> int:
        """The bytes that are in flight."""

    def __len__(self) -> int:
        """Return how many messages are in flight."""


class MeasuredCapture(Protocol):
    """What metrics have to know of a capture; see `connector.task.capture.Capture`."""

    @property
    def database(self) -> str:
        """The database's name."""

    @property
    def server(self) -> str:
        """The topic prefix."""

    @property
    def source_schema(self) -> Schema:
        """The schema of the source block."""

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The fields of the source block that say where an event stands."""

    @property
    def captures(self) -> Callable[[TableId], bool]:
        """Whether it captures a table."""


@dataclass(slots=True)
class TaskMetrics:
    """The metrics of one task; ``database`` is empty until its first run starts.

    ``unparsed`` counts DDL statements that could not be parsed, ``resolved`` table definitions
    that were wrong and were replaced. ``behind_ms`` is how old the last event was when it was
    read, -1 before any; it is 0 when nothing is left to read; ``lags`` are the last ones.
    ``rolled_back``, ``malformed`` and ``large`` count transactions, as `LookAhead` does;
    ``filtered`` and ``unreadable`` count events, as `LeftOut` does. ``tags`` are labels that users
    add.
    ``remaining`` are the tables whose rows are not all read; an empty table leaves it at the end
    of the snapshot. ``faults`` are the reasons why the task waits, by cause. ``failed_tables`` are
    those whose last incremental snapshot failed; ``incremental`` is the progress of the others.
    ``native_columns`` returns what the native core writes in the present run, ``captured_tables``
    the captured tables whose definitions are known.
    """

    database: str = ""
    server: str = ""
    progress: CaptureProgress = field(default_factory=CaptureProgress)
    snapshot: EventCounts = field(default_factory=EventCounts)
    streaming: EventCounts = field(default_factory=EventCounts)
    rows_scanned: dict[str, int] = field(default_factory=dict)
    tables: set[TableId] = field(default_factory=set)
    remaining: set[TableId] = field(default_factory=set)
    transactions: int = 0
    behind_ms: int = -1
    lags: deque[int] = field(default_factory=lambda: deque(maxlen=_LAGS))
    rolled_back: int = 0
    malformed: int = 0
    large: int = 0
    filtered: int = 0
    unreadable: int = 0
    position: Position | None = None
    records: int = 0
    bytes_sent: int = 0
    restarts: int = 0
    kafka_faults: int = 0
    faults: dict[str, str] = field(default_factory=dict)
    skipped: int = 0
    unparsed: int = 0
    resolved: int = 0
    commits: int = 0
    committed_at: float = 0.0
    queue: ProducerQueue | None = None
    failed_tables: frozenset[str] = frozenset()
    incremental: IncrementalProgress = field(default_factory=IncrementalProgress)
    tags: Mapping[str, str] = field(default_factory=dict)
    native_columns: Callable[[], Iterable[NativeColumns]] = tuple
    captured_tables: Callable[[], Iterable[TableId]] = tuple
    _paused_at: float = 0.0  # 0 if incremental snapshots are not paused
    _paused_seconds: float = 0.0
    _captures: Callable[[TableId], bool] = lambda _: True
    _time_slot: int = 0
    _mark_slot: int = 0
    _coordinates: tuple[tuple[str, int], ...] = ()
    _pending: EventCounts | None = None  # counts the events since the last progress
    _source_ms: int = 0  # the database's time of the last one

    def start_run(self, capture: MeasuredCapture, queue: ProducerQueue) -> None:
        """Start another run of the task; all counts continue."""
        names = [field.name for field in capture.source_schema.fields]
        self._time_slot, self._mark_slot = names.index("ts_ms"), names.index("snapshot")
        self._coordinates = tuple((name, names.index(name)) for name in capture.coordinates)
        self._captures = capture.captures
        self.database, self.server, self.queue = capture.database, capture.server, queue

    def ask(
        self,
        native_columns: Callable[[], Iterable[NativeColumns]],
        captured_tables: Callable[[], Iterable[TableId]],
    ) -> None:
        """Set what is asked of the present run when metrics are read."""
        self.native_columns, self.captured_tables = native_columns, captured_tables

    def record_change(self, change: Change) -> None:
        """Count a change that the source yields; `record_rows` counts changes of rows."""
        if isinstance(change, Progress):
            self._progress(change)
        elif isinstance(change, SchemaChange):
            self._schema(change)
        elif isinstance(change, Truncated):
            self._count_truncated(change)
        elif isinstance(change, FailedTables):
            self.failed_tables = frozenset(change.reasons)
        elif isinstance(change, IncrementalProgress):
            self._incremental(change)
        elif isinstance(change, LookAhead):
            self.rolled_back += change.rolled_back
            self.malformed += change.malformed
            self.large += change.large
        elif isinstance(change, LeftOut):
            self.filtered += change.filtered
            self.unreadable += change.skipped

    def record_rows(self, changes: Iterable[RowChanges] | EventBatch) -> None:
        """Count changes of rows."""
        if isinstance(changes, EventBatch):
            self._batch(changes)
            return
        for change in changes:
            self._rows(change)

    def coordinates(self, source: Row) -> dict[str, object]:
        """Return where an event is, by the names of its source block."""
        return {name: source[slot] for name, slot in self._coordinates if source[slot] is not None}

    @property
    def paused_seconds(self) -> float:
        """How long incremental snapshots were paused in all."""
        now = time.monotonic() - self._paused_at if self._paused_at else 0.0
        return self._paused_seconds + now

    def _incremental(self, change: IncrementalProgress) -> None:
        self.incremental = change
        if change.paused and not self._paused_at:
            self._paused_at = time.monotonic()
        elif not change.paused:
            self._paused_seconds, self._paused_at = self.paused_seconds, 0.0

    def record_skipped(self) -> None:
        """Count a record that was skipped, because ``errors.tolerance`` allows it."""
        self.skipped += 1

    def record_commit(self) -> None:
        """Count an offset that was stored."""
        self.commits += 1
        self.committed_at = time.time()

    def _rows(self, change: RowChanges) -> None:
        count, table = len(change.rows), change.codec.table.id
        if change.op != "r":
            self._count_streamed(change.op, count, change.source, table)
            return
        self._read("r", count, change.source, table)
        self.rows_scanned[str(table)] = self.rows_scanned.get(str(table), 0) + count
        if change.source[self._mark_slot] in _LAST_OF_TABLE:
            self.remaining.discard(table)

    def _batch(self, batch: EventBatch) -> None:
        for kind in batch.kinds:
            self.streaming.counts[kind.op] += kind.rows
        number, _, source = batch.events[-1]
        last = batch.kinds[number]
        self._count_streamed(last.op, 0, source, last.codec.table.id)

    def _count_truncated(self, change: Truncated) -> None:
        if change.source[self._mark_slot] is None:
            self._count_streamed("t", 1, change.source, change.codec.table.id)
        else:  # a table without rows
            self.remaining.discard(change.codec.table.id)

    def _commits(self, change: Progress[Position]) -> None:
        self.transactions += change.commits
        if self._pending is None or not change.in_transaction:
            self._source_ms = change.committed_ms
        self._pending = self._pending or EventCounts()  # perhaps of tables that are not captured

    def _schema(self, change: SchemaChange) -> None:
        self.progress.history.apply(
            ", ".join(f"{item.type} {item.id}" for item in change.changes)
            or f"a statement of {change.database}"
        )
        self.unparsed += change.cause == "unparsed"
        self.resolved += change.cause == "resolved"
        if change.source[self._mark_slot] is None:
            self._count_streamed("", 1, change.source, change.database)
            return
        self._read("", 1, change.source, change.database)
        created = (item.id for item in change.changes if item.type == "CREATE")
        found = set(filter(self._captures, created))
        self.tables |= found
        self.remaining |= found

    def _read(self, operation: str, count: int, source: Row, about: object) -> None:
        self._count(self.snapshot, operation, count, source, about)

    def _count_streamed(self, operation: str, count: int, source: Row, about: object) -> None:
        self._count(self.streaming, operation, count, source, about)
        self._source_ms = source[self._time_slot]

    def _count(
        self, part: EventCounts, operation: str, count: int, source: Row, about: object
    ) -> None:
        part.counts[operation] += count
        part.last = LastEvent(operation, about, source)
        self._pending = part

    def _progress(self, change: Progress[Position]) -> None:
        self.position = change.position
        if change.commits:
            self._commits(change)
        if self.progress.snapshot == "completed":
            self.remaining.clear()
        counts, self._pending = self._pending, None
        if counts is not None:
            counts.last_at = now = time.time()
            if counts is not self.snapshot:
                self.behind_ms = max(0, int(now * 1000) - self._source_ms)
                self.lags.append(self.behind_ms)
        elif self.progress.streaming and not change.in_transaction:
            self.behind_ms = 0  # the server sent only a heartbeat
