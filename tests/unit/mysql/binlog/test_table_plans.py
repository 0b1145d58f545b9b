"""Which tables' rows are decoded, and what happens to those that cannot be."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from connector.capture.change import SchemaChange
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId, Tables
from connector.errors import DdlError, SchemaMismatchError, UnknownTableError
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.binlog.tableplans import OnInconsistency, TablePlans
from connector.mysql.types import fields
from connector.mysql.types.fields import Wire
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds import BINARIES
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.mysql.binlog.table_rows import codec_of

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
    assert captured.plan(TableMap(ORDERS, WIRES)) is not plan  # described again


def test_plans_are_rebuilt_after_a_definition_has_changed() -> None:
    captured, _ = plans()
    described = TableMap(ORDERS, WIRES)
    plan = captured.plan(described)
    captured.clear()
    assert captured.plan(described) is not plan


def test_rows_of_tables_that_are_not_captured_are_skipped() -> None:
    captured, _ = plans()
    assert captured.plan(None) is None
    assert captured.plan(TableMap(TableId("other", "orders"), WIRES)) is None


def test_a_captured_table_that_is_not_known_stops_the_task() -> None:
    captured, _ = plans()
    with pytest.raises(UnknownTableError, match=r"shop\.new whose schema isn't known"):
        captured.plan(TableMap(TableId("shop", "new"), WIRES))


def test_a_table_with_another_number_of_columns_stops_the_task() -> None:
    captured, _ = plans()
    with pytest.raises(
        SchemaMismatchError, match="has 2 columns, but the rows in the binlog have 1"
    ):
        captured.plan(TableMap(ORDERS, WIRES[:1]))


def test_columns_that_mariadb_hides_are_skipped() -> None:
    kinds = [INTEGERS[0], BINARIES[2]]
    table = table_of(kinds)
    wires = (*(kind.wire for kind in kinds), Wire(fields.LONGLONG, 0))
    tables = Tables()
    tables.put(Table(ORDERS, table.columns))
    captured = TablePlans(
        tables, lambda _: codec_of(table), lambda _: True, "fail", hidden_columns=True
    )
    names = tuple(column.name for column in table.columns)
    for logged in ((), (*names, "DB_ROW_HASH_1")):
        plan = captured.plan(TableMap(ORDERS, wires, logged))
        assert plan is not None
        images = b"\0\1" + kinds[1].encode(b"a") + bytes(8)
        changed = RowsChanged(
            (1, 7, 4, 50), "c", None, (images, 0, len(images)), (b"\x07", b"\x07")
        )
        assert plan.rows(changed) == [(None, (1, b"a"))]
    with pytest.raises(SchemaMismatchError, match=r"has 2 columns, .* have 3"):
        captured.plan(TableMap(ORDERS, wires, (*names, "other")))
    with pytest.raises(SchemaMismatchError, match=r"has 2 columns, .* have 3"):
        plans()[0].plan(TableMap(ORDERS, wires))


def test_a_number_behind_nothing_but_numbers_is_no_hidden_hash() -> None:
    """Only keys of texts and bytes are too long for an index: it was added without the log."""
    tables = Tables()
    tables.put(Table(ORDERS, COLUMNS.columns))
    captured = TablePlans(
        tables, lambda _: codec_of(COLUMNS), lambda _: True, "fail", hidden_columns=True
    )
    with pytest.raises(SchemaMismatchError, match=r"has 2 columns, .* have 3"):
        captured.plan(TableMap(ORDERS, (*WIRES, Wire(fields.LONGLONG, 0))))


def test_columns_of_other_names_stop_the_task_where_the_log_has_names() -> None:
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


def test_columns_of_other_types_stop_the_task() -> None:
    captured, _ = plans()
    fault = r"column c1 of type TINYINT UNSIGNED, but .* another type \(wire"
    with pytest.raises(SchemaMismatchError, match=fault):
        captured.plan(TableMap(ORDERS, (WIRES[0], BINARIES[0].wire)))


class Resolver:
    """Definitions that resolve `ORDERS`: with the columns of `COLUMNS`."""

    def __init__(self, tables: Tables, reason: str | None = None, *, finds: bool = True) -> None:
        self.tables, self.finds, self._reason = tables, finds, reason
        self.calls = 0

    def unresolved_reason(self, table: TableId) -> str | None:
        return self._reason if table == ORDERS else None

    def mark_resolved(self, table: TableId) -> None:
        assert table == ORDERS
        self._reason = None

    def resolve(self, table_map: TableMap) -> list[SchemaChange]:
        self.calls += 1
        if not self.finds:
            return []
        self._reason = None
        self.tables.put(Table(table_map.table, COLUMNS.columns))
        return [SchemaChange("CREATE", "shop", "CREATE TABLE …", (), (), "resolved")]


def plans_with(resolver: Resolver, on_inconsistency: OnInconsistency = "fail") -> TablePlans:
    def codec(_: Table) -> TableEventSchema:
        return codec_of(COLUMNS)

    return TablePlans(resolver.tables, codec, lambda _: True, on_inconsistency, resolver)


def test_a_wrong_definition_is_resolved_and_emitted() -> None:
    resolver = Resolver(Tables())
    captured = plans_with(resolver)
    assert captured.plan(TableMap(ORDERS, WIRES)) is not None
    assert [change.cause for change in captured.resolved] == ["resolved"]


@pytest.mark.parametrize("mode", ["warn", "skip"])
def test_unknown_tables_are_skipped_as_in_debezium(mode: OnInconsistency) -> None:
    resolver = Resolver(Tables())
    assert plans_with(resolver, mode).plan(TableMap(ORDERS, WIRES)) is None
    resolver.tables.put(Table(ORDERS, table_of(INTEGERS[:3]).columns))
    assert plans_with(resolver, mode).plan(TableMap(ORDERS, WIRES)) is not None  # known, but wrong
    assert resolver.calls == 1


def test_a_right_definition_is_not_resolved_again() -> None:
    resolver = Resolver(Tables())
    resolver.tables.put(Table(ORDERS, COLUMNS.columns))
    assert plans_with(resolver).plan(TableMap(ORDERS, WIRES)) is not None
    assert not resolver.calls


def test_an_unresolved_schema_may_be_confirmed_by_names() -> None:
    resolver = Resolver(Tables(), "the statement is odd", finds=False)
    resolver.tables.put(Table(ORDERS, COLUMNS.columns))
    captured = plans_with(resolver)
    with pytest.raises(DdlError, match="unresolved: the statement is odd"):
        captured.plan(TableMap(ORDERS, WIRES))
    names = tuple(column.name for column in COLUMNS.columns)
    assert captured.plan(TableMap(ORDERS, WIRES, names)) is not None
    assert resolver.unresolved_reason(ORDERS) is None
    assert captured.plan(TableMap(ORDERS, WIRES)) is not None


def test_the_number_of_plans_is_bounded() -> None:
    captured, _ = plans()
    first = TableMap(TableId("other", "t"), WIRES)
    for _ in range(20_001):
        assert captured.plan(TableMap(TableId("other", "t"), WIRES)) is None
    assert captured.plan(first) is None
    assert len(captured._plans) <= 20_000
