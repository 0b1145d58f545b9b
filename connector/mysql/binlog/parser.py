"""From the bytes of one event to a `BinlogEvent`.

Layouts are those of the servers (MySQL: libs/mysql/binlog/event; MariaDB: sql/log_event.h).
The parser holds what later events need: table numbers and whether events end in a checksum.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator

from connector.errors import ConversionError
from connector.mysql.binlog import event_types as types
from connector.mysql.binlog.events import (
    Began,
    BinlogEvent,
    Committed,
    EventHeader,
    HeartbeatSeen,
    IncidentSeen,
    QueryRan,
    Rotated,
    RowsChanged,
    RowsKind,
    RowsQueryRead,
    TableMapped,
    TransactionCompressed,
    Unreadable,
    XaPrepared,
    XaStarted,
)
from connector.mysql.binlog.gtid_events import (
    parse_gtid_event,
    parse_mariadb_gtid_event,
    parse_tagged_gtid_event,
)
from connector.mysql.binlog.malformed_events import (
    HEADER,
    MALFORMED,
    REMEDY,
    malformed_error,
    reason_of,
    unreadable,
)
from connector.mysql.binlog.payload import PayloadError, inner_events, payload_fields
from connector.mysql.binlog.query import session_of, text_of
from connector.mysql.binlog.tablemap import TableMap, parse_table_map
from connector.mysql.session.wire import length_encoded

# of the header, the data, where the body starts, and where it ends
Parse = Callable[[EventHeader, bytes, int, int], BinlogEvent]

_CHECKSUM_SIZE = 4
_ROWS: dict[int, tuple[RowsKind, int, bool]] = {  # kind, size of the extra header, compressed
    types.WRITE_ROWS_V1: ("c", 0, False),
    types.UPDATE_ROWS_V1: ("u", 0, False),
    types.DELETE_ROWS_V1: ("d", 0, False),
    types.WRITE_ROWS: ("c", 2, False),
    types.UPDATE_ROWS: ("u", 2, False),
    types.DELETE_ROWS: ("d", 2, False),
    types.PARTIAL_UPDATE_ROWS: ("u", 2, False),
    types.MARIADB_WRITE_ROWS_COMPRESSED_V1: ("c", 0, True),
    types.MARIADB_UPDATE_ROWS_COMPRESSED_V1: ("u", 0, True),
    types.MARIADB_DELETE_ROWS_COMPRESSED_V1: ("d", 0, True),
    types.MARIADB_WRITE_ROWS_COMPRESSED: ("c", 2, True),
    types.MARIADB_UPDATE_ROWS_COMPRESSED: ("u", 2, True),
    types.MARIADB_DELETE_ROWS_COMPRESSED: ("d", 2, True),
}


class EventParser:
    """Parses the events of one dump connection, in order.

    ``trailer`` is the size of the checksum behind each event; the caller leaves it out.
    ``parsers`` has the types of events that the capture needs; `parse_other` takes the others.
    ``tables`` are those of the log by number, ``known_maps`` what TABLE_MAP events were read as.

    :param checksums: whether the server adds a checksum to the events that it makes up before
        the first format description.
    """

    def __init__(self, *, checksums: bool) -> None:
        self.trailer = _CHECKSUM_SIZE if checksums else 0
        self.tables: dict[int, TableMap] = {}
        self.known_maps: dict[bytes, tuple[int, TableMap]] = {}
        self.parsers: dict[int, Parse] = {
            types.QUERY: _query,
            types.ROTATE: self._rotate,
            types.FORMAT_DESCRIPTION: self._format,
            types.XID: _xid,
            types.XA_PREPARE: lambda header, *_: XaPrepared(header),
            types.TABLE_MAP: self._table_map,
            types.TRANSACTION_PAYLOAD: lambda header, *_: TransactionCompressed(header),
            types.INCIDENT: _incident,
            types.HEARTBEAT: lambda header, *_: HeartbeatSeen(header),
            types.HEARTBEAT_V2: lambda header, *_: HeartbeatSeen(header),
            types.ROWS_QUERY: _rows_query,
            types.GTID: parse_gtid_event,
            types.GTID_TAGGED: parse_tagged_gtid_event,
            types.MARIADB_ANNOTATE_ROWS: _annotate,
            types.MARIADB_GTID: parse_mariadb_gtid_event,
            types.MARIADB_QUERY_COMPRESSED: _query_compressed,
            **{kind: self._rows_parser(*shape, kind) for kind, shape in _ROWS.items()},
        }

    def copy(self) -> EventParser:
        """Return a parser of the same log that knows no numbers of tables yet."""
        parser = EventParser(checksums=bool(self.trailer))
        parser.known_maps = self.known_maps
        return parser

    def is_compressed_transaction(self, data: bytes, start: int) -> bool:
        """Whether an event holds others, for `transaction`."""
        return data[start + 4] == types.TRANSACTION_PAYLOAD

    def event(self, data: bytes, start: int, end: int) -> BinlogEvent:
        """Parse the event at ``data[start:end]``, without its checksum.

        A malformed one is returned as `Unreadable`.

        :raises ConversionError: not even its header can be read.
        """
        try:
            timestamp, kind, server_id, size, next_position, _ = HEADER.unpack_from(data, start)
        except struct.error as error:
            raise malformed_error(data[start : start + 19], reason_of(error)) from error
        at = (next_position - size) & 0xFFFFFFFF if next_position else 0
        header = (timestamp, server_id, at, size)
        try:
            return self.parsers.get(kind, parse_other)(header, data, start + 19, end)
        except MALFORMED as error:
            return unreadable(header, data, start + 19, error)

    def transaction(self, data: bytes, start: int, end: int) -> Iterator[BinlogEvent]:
        """Yield a compressed transaction itself, then the events inside.

        They are uncompressed piece by piece: the whole may be large.

        The body is a list of (type, length, value) up to a zero type; type 2 names the
        compression (0 = zstd, 255 = none), type 3 is the uncompressed size. The events inside
        have no checksums. If a part is malformed, the last event is `Unreadable`.
        """
        whole = self.event(data, start, end)
        yield whole
        try:
            yield from self._inside(data, start, end)
        except ConversionError as error:
            yield Unreadable(whole.header, error)

    def _inside(self, data: bytes, start: int, end: int) -> Iterator[BinlogEvent]:
        header = data[start : start + 19]
        try:
            fields, offset = payload_fields(data, start + 19)
            size = 0
            for event in inner_events(data[offset:end], fields.get(2, 255), fields.get(3)):
                size += len(event)
                parsed = self.event(event, 0, len(event))
                del event  # the images are released once they are decoded
                yield parsed
        except (LookupError, ValueError, PayloadError) as error:
            raise malformed_error(header, type(error).__name__) from error
        if size != fields.get(3, size):
            raise malformed_error(header, f"{size} of {fields[3]} bytes inside")

    def _format(self, header: EventHeader, data: bytes, _: int, end: int) -> BinlogEvent:
        """Read from a format description whether the events of its file have checksums.

        It ends in the algorithm (0 = none, 1 = CRC32) and a checksum of its own.
        """
        algorithm = data[end + self.trailer - _CHECKSUM_SIZE - 1]
        self.trailer = _CHECKSUM_SIZE if algorithm == 1 else 0
        self.tables.clear()
        return BinlogEvent(header)

    def _rotate(self, header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
        """Table numbers are valid within a server's run, which never spans two files."""
        position = int.from_bytes(data[start : start + 8], "little")
        file = data[start + 8 : end].decode("utf-8")
        self.tables.clear()
        return Rotated(header, file, position, artificial=header[0] == 0)

    def _table_map(self, header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
        body = data[start:end]
        known = self.known_maps.get(body)
        if known is None:
            if len(self.known_maps) >= 10_000:
                self.known_maps.clear()
            self.known_maps[body] = known = parse_table_map(body, 0, len(body))
        self.tables[known[0]] = known[1]
        return TableMapped(header, known[1])

    def _rows_parser(self, kind: RowsKind, extra: int, compressed: bool, event_type: int) -> Parse:
        partial = event_type == types.PARTIAL_UPDATE_ROWS
        images = 2 if kind == "u" else 1

        def parse(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
            number = int.from_bytes(data[start : start + 6], "little")
            start += 8
            if extra:
                start += data[start] | data[start + 1] << 8
            count = data[start]
            if count < 251:
                start += 1
            else:
                count, start = length_encoded(data, start)
            size = (count + 7) >> 3
            present = data[start : start + size]
            start += size * images
            after = data[start - size : start]
            if compressed:
                data = _uncompress(data[start:end])
                start, end = 0, len(data)
            table_map = self.tables.get(number)
            return RowsChanged(
                header, kind, table_map, (data, start, end), (present, after), partial=partial
            )

        return parse


def parse_other(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:  # noqa: ARG001 - all parsers are alike
    """Parse an event of a type that the capture does not need."""
    return BinlogEvent(header)


def _query(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
    """Thread, run time, length of the database, error, length of status; then these three."""
    thread, status, database, sql = _statement_parts(data, start, end)
    return _statement(header, thread, status, database, sql)


def _query_compressed(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
    thread, status, database, sql = _statement_parts(data, start, end)
    return _statement(header, thread, status, database, _uncompress(sql))


def _statement_parts(data: bytes, start: int, end: int) -> tuple[int, bytes, bytes, bytes]:
    thread = int.from_bytes(data[start : start + 4], "little")
    database = start + 13 + (data[start + 11] | data[start + 12] << 8)
    sql = database + data[start + 8] + 1
    if sql > end:
        raise ValueError("no statement")
    return thread, data[start + 13 : database], data[database : sql - 1], data[sql:end]


def _statement(
    header: EventHeader, thread: int, status: bytes, database: bytes, sql: bytes
) -> BinlogEvent:
    if sql == b"BEGIN":
        return Began(header, thread)
    if sql == b"COMMIT":
        return Committed(header)
    session = session_of(status)
    text = text_of(sql, session.codec).strip()
    first = text[:9].upper()
    if first == "BEGIN":
        return Began(header, thread)
    if first == "COMMIT":
        return Committed(header)
    if first == "XA START ":
        return XaStarted(header)
    return QueryRan(header, thread, database.decode("utf-8", "replace"), text, session.sql_mode)


def _xid(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:  # noqa: ARG001 - all parsers are alike
    return Committed(header)


def _rows_query(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
    return RowsQueryRead(header, data[start + 1 : end])


def _annotate(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
    return RowsQueryRead(header, data[start:end], on_request=True)


def _incident(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
    return IncidentSeen(header, data[start + 3 : end].decode("utf-8", "replace"))


def _uncompress(data: bytes) -> bytes:
    """Uncompress MariaDB's ``log_bin_compress``: algorithm and size of the length, length, data.

    The first byte is ``0x80 | algorithm << 4 | bytes of length``; algorithm 0 is zlib.
    """
    if data[0] & 0xF0 != 0x80:
        raise ConversionError(f"unknown compression {data[0]:#x} of a binlog event", REMEDY)
    return zlib.decompress(data[1 + (data[0] & 7) :])
