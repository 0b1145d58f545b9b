"""The metrics of a worker in Prometheus' text format. The only import of prometheus_client.

Debezium's metrics have the names that its example configuration of the JMX exporter gives them,
so that dashboards keep working: ``debezium_metrics_<attribute>`` with the labels ``plugin``
(mysql, mariadb), ``name`` (topic.prefix) and ``context``. Everything is read at the
request, and shown for as long as its connector or task exists.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    UnknownMetricFamily,
)
from prometheus_client.registry import Collector

from connector.errors import NotFoundError
from connector.task.metrics import EventCounts, TaskMetrics
from connector.version import VERSION
from connector.worker.rest_answers import RestAnswers
from connector.worker.rest_entities import ConnectorStateInfo

Read = Callable[[TaskMetrics], float]
Running = Mapping[tuple[str, int], TaskMetrics]


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """One metric of a task: its name, its help text, and how it is read."""

    name: str
    help: str
    read: Read
    kind: Literal["counter", "gauge"] = "gauge"


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


def _offset(metrics: TaskMetrics, key: str) -> object:
    return metrics.position.to_offset().get(key) if metrics.position is not None else None


QUEUE: Final = (
    MetricDefinition("QueueTotalCapacity", "Messages that the queue can hold.", _queue_size),
    MetricDefinition("QueueRemainingCapacity", "Messages for which it has room.", _queue_left),
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
        "SnapshotPaused",
        "1 when incremental snapshots are paused.",
        lambda f: f.incremental.paused,
    ),
    MetricDefinition(
        "SnapshotPausedDurationInSeconds",
        "Seconds that incremental snapshots were paused.",
        lambda f: f.paused_seconds,
    ),
    *QUEUE,
)
STREAMING: Final = (
    *_event_metrics(lambda metrics: metrics.streaming),
    MetricDefinition("Connected", "1 when the log is read.", lambda f: f.progress.streaming),
    MetricDefinition(
        "MilliSecondsBehindSource",
        "Milliseconds from the last event at the database to its capture, 0 when nothing is left.",
        lambda f: f.behind_ms,
    ),
    MetricDefinition(
        "NumberOfCommittedTransactions", "Transactions read.", lambda f: f.transactions
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
    *QUEUE,
)
CONTEXTS: Final = {"snapshot": SNAPSHOT, "streaming": STREAMING}
OWN: Final = (
    MetricDefinition("records", "Messages handed to the producer.", lambda f: f.records, "counter"),
    MetricDefinition(
        "bytes",
        "Bytes of the values handed to the producer, before compression.",
        lambda f: f.bytes_sent,
        "counter",
    ),
    MetricDefinition(
        "records_in_flight",
        "Messages that Kafka has not acknowledged.",
        lambda f: len(f.queue) if f.queue is not None else 0,
    ),
    MetricDefinition(
        "database_retries",
        "Faults of the database waited for.",
        lambda f: f.progress.faults,
        "counter",
    ),
    MetricDefinition(
        "kafka_retries",
        "Faults of Kafka waited for, and restarts of the task after one.",
        lambda f: f.kafka_faults + f.restarts,
        "counter",
    ),
    *(
        MetricDefinition(
            f"{cause}_unavailable",
            f"1 while the task waits for {text}.",
            lambda f, cause=cause: cause in f.faults,  # type: ignore[misc]  # mypy cannot infer a default
        )
        for cause, text in (
            ("database", "its database"),
            ("kafka", "Kafka to take messages"),
            ("history", "the Kafka cluster of its schema history, or for a topic"),
            ("offsets", "its offset to be stored"),
        )
    ),
    MetricDefinition(
        "records_passed_over",
        "Records left out because errors.tolerance is all.",
        lambda f: f.skipped,
        "counter",
    ),
    MetricDefinition(
        "ddl_statements_unread",
        "DDL statements that could not be read.",
        lambda f: f.unparsed,
        "counter",
    ),
    MetricDefinition(
        "table_definitions_repaired",
        "Definitions of tables that were found to be wrong and replaced.",
        lambda f: f.repaired,
        "counter",
    ),
    MetricDefinition(
        "incremental_snapshot_failed_tables",
        "Tables whose last incremental snapshot failed.",
        lambda f: len(f.failed_tables),
    ),
    MetricDefinition("offset_commits", "Offsets stored.", lambda f: f.commits, "counter"),
    MetricDefinition(
        "last_offset_commit_timestamp_seconds",
        "When the last offset was stored, 0 before any.",
        lambda f: f.committed_at,
    ),
)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int) else 0


class WorkerMetrics:
    """All metrics of one worker."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, int], TaskMetrics] = {}
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(TaskCollector(self._running))
        ProcessCollector(registry=self._registry)

    @contextmanager
    def publish(self, connector: str, task: int, metrics: object) -> Iterator[None]:
        """Publish the metrics of a capture task until the context ends; others are ignored."""
        if not isinstance(metrics, TaskMetrics):
            yield
            return
        self._running[connector, task] = metrics
        try:
            yield
        finally:
            # An abandoned task may end when its successor runs.
            if self._running.get((connector, task)) is metrics:
                del self._running[connector, task]

    def show_states(self, answers: RestAnswers) -> None:
        """Show the states of connectors and tasks from now on."""
        self._registry.register(StateCollector(answers))

    def render(self) -> bytes:
        """Return all metrics as text."""
        return generate_latest(self._registry)


class TaskCollector(Collector):
    """Reads the metrics of the tasks that run."""

    def __init__(self, running: Running) -> None:
        self._running = running

    def collect(self) -> Iterable[Metric]:
        """Return Debezium's metrics, then our own."""
        running = [item for item in dict(self._running).items() if item[1].database]
        yield from _debezium(running)
        for definition in OWN:
            family = _FAMILIES[definition.kind](
                f"millrace_{definition.name}", definition.help, labels=("connector", "task")
            )
            for (connector, task), metrics in running:
                family.add_metric((connector, str(task)), definition.read(metrics))
            yield family


class StateCollector(Collector):
    """Reads the states of connectors and tasks, so a deleted connector leaves nothing behind."""

    def __init__(self, answers: RestAnswers) -> None:
        self._answers = answers

    def collect(self) -> Iterable[Metric]:
        """Return a gauge for each connector and each task, with the state as a label."""
        worker = GaugeMetricFamily("millrace_info", "The version.", labels=("version",))
        worker.add_metric((VERSION,), 1)
        connectors = GaugeMetricFamily(
            "millrace_connector_state",
            "State of each connector: 1 for the state it is in.",
            labels=("connector", "state"),
        )
        tasks = GaugeMetricFamily(
            "millrace_task_state",
            "State of each task: 1 for the state it is in.",
            labels=("connector", "task", "state"),
        )
        for status in self._statuses():
            connectors.add_metric((status.name, status.connector.state), 1)
            for task in status.tasks:
                tasks.add_metric((status.name, str(task.id), task.state), 1)
        return worker, connectors, tasks

    def _statuses(self) -> Iterator[ConnectorStateInfo]:
        for name in self._answers.names():
            try:
                yield self._answers.status(name)
            except NotFoundError:  # deleted meanwhile
                continue


_FAMILIES: Final = {"counter": CounterMetricFamily, "gauge": GaugeMetricFamily}
_BY_TABLE: Final = {
    "RowsScanned": "Rows that a snapshot has read.",
    "TableChunkCounts": "Ranges of keys into which a table is split.",
    "TableChunksCompletedCounts": "Ranges of keys that are read.",
}
_LABELS: Final = ("plugin", "name", "context", "connector", "task")


def _debezium(running: list[tuple[tuple[str, int], TaskMetrics]]) -> Iterable[Metric]:
    """Return a family for each name, of both contexts where they share it."""
    families: dict[str, UnknownMetricFamily] = {}
    by_table = {key: _family(key, text, (*_LABELS, "table")) for key, text in _BY_TABLE.items()}
    for (connector, task), metrics in running:
        for context, table in CONTEXTS.items():
            labels = _labels(metrics, context, connector, task)
            for definition in table:
                if definition.name not in families:
                    families[definition.name] = _family(definition.name, definition.help, _LABELS)
                family = families[definition.name]
                family.add_sample(family.name, labels, definition.read(metrics))
        labels = _labels(metrics, "snapshot", connector, task)
        for name, table_name, value in _table_values(metrics):
            family = by_table[name]
            family.add_sample(family.name, {**labels, "table": table_name}, value)
    return *families.values(), *by_table.values()


def _table_values(metrics: TaskMetrics) -> Iterator[tuple[str, str, int]]:
    """Yield the metrics of the tables of a snapshot: metric, table, value."""
    for table, rows in dict(metrics.rows_scanned).items():
        yield "RowsScanned", table, rows
    for name, progress in dict(metrics.progress.tables.tables).items():
        if progress.chunks:
            yield "TableChunkCounts", str(name), progress.chunks
            yield "TableChunksCompletedCounts", str(name), progress.chunks_completed


def _labels(metrics: TaskMetrics, context: str, connector: str, task: int) -> dict[str, str]:
    """Return the labels of Debezium's metrics, with those that users add."""
    values = (metrics.database, metrics.server, context, connector, str(task))
    return {**metrics.tags, **dict(zip(_LABELS, values, strict=True))}


def _family(name: str, text: str, labels: tuple[str, ...]) -> UnknownMetricFamily:
    return UnknownMetricFamily(f"debezium_metrics_{name}", text, labels=labels)
