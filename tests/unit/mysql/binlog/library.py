"""The rows of an event as mysql-replication reads them: a third opinion.

It is right for the kinds in `TRUSTED` and only asked about those. Its faults with the others:

- TIME: fractions of negative times are added instead of taken off; the old format has no sign.
- DATETIME, DATE: an invalid day (30 February) is NULL in one and an exception in the other.
- TIMESTAMP: times behind 2038 are read as negative; zero is 1970.
- YEAR: the year 0000 becomes 1900.
- BIT: text of zeros and ones; ENUM, SET: need the labels in the log; an empty SET becomes NULL.
- CHAR and VARCHAR of binary columns: decoded as UTF-8, with an exception for other bytes.
- DECIMAL: two-byte and three-byte groups are read as signed numbers, right only since no group
  reaches the sign; without digits before the point it works by chance ("-.5").
- VECTOR and MariaDB's compressed columns: not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pymysql.protocol import MysqlPacket
from pymysqlreplication.packet import BinLogPacketWrapper
from pymysqlreplication.row_event import (
    DeleteRowsEvent,
    TableMapEvent,
    UpdateRowsEvent,
    WriteRowsEvent,
)

from tests.unit.mysql.binlog.kind import Kind
from tests.unit.mysql.binlog.kinds_of_numbers import DECIMALS, FLOATS, INTEGERS

TRUSTED: Sequence[Kind] = (*INTEGERS, *DECIMALS, *FLOATS)
_EVENTS = (TableMapEvent, WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent)


class _Connection:
    """What the library asks its connection for."""

    charset = "utf8mb4"

    def _get_dbms(self) -> str:
        return "mysql"


def rows(table_map: bytes, event: bytes) -> list[dict[str, Any]]:
    """Return the rows of an event without checksum, as the library gives them."""
    tables: dict[int, Any] = {}
    _read(table_map, tables)
    found: list[dict[str, Any]] = _read(event, tables).rows
    return found


def _read(event: bytes, tables: dict[int, Any]) -> Any:
    # the library takes the last four bytes for a checksum while it reads metadata
    packet = MysqlPacket(b"\0" + event + bytes(4), "utf8mb4")
    return BinLogPacketWrapper(
        packet,
        tables,
        _Connection(),
        (8, 4, 0),
        False,
        _EVENTS,
        None,
        None,
        None,
        None,
        False,
        False,
        False,
        True,
        False,
    ).event
