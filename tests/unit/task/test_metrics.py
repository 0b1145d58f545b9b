"""What a task notes of the changes that it handles."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import pytest

from connector.capture.change import (
    Operation,
    Progress,
    Row,
    RowChanges,
    SchemaChange,
    TableChange,
    Truncated,
)
from connector.capture.source_block import source_block
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.data.schema import INT32, struct
from connector.task.metrics import Figures

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
    """An outlet with as many messages as wanted."""

    capacity: int = 100
    length: int = 0

    def __len__(self) -> int:
        return self.length


@pytest.fixture
def figures() -> Figures:
    made = Figures()
    made.begin("acme", "srv", SOURCE, lambda table: table != SECRETS, Queue())
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


def test_rows_are_counted_by_what_happened_to_them(figures: Figures) -> None:
    for op, count in (("c", 3), ("u", 2), ("d", 1)):
        figures.note(rows(op, count))  # type: ignore[arg-type]
    figures.note(Truncated(rows("c", 1).codec, source()))
    figures.note(SchemaChange("ALTER", "shop", "ALTER …", (), source()))
    counts = figures.streaming.counts
    assert [counts[op] for op in ("c", "u", "d", "t", "")] == [3, 2, 1, 1, 1]
    assert figures.streaming.total == 8
    assert figures.snapshot.total == 0


def test_a_snapshot_counts_its_tables_and_rows(figures: Figures) -> None:
    for table in (ORDERS, SECRETS, TableId("shop", "empty")):
        figures.note(created(table))
    assert {str(table) for table in figures.tables} == {"shop.orders", "shop.empty"}
    assert figures.remaining == figures.tables
    figures.note(rows("r", 1, mark="first"))
    figures.note(rows("r", 5, mark="true"))
    assert ORDERS in figures.remaining
    figures.note(rows("r", 1, mark="last_in_data_collection"))
    assert figures.rows_scanned == {"shop.orders": 7}
    assert {str(table) for table in figures.remaining} == {"shop.empty"}
    assert figures.streaming.total == 0

    figures.course.begin_snapshot()
    figures.course.end_snapshot("completed")
    figures.note(Progress(At()))
    assert figures.remaining == set()
    assert figures.snapshot.total == 10


def test_the_lag_is_that_of_the_last_event_until_nothing_is_left(figures: Figures) -> None:
    figures.course.streaming = True
    assert figures.behind_ms == -1
    figures.note(rows("c", 1, ago(60_000)))
    figures.note(Progress(At(), in_transaction=True))
    assert 60_000 <= figures.behind_ms < 90_000
    assert figures.streaming.last_at > 0
    # rows of tables that are not captured: still the same lag
    figures.note(Progress(At(), in_transaction=True))
    assert figures.behind_ms >= 60_000
    figures.note(Progress(At(), commits=1, committed_ms=ago(30_000)))
    assert 30_000 <= figures.behind_ms < 60_000
    figures.note(Progress(At(2)))
    assert figures.behind_ms == 0
    assert figures.position == At(2)
    assert figures.transactions == 1


def test_a_transaction_of_tables_that_are_not_captured_is_no_event(figures: Figures) -> None:
    figures.note(Progress(At(), commits=3, committed_ms=ago(0)))
    assert figures.transactions == 3
    assert (figures.streaming.total, figures.streaming.last_at) == (0, 0.0)


def test_a_snapshot_has_no_lag(figures: Figures) -> None:
    figures.note(rows("r", 1, ago(60_000), mark="last"))
    figures.note(Progress(At()))
    assert figures.behind_ms == -1
    assert figures.snapshot.last_at > 0


def test_counts_go_on_in_another_run(figures: Figures) -> None:
    figures.note(rows("c", 3))
    figures.bytes_sent = 100
    another = Queue()
    figures.begin("acme", "srv", SOURCE, lambda _: True, another)
    figures.note(rows("c", 3))
    assert (figures.streaming.total, figures.bytes_sent) == (6, 100)
    assert figures.outlet is another
