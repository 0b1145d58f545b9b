"""A table of orders, and events with its rows."""

from __future__ import annotations

from connector.debezium.events import EventOptions
from connector.mysql.binlog.events import RowsChanged
from connector.mysql.types.type_options import TypeOptions
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds import TEXTS
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.native.random_tables import Described, described

NO_SCHEMAS = {"schemas.enable": "false"}


def orders() -> Described:
    return described(table_of([INTEGERS[4], TEXTS[-1]]), ["c0"], TypeOptions(), NO_SCHEMAS)


def options() -> EventOptions:
    return EventOptions("acme", NAMING, SOURCE, ROW_SLOT, now=lambda: 1795226600123456789)


def rows_event(known: Described, kind: int, size: int, rows: int = 1) -> RowsChanged:
    image = known.table.image((1, b"x" * size), (True, True))
    return known.event(kind, image * rows * (1 + (kind == written.UPDATE)))
