"""The text attributes of Debezium's MBeans, by context: each is a metric with the text as label."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from connector.task.event_counts import EventCounts
from connector.task.metrics import TaskMetrics

MOST_TABLES: Final = 2000
_WITHOUT_GTIDS: Final = ("gtids", "snapshot")


@dataclass(frozen=True, slots=True)
class TextMetricDefinition:
    """One text attribute: its name, its help text, and how it is read; None if there is none."""

    name: str
    help: str
    read: Callable[[TaskMetrics], str | None]


def captured_tables(metrics: TaskMetrics) -> Iterator[str]:
    """Yield the names of the first captured tables."""
    return map(str, islice(sorted(metrics.captured_tables()), MOST_TABLES))


def _last_event(part: Callable[[TaskMetrics], EventCounts]) -> TextMetricDefinition:
    def read(metrics: TaskMetrics) -> str | None:
        last = part(metrics).last
        if last is None:
            return None
        return f"{last.operation} {last.about} at {_joined(metrics.coordinates(last.source))}"

    return TextMetricDefinition(
        "LastEvent", "Operation, table and position of the last event; no values of rows.", read
    )


def _transaction(metrics: TaskMetrics) -> str | None:
    last = metrics.streaming.last
    if last is None:
        return None
    at = metrics.coordinates(last.source)
    found = at.get("gtid") or _joined({key: at[key] for key in ("file", "pos") if key in at})
    return str(found)


def _offset(metrics: TaskMetrics) -> Mapping[str, Any]:
    return {} if metrics.position is None else metrics.position.to_offset()


def _of_offset(key: str) -> Callable[[TaskMetrics], str | None]:
    def read(metrics: TaskMetrics) -> str | None:
        found = _offset(metrics).get(key)
        return None if found is None else str(found)

    return read


def _position(metrics: TaskMetrics) -> str | None:
    at = {key: value for key, value in _offset(metrics).items() if key not in _WITHOUT_GTIDS}
    return _joined(at) or None


def _joined(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in values.items() if value is not None)


def _chunk(name: str, text: str, read: Callable[[TaskMetrics], str]) -> TextMetricDefinition:
    return TextMetricDefinition(
        name,
        f"{text} of the incremental snapshot that runs.",
        lambda metrics: read(metrics) if metrics.incremental.tables else None,
    )


SNAPSHOT_TEXTS: Final = (
    _last_event(lambda metrics: metrics.snapshot),
    _chunk("ChunkId", "Id of the present chunk", lambda f: f.incremental.chunk or ""),
    _chunk("ChunkFrom", "Key before the present chunk", lambda f: f.incremental.chunk_from),
    _chunk("ChunkTo", "Last key of the present chunk", lambda f: f.incremental.chunk_to),
    _chunk("TableFrom", "Empty, for a table is read from its first key: lower bound", lambda _: ""),
    _chunk("TableTo", "Highest key of the present table", lambda f: f.incremental.table_to),
)
STREAMING_TEXTS: Final = (
    _last_event(lambda metrics: metrics.streaming),
    TextMetricDefinition("SourceEventPosition", "Where a restart would read.", _position),
    TextMetricDefinition(
        "LastTransactionId",
        "GTID of the last event's transaction, or its position without GTIDs.",
        _transaction,
    ),
    TextMetricDefinition("BinlogFilename", "File that a restart would read.", _of_offset("file")),
    TextMetricDefinition("GtidSet", "Transactions that were read.", _of_offset("gtids")),
)
HISTORY_TEXTS: Final = (
    TextMetricDefinition(
        "Status",
        "RECOVERING while the history is read, then RUNNING; STOPPED before.",
        lambda f: f.progress.history.status,
    ),
    TextMetricDefinition(
        "LastRecoveredChange",
        "What the last record of the last recovery changed.",
        lambda f: f.progress.history.recovered_change or None,
    ),
    TextMetricDefinition(
        "LastAppliedChange",
        "The last change of tables, without the statement.",
        lambda f: f.progress.history.applied_change or None,
    ),
)
TEXTS: Final = {
    "snapshot": SNAPSHOT_TEXTS,
    "streaming": STREAMING_TEXTS,
    "schema-history": HISTORY_TEXTS,
}
