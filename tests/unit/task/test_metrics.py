"""What a task notes of the changes that it handles."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from connector.capture.change import (
    LookAhead,
    Operation,
    Progress,
    Row,
    RowChanges,
    SchemaChange,
    TableChange,
    Truncated,
)
from connector.capture.snapshot_events import IncrementalProgress
from connector.capture.source_block import source_block
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.data.schema import INT32, Schema, struct
from connector.metric_definitions import STREAMING
from connector.task.metrics import TaskMetrics

SOURCE = source_block("acme")
VALUE = struct("v", ("id", INT32), optional=True)
ORDERS = TableId("shop", "orders")
SECRETS = TableId("shop", "secrets")


@dataclass(frozen=True)
class At:
    number: int = 1

    def to_offset(self) -> dict[str, Any]:
        return {"pos": self.number}


@dataclass
class Queue:
    """A queue of a given length."""

    capacity: int = 100
    length: int = 0
    queue_bytes: int = 1000
    bytes_in_flight: int = 0

    def __len__(self) -> int:
        return self.length


@dataclass
class Measured:
    """A capture of a database whose events have no coordinates."""

    captures: Callable[[TableId], bool] = lambda _: True
    database: str = "acme"
    server: str = "srv"
    source_schema: Schema = SOURCE
    coordinates: tuple[str, ...] = ()


@pytest.fixture
def metrics() -> TaskMetrics:
    made = TaskMetrics()
    made.start_run(Measured(lambda table: table != SECRETS), Queue())
    return made


def ago(milliseconds: int = 0) -> int:
    """Return the time so many milliseconds before this call: a suite may run for long."""
    return time.time_ns() // 1_000_000 - milliseconds


def source(milliseconds: int | None = None, mark: str | None = None) -> tuple[Any, ...]:
    given = {"ts_ms": ago() if milliseconds is None else milliseconds, "snapshot": mark}
    return tuple(given.get(field.name) for field in SOURCE.fields)


def rows(
    op: Operation,
    count: int,
    at: int | None = None,
    mark: str | None = None,
    table: TableId = ORDERS,
) -> RowChanges:
    codec = TableEventSchema(Table(table, ()), "topic", None, VALUE, VALUE, (), ())
    pairs: list[tuple[Row | None, Row | None]] = [(None, (number,)) for number in range(count)]
    return RowChanges(codec, op, pairs, source(at, mark))


def created(table: TableId) -> SchemaChange:
    change = TableChange("CREATE", table, Table(table, ()))
    return SchemaChange("CREATE", "shop", "CREATE …", (change,), source(mark="true"))


def test_rows_are_counted_by_what_happened_to_them(metrics: TaskMetrics) -> None:
    for op, count in (("c", 3), ("u", 2), ("d", 1)):
        metrics.record_rows([rows(op, count)])  # type: ignore[arg-type]
    metrics.record_change(Truncated(rows("c", 1).codec, source()))
    metrics.record_change(SchemaChange("ALTER", "shop", "ALTER …", (), source()))
    counts = metrics.streaming.counts
    assert [counts[op] for op in ("c", "u", "d", "t", "")] == [3, 2, 1, 1, 1]
    assert metrics.streaming.total == 8
    assert metrics.snapshot.total == 0


def test_a_snapshot_counts_its_tables_and_rows(metrics: TaskMetrics) -> None:
    for table in (ORDERS, SECRETS, TableId("shop", "empty")):
        metrics.record_change(created(table))
    assert {str(table) for table in metrics.tables} == {"shop.orders", "shop.empty"}
    assert metrics.remaining == metrics.tables
    metrics.record_rows([rows("r", 1, mark="first")])
    metrics.record_rows([rows("r", 5, mark="true")])
    assert ORDERS in metrics.remaining
    metrics.record_rows([rows("r", 1, mark="last_in_data_collection")])
    assert metrics.rows_scanned == {"shop.orders": 7}
    assert {str(table) for table in metrics.remaining} == {"shop.empty"}
    assert metrics.streaming.total == 0

    metrics.progress.begin_snapshot()
    metrics.progress.end_snapshot("completed")
    metrics.record_change(Progress(At()))
    assert metrics.remaining == set()
    assert metrics.snapshot.total == 10


def test_the_lag_is_that_of_the_last_event_until_nothing_is_left(metrics: TaskMetrics) -> None:
    metrics.progress.streaming = True
    assert metrics.behind_ms == -1
    metrics.record_rows([rows("c", 1, ago(60_000))])
    metrics.record_change(Progress(At(), in_transaction=True))
    assert 60_000 <= metrics.behind_ms < 90_000
    assert metrics.streaming.last_at > 0
    # rows of tables that are not captured: still the same lag
    metrics.record_change(Progress(At(), in_transaction=True))
    assert metrics.behind_ms >= 60_000
    metrics.record_change(Progress(At(), commits=1, committed_ms=ago(30_000)))
    assert 30_000 <= metrics.behind_ms < 60_000
    metrics.record_change(Progress(At(2)))
    assert metrics.behind_ms == 0
    assert metrics.position == At(2)
    assert metrics.transactions == 1


def test_statistics_of_the_lag(metrics: TaskMetrics) -> None:
    read = {definition.name: definition.read for definition in STREAMING}
    names = ["MinValue", "MaxValue", "AverageValue", "P50", "P95", "P99"]

    def statistics() -> list[float]:
        return [read[f"MilliSecondsBehindSource{name}"](metrics) for name in names]

    assert statistics() == [-1] * 6
    metrics.lags.extend([7])
    assert statistics() == [7] * 6
    metrics.lags.clear()
    metrics.lags.extend(range(100, 0, -1))
    assert statistics() == [1, 100, 50, 50, 95, 99]
    metrics.lags.extend([5] * 1000)
    assert statistics() == [5] * 6, "only the last thousand count"


def test_each_lag_of_the_stream_is_kept(metrics: TaskMetrics) -> None:
    metrics.progress.streaming = True
    metrics.record_rows([rows("r", 1, ago(60_000), mark="last")])
    metrics.record_change(Progress(At()))
    metrics.record_rows([rows("c", 1, ago(60_000))])
    metrics.record_change(Progress(At()))
    metrics.record_change(Progress(At(2)))
    assert list(metrics.lags) == [metrics.lags[0]]
    assert metrics.lags[0] >= 60_000


def test_transactions_that_were_held_are_counted(metrics: TaskMetrics) -> None:
    metrics.record_change(LookAhead(rolled_back=2, large=1))
    metrics.record_change(LookAhead(malformed=1, large=1))
    assert (metrics.rolled_back, metrics.malformed, metrics.large) == (2, 1, 2)


def test_a_transaction_of_tables_that_are_not_captured_is_no_event(metrics: TaskMetrics) -> None:
    metrics.record_change(Progress(At(), commits=3, committed_ms=ago(0)))
    assert metrics.transactions == 3
    assert (metrics.streaming.total, metrics.streaming.last_at) == (0, 0.0)


def test_a_snapshot_has_no_lag(metrics: TaskMetrics) -> None:
    metrics.record_rows([rows("r", 1, ago(60_000), mark="last")])
    metrics.record_change(Progress(At()))
    assert metrics.behind_ms == -1
    assert metrics.snapshot.last_at > 0


def test_counts_go_on_in_another_run(metrics: TaskMetrics) -> None:
    metrics.record_rows([rows("c", 3)])
    metrics.bytes_sent = 100
    another = Queue()
    metrics.start_run(Measured(), another)
    metrics.record_rows([rows("c", 3)])
    assert (metrics.streaming.total, metrics.bytes_sent) == (6, 100)
    assert metrics.queue is another


def test_pauses_of_incremental_snapshots_add_up(metrics: TaskMetrics) -> None:
    assert metrics.paused_seconds == 0
    for paused in (True, True, False, False):
        metrics.record_change(IncrementalProgress(("d.t",), paused=paused))
        assert metrics.incremental.paused is paused
    once = metrics.paused_seconds
    assert once > 0
    assert metrics.paused_seconds == once
    metrics.record_change(IncrementalProgress(("d.t",), paused=True))
    assert metrics.paused_seconds > once
