"""MariaDB's sequences: no tables to a connector, but their state is logged as rows."""

from __future__ import annotations

import pytest

from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId, Tables
from connector.errors import UnknownTableError
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.types import fields
from connector.mysql.types.fields import Wire

STATE = (*[fields.LONGLONG] * 6, fields.TINY, fields.LONGLONG)


def no_codec(table: Table) -> TableEventSchema:
    raise AssertionError(f"{table.id} is not known")


def table_map(*types: int) -> TableMap:
    return TableMap(TableId("d", "s"), tuple(Wire(kind, 0) for kind in types))


def test_the_rows_of_a_sequence_are_skipped() -> None:
    plans = TablePlans(Tables(), no_codec, lambda _: True, "fail")
    assert plans.plan(table_map(*STATE)) is None


@pytest.mark.parametrize("types", [STATE[:-1], (*STATE, fields.TINY), (fields.LONG,)])
def test_the_rows_of_an_unknown_table_are_not(types: tuple[int, ...]) -> None:
    plans = TablePlans(Tables(), no_codec, lambda _: True, "fail")
    with pytest.raises(UnknownTableError, match=r"d\.s"):
        plans.plan(table_map(*types))
