"""Which tables' rows are decoded, and what happens to those that cannot be."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from connector.capture.tables import Table, TableId, Tables
from connector.errors import SchemaMismatchError, UnknownTableError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.binlog.tableplans import OnInconsistency, TablePlans
from connector.mysql.types import fields
from connector.mysql.types.fields import Wire
from tests.unit.binlog.images import table_of
from tests.unit.binlog.kinds import BINARIES
from tests.unit.binlog.kinds_of_numbers import INTEGERS
from tests.unit.binlog.test_row_events import codec_of

ORDERS = TableId("shop", "orders")
COLUMNS = table_of(INTEGERS[:2])
WIRES = tuple(kind.wire for kind in COLUMNS.kinds)


def plans(on_inconsistency: OnInconsistency = "fail") -> tuple[TablePlans, Tables]:
    tables = Tables()
    tables.put(Table(ORDERS, COLUMNS.columns))
    captured = TablePlans(
        tables,
        lambda _: codec_of(COLUMNS),
        lambda table: table.database == "shop",
        on_inconsistency,
    )
    return captured, tables


def test_a_captured_table_has_one_plan() -> None:
    captured, _ = plans()
    described = TableMap(ORDERS, WIRES)
    plan = captured.plan(described)
    assert plan is not None
    assert captured.plan(described) is plan
    assert captured.plan(TableMap(ORDERS, WIRES)) is not plan  # described anew


def test_plans_are_made_anew_after_a_definition_has_changed() -> None:
    captured, _ = plans()
    described = TableMap(ORDERS, WIRES)
    plan = captured.plan(described)
    captured.clear()
    assert captured.plan(described) is not plan


def test_rows_of_no_known_or_no_captured_table_are_not_wanted() -> None:
    captured, _ = plans()
    assert captured.plan(None) is None
    assert captured.plan(TableMap(TableId("other", "orders"), WIRES)) is None


def test_a_captured_table_that_is_not_known_stops_the_task() -> None:
    captured, _ = plans()
    with pytest.raises(UnknownTableError, match=r"shop\.new whose schema isn't known"):
        captured.plan(TableMap(TableId("shop", "new"), WIRES))


def test_a_table_with_another_number_of_columns_stops_the_task() -> None:
    captured, _ = plans()
    with pytest.raises(SchemaMismatchError, match="have 2 columns, but its rows in the log have 1"):
        captured.plan(TableMap(ORDERS, WIRES[:1]))


def test_columns_that_mariadb_hides_are_passed_over() -> None:
    hashed = (*WIRES, Wire(fields.LONGLONG, 0))
    tables = Tables()
    tables.put(Table(ORDERS, COLUMNS.columns))
    captured = TablePlans(
        tables, lambda _: codec_of(COLUMNS), lambda _: True, "fail", hash_columns=True
    )
    names = tuple(column.name for column in COLUMNS.columns)
    for told in ((), (*names, "DB_ROW_HASH_1")):
        plan = captured.plan(TableMap(ORDERS, hashed, told))
        assert plan is not None
        images = b"\0\1\2" + bytes(8)
        changed = RowsChanged((1, 7, 4, 50), "c", None, (images, 0, 11), (b"\x07", b"\x07"))
        assert plan.rows(changed) == [(None, (1, 2))]
    with pytest.raises(SchemaMismatchError, match=r"have 2 columns, .* have 3"):
        captured.plan(TableMap(ORDERS, hashed, (*names, "other")))
    with pytest.raises(SchemaMismatchError, match=r"have 2 columns, .* have 3"):
        plans()[0].plan(TableMap(ORDERS, hashed))


def test_columns_of_other_names_stop_the_task_where_the_log_tells_them() -> None:
    """The number and the types may fit all the same: values would go to the wrong columns."""
    captured, tables = plans()
    [first, second] = [column.name for column in COLUMNS.columns]
    assert captured.plan(TableMap(ORDERS, WIRES, (first.upper(), second))) is not None
    with pytest.raises(SchemaMismatchError, match=f"column {first} where .* have {second}"):
        captured.plan(TableMap(ORDERS, WIRES, (second, first)))
    quoted = [replace(column, name=f"``{column.name}") for column in COLUMNS.columns]
    tables.put(Table(ORDERS, tuple(quoted)))
    assert captured.plan(TableMap(ORDERS, WIRES, (f"`{first}", f"`{second}"))) is not None


@pytest.mark.parametrize(("mode", "level"), [("warn", logging.WARNING), ("skip", logging.DEBUG)])
def test_such_rows_may_be_skipped(
    mode: OnInconsistency, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    captured, _ = plans(mode)
    unknown = TableMap(TableId("shop", "new"), WIRES)
    with caplog.at_level(logging.DEBUG):
        assert captured.plan(unknown) is None
        assert captured.plan(unknown) is None
    assert [record.levelno for record in caplog.records] == [level]
    assert "Its events are skipped." in caplog.text


def test_columns_of_other_types_are_found_with_the_first_rows() -> None:
    captured, _ = plans()
    plan = captured.plan(TableMap(ORDERS, (WIRES[0], BINARIES[0].wire)))
    assert plan is not None
    header = (1, 7, 4, 50)
    changed = RowsChanged(header, "c", None, (b"\0\1", 0, 2), (b"\x03", b"\x03"))
    with pytest.raises(SchemaMismatchError, match="column c1: a column known as TINYINT UNSIGNED"):
        plan.rows(changed)


def test_the_number_of_plans_is_bounded() -> None:
    captured, _ = plans()
    first = TableMap(TableId("other", "t"), WIRES)
    for _ in range(20_001):
        assert captured.plan(TableMap(TableId("other", "t"), WIRES)) is None
    assert captured.plan(first) is None
    assert len(captured._plans) <= 20_000
