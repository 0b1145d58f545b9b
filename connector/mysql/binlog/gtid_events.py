"""The events with the ids of transactions, of MySQL and of MariaDB."""

from __future__ import annotations

import uuid

from connector.mysql.binlog.events import BinlogEvent, EventHeader, GtidRead
from connector.mysql.binlog.tagged import parse_tagged_gtid
from connector.mysql.types.result_cache import ResultCache

# Flags of MariaDB's GTID events (sql/log_event.h: FL_STANDALONE, FL_GROUP_COMMIT_ID,
# FL_PREPARED_XA | FL_COMPLETED_XA), then those of the second byte of flags.
_STANDALONE, _GROUP_COMMIT, _XA_NAME = 1, 2, 64 | 128
_START_OR_ROLLBACK_ALTER = 2 | 8

_servers: ResultCache[bytes, str] = ResultCache(lambda data: str(uuid.UUID(bytes=data)))


def parse_gtid_event(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
    """Flags, UUID, number; with MySQL 8 also two logical clocks and the commit times."""
    server = _servers[data[start + 1 : start + 17]]
    number = int.from_bytes(data[start + 17 : start + 25], "little")
    micros = 0
    clocks = start + 25
    if end - clocks >= 24 and data[clocks] == 2:
        at = clocks + 17
        micros = int.from_bytes(data[at : at + 7], "little")
        if micros >> 55:  # the commit time on the server that it came from follows
            micros = int.from_bytes(data[at + 7 : at + 14], "little")
    return GtidRead(header, f"{server}:{number}", micros)


def parse_tagged_gtid_event(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
    """MySQL's event with a tag, which is written in another format."""
    gtid, micros = parse_tagged_gtid(data[start:end])
    return GtidRead(header, gtid, micros)


def parse_mariadb_gtid_event(header: EventHeader, data: bytes, start: int, end: int) -> BinlogEvent:
    """Sequence, domain, flags, and what the flags announce; the event is also the BEGIN.

    The number of a group commit and the name of an XA transaction stand before further flags.
    """
    sequence = int.from_bytes(data[start : start + 8], "little")
    domain = int.from_bytes(data[start + 8 : start + 12], "little")
    flags, at = data[start + 12], start + 13
    if flags & _GROUP_COMMIT:
        at += 8
    if flags & _XA_NAME:
        at += 6 + data[at + 4] + data[at + 5]
    further = data[at] if at < end else 0
    return GtidRead(
        header,
        f"{domain}-{header[1]}-{sequence}",
        begins=True,
        standalone=bool(flags & _STANDALONE),
        ineffective=bool(further & _START_OR_ROLLBACK_ALTER),
    )
