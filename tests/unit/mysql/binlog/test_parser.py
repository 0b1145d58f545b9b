"""Events of the log: the content of each, and how checksums are found."""

from __future__ import annotations

import re
import struct
import uuid
from typing import Any

import pytest

from connector.capture.tables import TableId
from connector.errors import ConversionError
from connector.mysql.binlog.events import (
    Began,
    BinlogEvent,
    Committed,
    GtidRead,
    HeartbeatSeen,
    IncidentSeen,
    QueryRan,
    Rotated,
    RowsChanged,
    RowsQueryRead,
    TableMapped,
    Unreadable,
)
from connector.mysql.binlog.parser import EventParser
from connector.mysql.binlog.tablemap import parse_table_map
from tests.unit.mysql.binlog import events_as_bytes as written
from tests.unit.mysql.binlog.images import table_of
from tests.unit.mysql.binlog.kinds import KINDS, TEXTS
from tests.unit.mysql.binlog.kinds_of_numbers import DECIMALS, INTEGERS

SERVER = uuid.UUID("3e11fa47-71ca-11e1-9e33-c80aa9429562")


def read(event: bytes, parser: EventParser | None = None) -> Any:
    parser = parser or EventParser(checksums=False)
    return parser.event(event, 0, len(event) - parser.trailer)


def test_every_event_has_the_facts_of_its_header() -> None:
    event = read(written.event(200, b"unknown", at=1000))
    assert event.__class__ is BinlogEvent
    assert event.header[:2] == (written.TIMESTAMP, written.SERVER_ID)
    assert event.header[2:] == (1000, 26)


def test_an_event_made_up_by_the_server_has_no_position() -> None:
    made_up = struct.pack("<IBIIIH", 0, 27, 7, 19, 0, 0)
    event = read(made_up)
    assert isinstance(event, HeartbeatSeen)
    assert event.header[2] == 0


@pytest.mark.parametrize("kind", [27, 41])
def test_heartbeats(kind: int) -> None:
    assert isinstance(read(written.event(kind, b"binlog.000001")), HeartbeatSeen)


@pytest.mark.parametrize(("algorithm", "trailer"), [(written.CRC32, 4), (written.NO_CHECKSUM, 0)])
@pytest.mark.parametrize("checksums", [True, False])
def test_a_format_description_says_whether_events_have_checksums(
    algorithm: int, trailer: int, checksums: bool
) -> None:
    parser = EventParser(checksums=checksums)
    description = written.format_description(algorithm)
    parser.event(description, 0, len(description) - parser.trailer)
    assert parser.trailer == trailer
    behind = written.event(29, b"\x08SELECT 1", checksum=trailer > 0)
    assert read(behind, parser).sql == "SELECT 1"


@pytest.mark.parametrize("timestamp", [0, written.TIMESTAMP])
def test_a_rotation_names_the_next_file(timestamp: int) -> None:
    event = read(timestamp.to_bytes(4, "little") + written.rotate("binlog.000042", 157)[4:])
    assert isinstance(event, Rotated)
    assert (event.file, event.start) == ("binlog.000042", 157)
    assert event.artificial is (timestamp == 0)


@pytest.mark.parametrize("sql", ["BEGIN", "begin", " BEGIN "])
def test_a_begin(sql: str) -> None:
    event = read(written.query(sql, thread=5))
    assert isinstance(event, Began)
    assert event.thread == 5


def test_commits() -> None:
    for event in (written.xid(), written.query("COMMIT"), written.query("commit")):
        assert isinstance(read(event), Committed)


@pytest.mark.parametrize("status", [b"", b"\0\0\0\0\0", bytes(300)])
def test_a_statement_stands_behind_status_and_database(status: bytes) -> None:
    event = read(written.query(" DROP TABLE `é` ", "dätä", 99, status))
    assert isinstance(event, QueryRan)
    assert (event.database, event.sql, event.thread) == ("dätä", "DROP TABLE `é`", 99)


def test_a_statement_compressed_by_mariadb() -> None:
    for sql in ("CREATE TABLE t (a INT) /* " + "x" * 70_000 + " */", "DROP TABLE t"):
        body = written.query_body(written.mariadb_compressed(sql.encode()), "shop", 3, bytes(7))
        event = read(written.event(165, body))
        assert (event.database, event.sql, event.thread) == ("shop", sql, 3)


def test_the_statement_of_rows() -> None:
    long = "UPDATE t SET a = 'é' WHERE " + "b = 1 AND " * 60 + "1"
    mysql = written.event(29, b"\xff" + long.encode())
    mariadb = written.event(160, long.encode())
    for event in (mysql, mariadb):
        found = read(event)
        assert isinstance(found, RowsQueryRead)
        assert found.sql == long


def test_an_incident() -> None:
    event = read(written.event(26, b"\1\0\x04LOST"))
    assert isinstance(event, IncidentSeen)
    assert event.message == "LOST"


MICROS = 1_700_000_000_123_456


@pytest.mark.parametrize(
    ("clocks", "micros"),
    [
        (b"", 0),  # MySQL 5.6
        (b"\2" + bytes(16), 0),  # 5.7
        (b"\2" + bytes(16) + MICROS.to_bytes(7, "little") + b"\x20", MICROS),
        (
            b"\2"
            + bytes(16)
            + (MICROS + 9 | 1 << 55).to_bytes(7, "little")
            + MICROS.to_bytes(7, "little")
            + b"\x20",
            MICROS,
        ),
    ],
)
def test_a_gtid_of_mysql(clocks: bytes, micros: int) -> None:
    body = b"\1" + SERVER.bytes + (12345).to_bytes(8, "little") + clocks
    event = read(written.event(33, body))
    assert isinstance(event, GtidRead)
    assert (event.gtid, event.commit_micros) == (f"{SERVER}:12345", micros)
    assert not event.begins


def test_a_gtid_of_mariadb_stands_for_a_begin() -> None:
    body = (77).to_bytes(8, "little") + (3).to_bytes(4, "little") + b"\2" + bytes(6)
    event = read(written.event(162, body))
    assert isinstance(event, GtidRead)
    assert event.gtid == f"3-{written.SERVER_ID}-77"
    assert event.begins


def test_a_table_map_describes_its_columns() -> None:
    names = [f"c{number}" for number in range(len(KINDS))]
    for given in ((), names):
        event = read(written.table_map(KINDS, names=given, database="dätä"))
        assert isinstance(event, TableMapped)
        assert event.table_map.table == TableId("dätä", "orders")
        assert list(event.table_map.wires) == [kind.wire for kind in KINDS]
        assert list(event.table_map.names) == list(given)


def test_a_table_map_that_is_repeated_is_the_same_object() -> None:
    parser = EventParser(checksums=False)
    one = read(written.table_map(INTEGERS), parser)
    other = read(written.table_map(INTEGERS[:3], number=109), parser)
    again = read(written.table_map(INTEGERS), parser)
    assert again.table_map is one.table_map is not other.table_map


def test_rows_belong_to_the_table_of_their_number() -> None:
    parser = EventParser(checksums=False)
    maps = [read(written.table_map(INTEGERS[:n], number=n), parser).table_map for n in (1, 2)]
    for number in (1, 2):
        event = written.rows(written.WRITE, b"", [(True,) * number], number=number)
        assert read(event, parser).table_map is maps[number - 1]
    unknown = written.rows(written.WRITE, b"", [(True,)], number=9)
    assert read(unknown, parser).table_map is None


@pytest.mark.parametrize("event", [written.rotate("b.2", 4), written.format_description(0)])
def test_numbers_of_tables_end_with_a_file(event: bytes) -> None:
    parser = EventParser(checksums=False)
    read(written.table_map(INTEGERS[:1]), parser)
    read(event, parser)
    assert read(written.rows(written.WRITE, b"", [(True,)]), parser).table_map is None


@pytest.mark.parametrize("kind", [166, 167, 168, 169, 170, 171])
def test_rows_compressed_by_mariadb(kind: int) -> None:
    table = table_of([INTEGERS[4], TEXTS[3], DECIMALS[2]])
    row = (5, "é" * 300, None)
    image = table.image((row[0], row[1].encode(), row[2]), (True,) * 3)
    update = kind in (167, 170)
    body = written.rows_body(
        written.WRITE if kind > 168 else written.WRITE_V1,
        written.mariadb_compressed(image * (2 if update else 1)),
        [(True,) * 3] * (2 if update else 1),
    )
    event = read(written.event(kind, body))
    assert isinstance(event, RowsChanged)
    assert event.kind == {1: "c", 2: "u", 0: "d"}[(kind - 165) % 3]
    assert event.data[event.start : event.end] == image * (2 if update else 1)


def test_tables_of_more_than_250_columns() -> None:
    kinds = INTEGERS * 30
    parser = EventParser(checksums=False)
    mapped = read(written.table_map(kinds), parser)
    assert len(mapped.table_map.wires) == 300
    event = read(written.rows(written.WRITE, b"images", [(True,) * 300]), parser)
    assert event.data[event.start : event.end] == b"images"
    assert event.present == b"\xff" * 37 + b"\x0f"


DAMAGED = {
    "a statement behind its event": written.event(2, bytes(11) + b"\xff\xff"),
    "a GTID of ten bytes": written.event(33, bytes(10)),
    "a tagged GTID without server": written.event(42, b"\2\2\2"),
    "a name of a table that is not UTF-8": written.event(19, bytes(8) + b"\1\xff\0\1a\0\0\0"),
    "a column count of a type that is none": written.event(30, bytes(8) + b"\2\0\xff"),
    "rows without bitmaps": written.event(30, b"\0"),
    "an unknown compression of rows": written.event(166, bytes(8) + b"\1\1\x90\1x"),
    "damaged compressed rows": written.event(166, bytes(8) + b"\1\1\x81\1x"),
    "a damaged compressed statement": written.event(165, written.query_body(b"\x81\1x")),
}


@pytest.mark.parametrize("event", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_event_is_refused(event: bytes) -> None:
    found = read(event)
    assert isinstance(found, Unreadable)
    assert re.search("malformed event|unknown compression", str(found.error))
    assert found.header[3] == len(event)


def test_without_a_whole_header_there_is_no_event() -> None:
    with pytest.raises(ConversionError, match="malformed event in the binlog: 12 bytes"):
        read(written.event(33, bytes(10))[:12])


def test_the_error_names_the_event() -> None:
    expected = "malformed event of type 33 and 29 bytes before position 529 of the binlog"
    assert str(read(written.event(33, bytes(10), at=500)).error).startswith(expected)


def test_a_table_map_that_is_cut_short_is_refused() -> None:
    body = written.table_map([*DECIMALS, *TEXTS])[19:]
    assert parse_table_map(body, 0, len(body))[0] == 108
    for size in range(len(body)):
        with pytest.raises((LookupError, ValueError)):
            parse_table_map(body[:size], 0, size)
