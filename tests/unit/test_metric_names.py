"""Every attribute of the MBeans that Debezium documents is a metric, in its context."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from connector.capture.change import LeftOut, Progress, Row, RowChanges, SchemaChange, TableChange
from connector.capture.progress import Recovered
from connector.capture.snapshot_events import IncrementalProgress
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.data.schema import INT32, Schema, struct
from connector.metrics import WorkerMetrics
from connector.mysql.source_block import COORDINATES, source_schema
from connector.task.metrics import TaskMetrics

# The tables "Snapshot metrics", "Streaming metrics" and "Schema history metrics" of Debezium's
# documentation of the MySQL connector, versions 0.5 to 3.6.
SNAPSHOT: Final = """
LastEvent MilliSecondsSinceLastEvent TotalNumberOfEventsSeen NumberOfEventsFiltered CapturedTables
QueueTotalCapacity QueueRemainingCapacity TotalTableCount RemainingTableCount SnapshotRunning
SnapshotPaused SnapshotAborted SnapshotCompleted SnapshotSkipped SnapshotDurationInSeconds
SnapshotPausedDurationInSeconds RowsScanned MaxQueueSizeInBytes CurrentQueueSizeInBytes ChunkId
ChunkFrom ChunkTo TableFrom TableTo HoldingGlobalLock
"""
STREAMING: Final = """
LastEvent MilliSecondsSinceLastEvent TotalNumberOfEventsSeen TotalNumberOfCreateEventsSeen
TotalNumberOfUpdateEventsSeen TotalNumberOfDeleteEventsSeen NumberOfEventsFiltered CapturedTables
QueueTotalCapacity QueueRemainingCapacity Connected MilliSecondsBehindSource
NumberOfCommittedTransactions SourceEventPosition LastTransactionId MaxQueueSizeInBytes
CurrentQueueSizeInBytes BinlogFilename BinlogPosition IsGtidModeEnabled GtidSet
NumberOfSkippedEvents NumberOfDisconnects NumberOfRolledBackTransactions
NumberOfNotWellFormedTransactions NumberOfLargeTransactions NumberOfErroneousEvents
"""
HISTORY: Final = """
Status RecoveryStartTime ChangesRecovered ChangesApplied MilliSecondsSinceLastRecoveredChange
MilliSecondsSinceLastAppliedChange LastRecoveredChange LastAppliedChange
"""
ATTRIBUTES: Final = [
    (context, name)
    for context, names in (
        ("snapshot", SNAPSHOT),
        ("streaming", STREAMING),
        ("schema-history", HISTORY),
    )
    for name in names.split()
]
ORDERS: Final = TableId("shop", "orders")
SOURCE: Final = source_schema("mysql")


@dataclass(frozen=True)
class At:
    def to_offset(self) -> dict[str, Any]:
        return {"file": "binlog.000003", "pos": 154, "gtids": "a:1-5", "snapshot": None}


class Queue:
    capacity, queue_bytes, bytes_in_flight = 100, 16_000, 250

    def __len__(self) -> int:
        return 3


@dataclass
class Measured:
    captures: Callable[[TableId], bool] = lambda _: True
    database: str = "mysql"
    server: str = "srv"
    source_schema: Schema = SOURCE
    coordinates: tuple[str, ...] = COORDINATES


def source(**values: Any) -> Row:
    given = {"ts_ms": 1, "db": "shop", "file": "binlog.000003", "pos": 120, "row": 0, **values}
    return tuple(given.get(field.name) for field in SOURCE.fields)


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """The metrics of a task that has seen something of everything."""
    metrics = TaskMetrics()
    metrics.start_run(Measured(), Queue())
    metrics.captured_tables = lambda: [ORDERS]
    metrics.progress.holds_locks = True
    history = metrics.progress.history
    with history.recovering():
        history.record_recovery(Recovered(2, "ALTER shop.orders"))
    created = TableChange("CREATE", ORDERS, Table(ORDERS, ()))
    value = struct("v", ("id", INT32), optional=True)
    codec = TableEventSchema(Table(ORDERS, ()), "topic", None, value, value, (), ())
    secret: list[tuple[Row | None, Row | None]] = [(None, (4711,))]
    metrics.record_change(
        SchemaChange("CREATE", "shop", "CREATE TABLE 4711", (created,), source(snapshot="true"))
    )
    metrics.record_rows(
        [
            RowChanges(codec, "r", secret, source(snapshot="last")),
            RowChanges(codec, "c", secret, source(gtid="a:5", query="INSERT 4711")),
        ]
    )
    for change in (
        IncrementalProgress(("shop.orders",), 10, "chunk-1", "10", "20", "99"),
        LeftOut(filtered=7, skipped=2),
        Progress(At()),
    ):
        metrics.record_change(change)
    worker = WorkerMetrics()
    with worker.publish("orders", 0, metrics):
        text = worker.render().decode()
    return [sample for one in text_string_to_metric_families(text) for sample in one.samples]


def find(samples: list[Sample], context: str, name: str) -> list[Sample]:
    names = (f"debezium_metrics_{name}", f"debezium_metrics_{name}_info")
    return [one for one in samples if one.name in names and one.labels.get("context") == context]


@pytest.mark.parametrize(("context", "name"), ATTRIBUTES)
def test_each_documented_attribute_is_there(samples: list[Sample], context: str, name: str) -> None:
    [sample] = find(samples, context, name)
    assert sample.labels.items() >= {"plugin": "mysql", "name": "srv"}.items()


@pytest.mark.parametrize(
    ("context", "name", "value"),
    [
        ("snapshot", "LastEvent", "r shop.orders at file=binlog.000003, pos=120, row=0"),
        ("snapshot", "ChunkId", "chunk-1"),
        ("snapshot", "ChunkFrom", "10"),
        ("snapshot", "ChunkTo", "20"),
        ("snapshot", "TableTo", "99"),
        ("streaming", "LastEvent", "c shop.orders at gtid=a:5, file=binlog.000003, pos=120, row=0"),
        ("streaming", "LastTransactionId", "a:5"),
        ("streaming", "SourceEventPosition", "file=binlog.000003, pos=154"),
        ("streaming", "BinlogFilename", "binlog.000003"),
        ("streaming", "GtidSet", "a:1-5"),
        ("schema-history", "Status", "RUNNING"),
        ("schema-history", "LastRecoveredChange", "ALTER shop.orders"),
        ("schema-history", "LastAppliedChange", "CREATE shop.orders"),
    ],
)
def test_texts_are_labels(samples: list[Sample], context: str, name: str, value: str) -> None:
    [sample] = find(samples, context, name)
    assert (sample.labels["value"], sample.value) == (value, 1)


@pytest.mark.parametrize(
    ("context", "name", "value"),
    [
        ("snapshot", "HoldingGlobalLock", 1),
        ("streaming", "NumberOfEventsFiltered", 7),
        ("streaming", "NumberOfSkippedEvents", 2),
        ("streaming", "MaxQueueSizeInBytes", 16_000),
        ("streaming", "CurrentQueueSizeInBytes", 250),
    ],
)
def test_numbers(samples: list[Sample], context: str, name: str, value: float) -> None:
    [sample] = find(samples, context, name)
    assert sample.value == value


def test_no_value_of_a_row_is_in_a_metric(samples: list[Sample]) -> None:
    assert not [one for one in samples if "4711" in str(one)]
