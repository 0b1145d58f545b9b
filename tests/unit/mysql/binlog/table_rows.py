"""Rows of events as the plan of their table reads them."""

from __future__ import annotations

from typing import Any

from connector.capture.change import Row
from connector.capture.table_schema import TableEventSchema
from connector.capture.tables import Table, TableId
from connector.data.schema import struct
from connector.mysql.binlog.events import RowsChanged, TableMapped
from connector.mysql.binlog.parser import EventParser
from connector.mysql.binlog.row_decoding import TablePlan
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import (
    RandomTable,
)

Pair = tuple[Row | None, Row | None]


def codec_of(table: RandomTable) -> TableEventSchema:
    value = struct("v")
    columns = tuple(codec for codec, _ in table.codecs)
    described = Table(TableId("shop", "orders"), table.columns)
    return TableEventSchema(described, "t", None, value, value, columns, ())


def read(parser: EventParser, event: bytes) -> Any:
    return parser.event(event, 0, len(event) - parser.trailer)


def rows_by_plan(table: RandomTable, *events: bytes) -> list[Pair]:
    """Return the rows of some events behind the table's TABLE_MAP."""
    parser = EventParser(checksums=False)
    mapped = read(parser, written.table_map(table.kinds))
    assert isinstance(mapped, TableMapped)
    plan = TablePlan(codec_of(table), mapped.table_map)
    pairs: list[Pair] = []
    for event in events:
        changed = read(parser, event)
        assert isinstance(changed, RowsChanged)
        assert changed.table_map is mapped.table_map
        pairs += plan.rows(changed)
    return pairs
