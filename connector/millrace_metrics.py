"""The metrics of a task that Debezium does not have, by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from connector.metric_definitions import MetricDefinition, TableMetricDefinition
from connector.task.metrics import TaskMetrics

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
        "records_skipped",
        "Records skipped because errors.tolerance is all.",
        lambda f: f.skipped,
        "counter",
    ),
    MetricDefinition(
        "ddl_statements_unparsed",
        "DDL statements that could not be parsed.",
        lambda f: f.unparsed,
        "counter",
    ),
    MetricDefinition(
        "table_definitions_resolved",
        "Definitions of tables that were resolved again.",
        lambda f: f.resolved,
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


def _native_columns(metrics: TaskMetrics) -> Iterator[tuple[tuple[str, ...], float]]:
    for table, context, native, python in metrics.native_columns():
        yield (table, context, "native"), native
        yield (table, context, "python"), python


OWN_BY_TABLE: Final = (
    TableMetricDefinition(
        "native_columns",
        "Columns of a table's events, by what reads and writes them: the native core or Python.",
        ("table", "context", "path"),
        _native_columns,
    ),
)
