"""The events in the packets of a dump connection."""

from __future__ import annotations

import struct
from collections.abc import Generator, Iterator
from typing import Final

from connector.errors import DatabaseUnavailableError, MillraceError
from connector.mysql.binlog.batches import batches
from connector.mysql.binlog.event_types import TRANSACTION_PAYLOAD
from connector.mysql.binlog.malformed_events import MALFORMED, malformed_error, unreadable
from connector.mysql.binlog.parser import EventParser, parse_other
from connector.mysql.binlog.whole_transactions import (
    FIRST_EVENTS,
    LogEvent,
    Scan,
    scan_nothing,
    scan_of,
)
from connector.mysql.session.server_errors import stream_error
from connector.mysql.session.wire import ERROR, FULL_PACKET, join_payload, payload_end, read_error
from connector.native import MAX_BUFFER

_LARGEST: Final = 0xFFFFFFFF  # position in the header of an event
# of a packet the length (two bytes and one), number and status; then the head of an event
_HEAD: Final = struct.Struct("<HBBBIBIIIH")


Packets = Generator[list[LogEvent], None, tuple[bytes, int]]
"""Batches of events; at the end the rest of the data, and the size that it needs."""


class EventPackets:
    """Reads the events of one dump connection, in order.

    ``is_between_reads``: the last data ended with a packet; the caller resets it.

    :param checksums: as of `EventParser`.
    :param finds_transactions: whole transactions may come instead of their events.
    :param reads_queries: the caller needs the texts of statements.
    """

    def __init__(
        self, *, checksums: bool, finds_transactions: bool = True, reads_queries: bool = False
    ) -> None:
        self.is_between_reads = False
        self._parser = parser = EventParser(checksums=checksums)
        self._scan: Scan = scan_nothing
        if finds_transactions:
            self._scan = scan_of(parser, reads_queries=reads_queries)

    def batches(self, data: bytes) -> Packets:
        """Yield the events of all whole packets; return the rest, and how much it has to become.

        Of a large event nothing else is held while it is worked on: it may fill the memory.
        """
        events: list[LogEvent] = []
        parser = self._parser
        start, size = 0, len(data)
        while True:
            start, needed = self._plain(data, start, events)
            if needed or size - start < 5:
                break
            length = data[start] | data[start + 1] << 8 | data[start + 2] << 16
            end = payload_end(data, start) if length == FULL_PACKET else start + 4 + length
            if end > size:
                needed = end - start
                break
            if length == FULL_PACKET:
                yield events
                events = []
                large = self._large(join_payload(data, start, end, skip=1))
                data = data[end:]
                end, size = 0, len(data)
                yield from large
            elif data[start + 4]:
                raise _stream_end(data[start + 4 : end])
            elif end - start < _HEAD.size:
                raise malformed_error(data[start + 5 : end], "its packet is too short")
            elif parser.is_compressed_transaction(data, start + 5):
                yield events
                events = []
                yield from self._inside(data[start + 5 : end])
            else:
                events.append(parser.event(data, start + 5, end - parser.trailer))
            start = end
        self.is_between_reads = start == size
        yield events
        return data[start:], needed

    def _plain(self, data: bytes, start: int, events: list[LogEvent]) -> tuple[int, int]:
        """Parse packets up to one that is cut off or in some way special.

        Return its start, and how many bytes are needed from there: 0 if it is for the caller.
        """
        append, parser, scan = events.append, self._parser, self._scan
        parser_of, head, size = parser.parsers.get, _HEAD.unpack_from, len(data)
        firsts = FIRST_EVENTS if size <= MAX_BUFFER else frozenset[int]()
        while size - start >= _HEAD.size:
            low, high, _, status, timestamp, kind, server, length, following, _ = head(data, start)
            end = start + 4 + (low | high << 16)
            has_one_packet = _HEAD.size <= end - start <= FULL_PACKET
            if end > size or status or kind == TRANSACTION_PAYLOAD or not has_one_packet:
                break
            if kind in firsts:
                whole, start, needed = scan(data, start, parser.trailer)
                events += whole
                if needed:
                    return start, needed
                if whole:
                    continue
            at = (following - length) & _LARGEST if following else 0  # it wraps at 4 GB
            header = (timestamp, server, at, length)
            parse = parser_of(kind, parse_other)
            try:
                append(parse(header, data, start + 24, end - parser.trailer))
            except MALFORMED as error:
                append(unreadable(header, data, start + 24, error))
            start = end
        return start, 0

    def _large(self, event: bytes) -> Iterator[list[LogEvent]]:
        if self._parser.is_compressed_transaction(event, 0):
            yield from self._inside(event)
        else:
            parsed = self._parser.event(event, 0, len(event) - self._parser.trailer)
            del event  # see `RowsChanged.decoded`
            yield [parsed]

    def _inside(self, event: bytes) -> Iterator[list[LogEvent]]:
        """Yield the events of a compressed transaction, a bounded number at a time."""
        events = self._parser.transaction(event, 0, len(event) - self._parser.trailer)
        yield from batches(events)


def _stream_end(packet: bytes) -> MillraceError:
    """Return the error that an error or end packet of the stream stands for."""
    if packet[:1] == ERROR:
        return stream_error(read_error(packet))
    return DatabaseUnavailableError("the server ended the binlog stream")
