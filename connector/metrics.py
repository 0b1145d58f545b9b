"""The figures of a worker in Prometheus' text format. The only import of prometheus_client.

Debezium's figures have the names that its example configuration of the JMX exporter gives them,
so that dashboards keep working: ``debezium_metrics_<attribute>`` with the labels ``plugin``
(mysql, mariadb), ``name`` (topic.prefix) and ``context``. Everything is read when it is asked
for, and shown for as long as its connector or task is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
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
from connector.task.metrics import Figures, Seen
from connector.version import VERSION
from connector.worker.rest_answers import Views
from connector.worker.rest_entities import ConnectorStateInfo

Read = Callable[[Figures], float]
Running = Mapping[tuple[str, int], Figures]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a task: its name, what it says, and how it is read."""

    name: str
    help: str
    read: Read
    kind: Literal["counter", "gauge"] = "gauge"


def _seen(part: Callable[[Figures], Seen]) -> tuple[Figure, ...]:
    """Return the figures that a snapshot and a stream both have."""
    kinds = {"Create": "c", "Update": "u", "Delete": "d"}
    return (
        Figure(
            "TotalNumberOfEventsSeen",
            "Events captured: rows, changes of the schema.",
            lambda figures: part(figures).total,
        ),
        *(
            Figure(
                f"TotalNumberOf{kind}EventsSeen",
                f"{kind} events captured.",
                lambda figures, letter=letter: part(figures).counts[letter],  # type: ignore[misc]  # mypy cannot infer a default
            )
            for kind, letter in kinds.items()
        ),
        Figure(
            "MilliSecondsSinceLastEvent",
            "Milliseconds since the last event, -1 before any.",
            lambda figures: _since(part(figures).last_at),
        ),
    )


def _since(moment: float) -> float:
    return round((time.time() - moment) * 1000) if moment else -1


def _queue_left(figures: Figures) -> float:
    return figures.outlet.capacity - len(figures.outlet) if figures.outlet is not None else 0


def _offset(figures: Figures, key: str) -> object:
    return figures.position.to_offset().get(key) if figures.position is not None else None


SNAPSHOT: Final = (
    *_seen(lambda figures: figures.snapshot),
    Figure("TotalTableCount", "Tables of the snapshot.", lambda f: len(f.tables)),
    Figure("RemainingTableCount", "Tables still to be read.", lambda f: len(f.remaining)),
    *(
        Figure(
            f"Snapshot{state.capitalize()}",
            f"1 when the snapshot is {state}.",
            lambda f, state=state: f.course.snapshot == state,  # type: ignore[misc]  # as above
        )
        for state in ("running", "completed", "aborted", "skipped")
    ),
    Figure(
        "SnapshotDurationInSeconds",
        "Seconds that the snapshot has taken.",
        lambda f: f.course.snapshot_seconds,
    ),
)
STREAMING: Final = (
    *_seen(lambda figures: figures.streaming),
    Figure("Connected", "1 when the log is read.", lambda f: f.course.streaming),
    Figure(
        "MilliSecondsBehindSource",
        "Milliseconds from the last event at the database to its capture, 0 when nothing is left.",
        lambda f: f.behind_ms,
    ),
    Figure("NumberOfCommittedTransactions", "Transactions read.", lambda f: f.transactions),
    Figure("NumberOfDisconnects", "Connections lost.", lambda f: f.course.disconnects),
    Figure("BinlogPosition", "Where a restart would read.", lambda f: _number(_offset(f, "pos"))),
    Figure(
        "IsGtidModeEnabled",
        "1 when transactions have ids.",
        lambda f: _offset(f, "gtids") is not None,
    ),
    Figure(
        "QueueTotalCapacity",
        "Messages that the producer's queue can hold.",
        lambda f: f.outlet.capacity if f.outlet is not None else 0,
    ),
    Figure("QueueRemainingCapacity", "Messages for which it has room.", _queue_left),
)
CONTEXTS: Final = {"snapshot": SNAPSHOT, "streaming": STREAMING}
OWN: Final = (
    Figure("records", "Messages handed to the producer.", lambda f: f.records, "counter"),
    Figure(
        "bytes",
        "Bytes of the values handed to the producer, before compression.",
        lambda f: f.bytes_sent,
        "counter",
    ),
    Figure(
        "records_in_flight",
        "Messages that Kafka has not acknowledged.",
        lambda f: len(f.outlet) if f.outlet is not None else 0,
    ),
    Figure(
        "database_retries",
        "Faults of the database waited for.",
        lambda f: f.course.faults,
        "counter",
    ),
    Figure(
        "kafka_retries",
        "Faults of Kafka waited for, and restarts of the task after one.",
        lambda f: f.kafka_faults + f.restarts,
        "counter",
    ),
    *(
        Figure(
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
    Figure(
        "records_passed_over",
        "Records left out because errors.tolerance is all.",
        lambda f: f.skipped,
        "counter",
    ),
    Figure(
        "ddl_statements_unread",
        "DDL statements that could not be read.",
        lambda f: f.unread,
        "counter",
    ),
    Figure(
        "table_definitions_repaired",
        "Definitions of tables that were found to be wrong and replaced.",
        lambda f: f.repaired,
        "counter",
    ),
    Figure("offset_commits", "Offsets stored.", lambda f: f.commits, "counter"),
    Figure(
        "last_offset_commit_timestamp_seconds",
        "When the last offset was stored, 0 before any.",
        lambda f: f.committed_at,
    ),
)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int) else 0


class Metrics:
    """All figures of one worker."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, int], Figures] = {}
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(TaskCollector(self._running))
        ProcessCollector(registry=self._registry)

    def task(
        self, connector: str, number: int
    ) -> Callable[[Figures], AbstractContextManager[None]]:
        """Return what shows the figures of a task as long as its context lasts."""

        @contextmanager
        def publish(figures: Figures) -> Iterator[None]:
            self._running[connector, number] = figures
            try:
                yield
            finally:
                # A task that was given up may end when its successor runs.
                if self._running.get((connector, number)) is figures:
                    del self._running[connector, number]

        return publish

    def show_states(self, views: Views) -> None:
        """Show the states of connectors and tasks from now on."""
        self._registry.register(StateCollector(views))

    def render(self) -> bytes:
        """Return all figures as text."""
        return generate_latest(self._registry)


class TaskCollector(Collector):
    """Reads the figures of the tasks that run."""

    def __init__(self, running: Running) -> None:
        self._running = running

    def collect(self) -> Iterable[Metric]:
        """Return Debezium's figures, then our own."""
        running = [item for item in dict(self._running).items() if item[1].connector]
        yield from _debezium(running)
        for figure in OWN:
            family = _FAMILIES[figure.kind](
                f"millrace_{figure.name}", figure.help, labels=("connector", "task")
            )
            for (connector, task), figures in running:
                family.add_metric((connector, str(task)), figure.read(figures))
            yield family


class StateCollector(Collector):
    """Reads the states of connectors and tasks, so a deleted connector leaves nothing behind."""

    def __init__(self, views: Views) -> None:
        self._views = views

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
        for name in self._views.names():
            try:
                yield self._views.status(name)
            except NotFoundError:  # deleted meanwhile
                continue


_FAMILIES: Final = {"counter": CounterMetricFamily, "gauge": GaugeMetricFamily}
_LABELS: Final = ("plugin", "name", "context", "connector", "task")


def _debezium(running: list[tuple[tuple[str, int], Figures]]) -> Iterable[Metric]:
    """Return a family for each name, of both contexts where they share it."""
    families: dict[str, UnknownMetricFamily] = {}
    scanned = _family("RowsScanned", "Rows that a snapshot has read.", (*_LABELS, "table"))
    for (connector, task), figures in running:
        for context, table in CONTEXTS.items():
            labels = _labels(figures, context, connector, task)
            for figure in table:
                if figure.name not in families:
                    families[figure.name] = _family(figure.name, figure.help, _LABELS)
                family = families[figure.name]
                family.add_sample(family.name, labels, figure.read(figures))
        labels = _labels(figures, "snapshot", connector, task)
        for name, rows in dict(figures.rows_scanned).items():
            scanned.add_sample(scanned.name, {**labels, "table": name}, rows)
    return *families.values(), scanned


def _labels(figures: Figures, context: str, connector: str, task: int) -> dict[str, str]:
    """Return the labels of Debezium's figures, with those that users add."""
    values = (figures.connector, figures.server, context, connector, str(task))
    return {**figures.tags, **dict(zip(_LABELS, values, strict=True))}


def _family(name: str, text: str, labels: tuple[str, ...]) -> UnknownMetricFamily:
    return UnknownMetricFamily(f"debezium_metrics_{name}", text, labels=labels)
