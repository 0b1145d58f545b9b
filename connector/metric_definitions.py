"""What a metric of a task is, and Debezium's metrics of each context by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from connector.task.event_counts import EventCounts
from connector.task.metrics import TaskMetrics

Read = Callable[[TaskMetrics], float]


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """One metric of a task: its name, its help text, and how it is read."""

    name: str
    help: str
    read: Read
    kind: Literal["counter", "gauge"] = "gauge"


@dataclass(frozen=True, slots=True)
class TableMetricDefinition:
    """A metric of the tables of a task: its name, its help text, its labels, and its values."""

    name: str
    help: str
    labels: tuple[str, ...]
    read: Callable[[TaskMetrics], Iterator[tuple[tuple[str, ...], float]]]
    kind: Literal["gauge"] = "gauge"


def _event_metrics(part: Callable[[TaskMetrics], EventCounts]) -> tuple[MetricDefinition, ...]:
    """Return the metrics that a snapshot and a stream both have."""
    kinds = {"Create": "c", "Update": "u", "Delete": "d"}
    return (
        MetricDefinition(
            "TotalNumberOfEventsSeen",
            "Events captured: rows, changes of the schema.",
            lambda metrics: part(metrics).total,
        ),
        *(
            MetricDefinition(
                f"TotalNumberOf{kind}EventsSeen",
                f"{kind} events captured.",
                lambda metrics, letter=letter: part(metrics).counts[letter],  # type: ignore[misc]  # mypy cannot infer a default
            )
            for kind, letter in kinds.items()
        ),
        MetricDefinition(
            "MilliSecondsSinceLastEvent",
            "Milliseconds since the last event, -1 before any.",
            lambda metrics: _milliseconds_since(part(metrics).last_at),
        ),
    )


def _milliseconds_since(moment: float) -> float:
    return round((time.time() - moment) * 1000) if moment else -1


def _queue_size(metrics: TaskMetrics) -> float:
    return 0 if metrics.queue is None else metrics.queue.capacity


def _queue_left(metrics: TaskMetrics) -> float:
    return 0 if metrics.queue is None else metrics.queue.capacity - len(metrics.queue)


def percentile(ordered: Sequence[int], percent: int) -> int:
    """Return the value that so many percent of some ordered ones do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _offset(metrics: TaskMetrics, key: str) -> object:
    return metrics.position.to_offset().get(key) if metrics.position is not None else None


# What both contexts have in common, in addition to their counts of events.
COMMON: Final = (
    MetricDefinition("QueueTotalCapacity", "Messages that the queue can hold.", _queue_size),
    MetricDefinition("QueueRemainingCapacity", "Messages for which it has room.", _queue_left),
    MetricDefinition(
        "MaxQueueSizeInBytes",
        "Bytes that the queue can hold.",
        lambda f: 0 if f.queue is None else f.queue.queue_bytes,
    ),
    MetricDefinition(
        "CurrentQueueSizeInBytes",
        "Bytes of the values in the queue.",
        lambda f: 0 if f.queue is None else f.queue.bytes_in_flight,
    ),
    MetricDefinition(
        "NumberOfEventsFiltered",
        "Events of the log with rows of tables that are not captured.",
        lambda f: f.filtered,
    ),
)
SNAPSHOT: Final = (
    *_event_metrics(lambda metrics: metrics.snapshot),
    MetricDefinition("TotalTableCount", "Tables of the snapshot.", lambda f: len(f.tables)),
    MetricDefinition("RemainingTableCount", "Tables still to be read.", lambda f: len(f.remaining)),
    *(
        MetricDefinition(
            f"Snapshot{state.capitalize()}",
            f"1 when the snapshot is {state}.",
            lambda f, state=state: f.progress.snapshot == state,  # type: ignore[misc]  # as above
        )
        for state in ("running", "completed", "aborted", "skipped")
    ),
    MetricDefinition(
        "SnapshotDurationInSeconds",
        "Seconds that the snapshot has taken.",
        lambda f: f.progress.snapshot_seconds,
    ),
    MetricDefinition(
        "HoldingGlobalLock",
        "1 while the snapshot holds locks that stop writers.",
        lambda f: f.progress.holds_locks,
    ),
    MetricDefinition(
        "SnapshotPaused",
        "1 when incremental snapshots are paused.",
        lambda f: f.incremental.paused,
    ),
    MetricDefinition(
        "SnapshotPausedDurationInSeconds",
        "Seconds that incremental snapshots were paused.",
        lambda f: f.paused_seconds,
    ),
    *COMMON,
)
STREAMING: Final = (
    *_event_metrics(lambda metrics: metrics.streaming),
    MetricDefinition("Connected", "1 when the log is read.", lambda f: f.progress.streaming),
    MetricDefinition(
        "MilliSecondsBehindSource",
        "Milliseconds from the last event at the database to its capture, 0 when nothing is left.",
        lambda f: f.behind_ms,
    ),
    *(
        MetricDefinition(
            f"MilliSecondsBehindSource{name}",
            f"The {text} of the last 1,000 values of MilliSecondsBehindSource, -1 before any.",
            lambda f, read=read: read(sorted(f.lags)) if f.lags else -1,  # type: ignore[misc]  # mypy cannot infer a default
        )
        for name, text, read in (
            ("MinValue", "least", lambda lags: lags[0]),
            ("MaxValue", "greatest", lambda lags: lags[-1]),
            ("AverageValue", "average", lambda lags: sum(lags) // len(lags)),
            ("P50", "median", lambda lags: percentile(lags, 50)),
            ("P95", "95th percentile", lambda lags: percentile(lags, 95)),
            ("P99", "99th percentile", lambda lags: percentile(lags, 99)),
        )
    ),
    MetricDefinition(
        "NumberOfCommittedTransactions", "Transactions read.", lambda f: f.transactions
    ),
    MetricDefinition(
        "NumberOfRolledBackTransactions",
        "Transactions in the log that were rolled back, and are not emitted.",
        lambda f: f.rolled_back,
    ),
    MetricDefinition(
        "NumberOfNotWellFormedTransactions",
        "Transactions without an end in the log.",
        lambda f: f.malformed,
    ),
    MetricDefinition(
        "NumberOfLargeTransactions",
        "Transactions that were held in a temporary file until their end.",
        lambda f: f.large,
    ),
    MetricDefinition(
        "NumberOfErroneousEvents",
        "Records skipped because errors.tolerance is all.",
        lambda f: f.skipped,
    ),
    MetricDefinition(
        "NumberOfSkippedEvents",
        "Events of the log that could not be read, and were left out.",
        lambda f: f.unreadable,
    ),
    MetricDefinition("NumberOfDisconnects", "Connections lost.", lambda f: f.progress.disconnects),
    MetricDefinition(
        "BinlogPosition", "Where a restart would read.", lambda f: _number(_offset(f, "pos"))
    ),
    MetricDefinition(
        "IsGtidModeEnabled",
        "1 when transactions have ids.",
        lambda f: _offset(f, "gtids") is not None,
    ),
    *COMMON,
)
HISTORY: Final = (
    MetricDefinition(
        "RecoveryStartTime",
        "When the last recovery began, in seconds since 1970; -1 before any.",
        lambda f: round(f.progress.history.recovery_began) or -1,
    ),
    MetricDefinition(
        "ChangesRecovered",
        "Records of the history that recoveries applied.",
        lambda f: f.progress.history.recovered,
    ),
    MetricDefinition(
        "ChangesApplied",
        "Changes of tables: of recoveries, snapshots and the log.",
        lambda f: f.progress.history.applied,
    ),
    MetricDefinition(
        "MilliSecondsSinceLastRecoveredChange",
        "Milliseconds since the last recovery with a change, -1 before any.",
        lambda f: _milliseconds_since(f.progress.history.last_recovered),
    ),
    MetricDefinition(
        "MilliSecondsSinceLastAppliedChange",
        "Milliseconds since the last change of a table, -1 before any.",
        lambda f: _milliseconds_since(f.progress.history.last_applied),
    ),
)
CONTEXTS: Final = {"snapshot": SNAPSHOT, "streaming": STREAMING, "schema-history": HISTORY}


def _number(value: object) -> float:
    return float(value) if isinstance(value, int) else 0
