"""Statements that remove rows without a message: the mirror follows them, or is said to differ."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake
from tests.fixtures.sink.defined import defined
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows
from tests.sink.test_streaming import ONCE, record

COLUMNS = [field("id", "int32")]
ICEBERG = {"target": {"format": "iceberg"}}  # which takes a third of the time
DDL: dict[str, Any] = {"source": {"ddl.topic": "srv"}, **ICEBERG}


def write_statements(tmp_path: Path, *statements: tuple[int, str]) -> None:
    """Let the schema-change topic hold statements, at their positions."""
    lines = []
    for offset, (pos, ddl) in enumerate(statements):
        kind, name = ddl.split()[0], ddl.split()[2]
        if kind == "RENAME":
            kind, name = "ALTER", ddl.split()[-1]
        table = {"columns": [{"name": "id", "typeName": "INT"}], "primaryKeyColumnNames": ["id"]}
        named = {"type": kind, "id": f'"shop"."{name}"'}
        change = {**named, "table": table if kind != "DROP" else None}
        source = {"file": "bin.000001", "pos": pos, "ts_ms": 1_700_000_000_000}
        value = {"ddl": ddl, "source": source, "tableChanges": [change]}
        lines.append({"topic": "srv", "partition": 0, "offset": offset, "value": json.dumps(value)})
    record(tmp_path, "ddl.json", *lines)


AGAIN = ((5, "CREATE TABLE orders (…)"), (50, "DROP TABLE orders"), (60, "CREATE TABLE orders (…)"))
RENAMED = (AGAIN[0], (50, "RENAME TABLE orders TO former"), AGAIN[2])


def insert(topic: Topic, pos: int, key: int) -> Row:
    return topic.change("c", pos, None, {"id": key})


@pytest.mark.parametrize(
    ("kind", "statements"),
    [
        ("rows", AGAIN),
        pytest.param("rows", RENAMED, marks=pytest.mark.slow),
        pytest.param("versions", AGAIN, marks=pytest.mark.slow),
    ],
)
def test_a_table_that_was_created_again_and_is_empty_becomes_empty(
    sink: MakeSink, spark: Any, tmp_path: Path, kind: str, statements: tuple[tuple[int, str], ...]
) -> None:
    given = {**DDL, **({"mirror": {"scd": 2}} if kind == "versions" else {})}
    orders, items = Topic(columns=COLUMNS), Topic("srv.shop.items", COLUMNS)
    write_statements(tmp_path, *AGAIN[:1])
    first = [insert(orders, 10, 1), insert(orders, 11, 2), insert(items, 12, 1)]
    sink(**given).batches.apply(frame(spark, first), "app", 0)
    write_statements(tmp_path, *statements)
    made = sink(**given)  # another process
    done = made.batches.apply(frame(spark, [insert(items, 70, 2)]), "app", 1)
    found = made.lake.table("shop__orders").read()
    assert found.where("__current" if kind == "versions" else "true").count() == 0
    assert {one.table: one.swept for one in done} == {"shop.orders": True, "shop.items": False}
    late, fresh = insert(orders, 40, 3), insert(orders, 80, 4)
    made.batches.apply(frame(spark, [late, fresh]), "app", 2)
    current = found.where("__current" if kind == "versions" else "true")
    assert [row["id"] for row in current.collect()] == [4]
    assert len(rows(made, "shop__items", "id")) == 2


@pytest.mark.slow
def test_a_statement_is_followed_although_no_message_comes(sink: MakeSink, tmp_path: Path) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415

    write_statements(tmp_path, *AGAIN[:1])
    record(tmp_path, "0.json", insert(Topic(columns=COLUMNS), 10, 1))
    run(sink(**DDL), ONCE)
    write_statements(tmp_path, *AGAIN)
    made = sink(**DDL)
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == []
    run(made, ONCE)
    assert len(rows(made, "_cdc/commits", "app")) == 2  # a batch, and the statement


@pytest.mark.slow
def test_a_cut_waits_for_what_came_before_a_statement(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    from sparksink.state.snapshots import ReadProgress  # noqa: PLC0415

    given = {"source": {"ddl.topic": "srv", "transaction.topic": "srv.transaction"}, **ICEBERG}
    orders = Topic(columns=COLUMNS)
    made = sink(**given)
    write_statements(tmp_path, *AGAIN[:1])
    made.batches.apply(frame(spark, [insert(orders, 10, 1)]), "app", 0, cut=True)
    write_statements(tmp_path, *AGAIN)
    for batch, reached in enumerate((5, 9), 1):
        ends = {"srv.shop.items": {"0": reached}}
        progress = ReadProgress(ends, lambda: {"srv.shop.items": {"0": 9}})
        made.batches.apply(frame(spark, []), "app", batch, cut=True, progress=progress)
    found = made.state.table("commits").read().where("app = 'app'").orderBy("batch")
    assert [row["consistent"] for row in found.collect()] == [True, False, True]


def test_rows_that_went_with_partitions_are_reported_until_a_snapshot(
    sink: MakeSink, spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sparksink.commands.subcommands import status  # noqa: PLC0415
    from sparksink.status.metrics import SinkMetrics  # noqa: PLC0415

    def reports() -> tuple[str, str, str]:
        made = sink(**DDL)
        status(made, Namespace())
        metrics = SinkMetrics(None)
        metrics.start(made.state.table_results(), made.state.parked_tables(), made.state.gaps())
        found = [metrics.page(path) for path in ("/healthz", "/metrics")]
        assert found[0] is not None
        assert found[1] is not None
        assert found[0][0] == "200 OK"
        return capsys.readouterr().out, found[0][1].decode(), found[1][1].decode()

    topic = Topic(columns=COLUMNS)
    write_statements(tmp_path, *AGAIN[:1], (50, "ALTER TABLE orders DROP PARTITION p0"))
    made = sink(**DDL)
    made.batches.apply(frame(spark, [insert(topic, 10, 1)]), "app", 0)
    table, health, metrics = reports()
    assert "diverged: a statement changed rows without events, take a new snapshot" in table
    assert health.startswith("ok\nshop.orders: diverged")
    assert 'sparksink_diverged{table="shop.orders"} 1.0' in metrics
    assert 'sparksink_lacks_messages{table="shop.orders"} 0.0' in metrics
    before = topic.change("r", 40, None, {"id": 2}, snapshot="last")
    made.batches.apply(frame(spark, [before]), "app", 1)
    assert list(made.state.gaps()) == ["shop.orders"]  # of a time before the statement
    behind = topic.change("r", 60, None, {"id": 2}, snapshot="last")
    made.batches.apply(frame(spark, [behind]), "app", 2)
    assert rows(made, "shop__orders", "id") == [(2,)]
    table, health, metrics = reports()
    assert "diverged" not in table
    assert health == "ok\n"


@pytest.mark.slow
def test_statements_on_tables_that_are_not_read_end_no_cuts(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    write_statements(
        tmp_path, *AGAIN[:1], (20, "ALTER TABLE other DROP PARTITION p0"),
        (30, "RENAME TABLE orders TO _orders_del"), (30, "RENAME TABLE _orders_gho TO orders"),
    )  # fmt: skip
    made = sink(**DDL)
    topic = Topic(columns=COLUMNS)
    made.batches.apply(frame(spark, [insert(topic, 10, 1), insert(topic, 40, 2)]), "app", 0)
    assert made.state.gaps() == {}
    assert not made.state.lacks_messages
    assert rows(made, "shop__orders", "id") == [(1,), (2,)]
    renamed = (50, "DROP TABLE orders"), (60, "RENAME TABLE other TO orders")
    write_statements(tmp_path, *[(1, "CREATE TABLE x (…)")] * 4, *renamed)
    made.batches.apply(frame(spark, [insert(topic, 70, 3)]), "app", 1)
    assert list(made.state.gaps()) == ["shop.orders"]  # the rows of the other table are missing


def test_values_that_the_source_computed_are_reported_until_a_snapshot(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    def follow(*statements: str) -> None:
        lines = [
            {"topic": "srv", "partition": 0, "offset": number, "value": json.dumps(one)}
            for number, one in enumerate(defined(*statements))
        ]
        record(tmp_path, "ddl.json", *lines)

    made, topic = sink(**DDL), Topic(columns=COLUMNS)
    created = "CREATE TABLE orders (id INT PRIMARY KEY)"
    known = "ALTER TABLE orders ADD n INT NOT NULL DEFAULT 7"
    computed = "ALTER TABLE orders ADD at DATETIME DEFAULT CURRENT_TIMESTAMP"
    follow(created, known)
    made.batches.apply(frame(spark, [insert(topic, 15, 1)]), "app", 0)
    assert made.state.gaps() == {}
    follow(created, known, computed, "ALTER TABLE orders ADD s VARCHAR(9)")
    made.batches.apply(frame(spark, [insert(topic, 35, 2)]), "app", 1)
    reason = (
        "diverged: ADD COLUMN at with DEFAULT CURRENT_TIMESTAMP changed rows without events,"
        " take a new snapshot"
    )
    assert made.state.gaps() == {"shop.orders": reason}
    again = sink(**DDL)  # another process, which reads all statements again
    again.batches.apply(frame(spark, [insert(topic, 36, 3)]), "app", 2)
    assert again.state.gaps() == {"shop.orders": reason}
    assert len(rows(again, "_cdc/gaps", "expected")) == 1
    last = topic.change("r", 50, None, {"id": 1}, snapshot="last")
    again.batches.apply(frame(spark, [last]), "app", 3)
    assert again.state.gaps() == {}


def test_statements_that_could_not_be_stored_are_stored_by_the_next_attempt(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    from sparksink.state.snapshots import RECORDED  # noqa: PLC0415

    write_statements(tmp_path, *AGAIN[:1], (50, "ALTER TABLE orders DROP PARTITION p0"))
    failing = CrashingLake(sink(**DDL).lake, 0, after=False)
    made = sink(failing, **DDL)
    for writes in (0, 2):  # before the gap is stored, and before the statements are
        failing.allow(writes)
        with pytest.raises(Crash):
            made.batches.follow_statements(RECORDED)
    failing.allow(1000)
    made.batches.apply(frame(spark, [insert(Topic(columns=COLUMNS), 10, 1)]), "app", 0)
    assert list(made.state.gaps()) == ["shop.orders"]
    assert rows(made, "_cdc/ddl", "offset", "kind") == [(0, "CREATE"), (1, "ALTER")]
