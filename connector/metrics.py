"""The metrics of a worker in Prometheus' text format. The only import of prometheus_client.

Debezium's metrics have the names that its example configuration of the JMX exporter gives them,
so that dashboards keep working: ``debezium_metrics_<attribute>`` with the labels ``plugin``
(mysql, mariadb), ``name`` (topic.prefix) and ``context``. Text attributes, which the exporter
drops, are labels of ``debezium_metrics_<attribute>_info``. Everything is read at the request, and
shown for as long as its connector or task exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    UnknownMetricFamily,
)
from prometheus_client.registry import Collector

from connector.errors import NotFoundError
from connector.metric_definitions import CONTEXTS
from connector.metric_texts import TEXTS, captured_tables
from connector.millrace_metrics import OWN, OWN_BY_TABLE
from connector.task.metrics import TaskMetrics
from connector.version import VERSION
from connector.worker.rest_answers import RestAnswers
from connector.worker.rest_entities import ConnectorStateInfo

Running = Mapping[tuple[str, int], TaskMetrics]


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
        for by_table in OWN_BY_TABLE:
            labels = ("connector", "task", *by_table.labels)
            family = GaugeMetricFamily(f"millrace_{by_table.name}", by_table.help, labels=labels)
            for (connector, task), metrics in running:
                for values, number in by_table.read(metrics):
                    family.add_metric((connector, str(task), *values), number)
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
    return *families.values(), *by_table.values(), *_texts(running)


def _texts(running: list[tuple[tuple[str, int], TaskMetrics]]) -> Iterable[Metric]:
    """Return the families of text attributes, each with the text as a label."""
    tables = _family("CapturedTables_info", "Captured tables.", (*_LABELS, "table"))
    families = {tables.name: tables}
    for (connector, task), metrics in running:
        for context, texts in TEXTS.items():
            labels = _labels(metrics, context, connector, task)
            for definition in texts:
                family = _family(f"{definition.name}_info", definition.help, (*_LABELS, "value"))
                family = families.setdefault(family.name, family)
                text = definition.read(metrics)
                if text is not None:
                    family.add_sample(family.name, {**labels, "value": text}, 1)
        for context in ("snapshot", "streaming"):
            labels = _labels(metrics, context, connector, task)
            for table in captured_tables(metrics):
                tables.add_sample(tables.name, {**labels, "table": table}, 1)
    return families.values()


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
