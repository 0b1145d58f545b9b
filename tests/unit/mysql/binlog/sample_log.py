"""A log of a few transactions, and its translation to changes."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Never

from connector.capture.change import Change, RowChanges
from connector.capture.tables import Table, TableId, Tables
from connector.mysql.binlog.events import BinlogEvent, QueryRan
from connector.mysql.binlog.parser import EventParser
from connector.mysql.binlog.tableplans import TablePlans
from connector.mysql.binlog.translate import Translator
from connector.mysql.binlog.translate_options import TranslateOptions
from connector.mysql.position.binlog_position import BinlogPosition
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.position.gtid import GtidSet
from connector.mysql.position.mariadb_gtid import MariaDbGtidSet
from connector.mysql.source_block import SourceBlock
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds_of_numbers import INTEGERS
from tests.unit.mysql.binlog.table_rows import codec_of

TABLE = table_of([INTEGERS[4]])
SERVER = "11111111-2222-3333-4444-555555555555"
GTID_BODY = b"\1" + uuid.UUID(SERVER).bytes + (5).to_bytes(8, "little")
FILE, FIRST = "b.000001", 157


def log_of(*rows_of_events: list[int], kind: int = written.WRITE) -> list[bytes]:
    """A transaction with one event for each list of values."""
    begin = [written.event(33, GTID_BODY), written.query("BEGIN", thread=8)]
    events = [
        written.rows(kind, b"".join(TABLE.image((value,), (True,)) for value in values), [(True,)])
        for values in rows_of_events
    ]
    return [*begin, written.table_map(TABLE.kinds), *events, written.xid()]


def set_positions(events: Iterable[bytes]) -> list[bytes]:
    """Write into each event where it ends in the file."""
    at, found = FIRST, []
    for event in events:
        at += len(event)
        found.append(event[:13] + at.to_bytes(4, "little") + event[17:])
    return found


def compressed_log_of(*rows_of_events: list[int]) -> list[bytes]:
    """The same transaction in one event; the events inside have no position."""
    gtid, *inside = log_of(*rows_of_events)
    without = [event[:13] + bytes(4) + event[17:] for event in inside]
    return set_positions([gtid, written.compressed_transaction(b"".join(without))])


def translated(
    events: Iterable[bytes],
    start: BinlogPosition | None = None,
    options: TranslateOptions | None = None,
    statements: list[str] | None = None,
) -> list[Change]:
    parser = EventParser(checksums=False)
    parsed: list[BinlogEvent] = []
    for event in events:
        if parser.is_compressed_transaction(event, 0):
            parsed += parser.transaction(event, 0, len(event))
        else:
            parsed.append(parser.event(event, 0, len(event)))
    tables = Tables()
    tables.put(Table(TableId("shop", "orders"), TABLE.columns))
    codec = codec_of(TABLE)
    plans = TablePlans(tables, lambda _: codec, lambda _: True, "fail")

    def statement(event: QueryRan, at: Coordinates, micros: int) -> Iterable[Never]:
        if statements is not None:
            statements.append(event.sql)
        return ()

    start = start or BinlogPosition(FILE, FIRST, GtidSet.parse(f"{SERVER}:1-4"))
    at = Coordinates(start)
    translator = Translator(
        at,
        plans,
        SourceBlock("3", "mysql", "srv"),
        statement,
        options or TranslateOptions(),
        start,
    )
    found: list[Change] = []
    for one in parsed:  # one batch an event: after each the position is reported
        found += translator.changes([one])
    return found


def values(changes: Iterable[Change]) -> list[tuple[int, int]]:
    """Return the value and the number in its event of each row."""
    return [
        (after[0], (change.first_row or 0) + number)
        for change in changes
        if isinstance(change, RowChanges)
        for number, (_, after) in enumerate(change.rows)
        if after is not None
    ]


def position_texts(changes: Iterable[Change]) -> list[str]:
    """Return the text of the position of each row."""
    return [
        change.position_text.of_row((change.first_row or 0) + number)
        for change in changes
        if isinstance(change, RowChanges) and change.position_text
        for number in range(len(change.rows))
    ]


LOG = set_positions(log_of([1, 2], [3], [4, 5, 6]))


def mariadb_gtid(sequence: int, flags: int, further: bytes = b"") -> bytes:
    """A GTID event of MariaDB."""
    body = sequence.to_bytes(8, "little") + bytes(4) + bytes([flags]) + further
    return written.event(162, body.ljust(19, b"\0"))


AFTER_DDL = BinlogPosition(FILE, FIRST, MariaDbGtidSet.parse("0-7-4"))
