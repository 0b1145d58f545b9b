"""Reads the packets of a dump connection and yields the events in them."""

from __future__ import annotations

import logging
import select
import socket
import ssl
import struct
import time
from collections.abc import Generator, Iterator
from typing import Final

from connector.errors import DatabaseUnavailableError, MillraceError
from connector.mysql.binlog.batches import batches
from connector.mysql.binlog.dump import HEARTBEAT, DumpConnection, DumpStart
from connector.mysql.binlog.event_types import TRANSACTION_PAYLOAD
from connector.mysql.binlog.events import BinlogEvent, Rotated
from connector.mysql.binlog.parser import MALFORMED, EventParser, parse_other, unreadable
from connector.mysql.position.binlog_position import behind
from connector.mysql.session.connection import ConnectionSettings
from connector.mysql.session.server_errors import stream_error
from connector.mysql.session.wire import ERROR, FULL_PACKET, join_payload, payload_end, read_error

log = logging.getLogger(__name__)

_SILENCE: Final = 3 * HEARTBEAT
_TICK: Final = 0.25  # seconds after which an empty batch lets the caller look around
_READ_SIZE: Final = 1 << 16  # larger reads are slower: values of one read stay in the cache
_LARGEST: Final = 0xFFFFFFFF  # position in the header of an event
# of a packet the length (two bytes and one), number and status; then the head of an event
_HEAD: Final = struct.Struct("<HBBBIBIIIH")


Packets = Generator[list[BinlogEvent], None, tuple[bytes, int]]
"""Batches of events; at the end the rest of the data, and the size that it needs."""


class BinlogReader:
    """One dump connection. Iterate `batches`; `close` from the same thread."""

    def __init__(
        self,
        settings: ConnectionSettings,
        start: DumpStart,
        server_id: int,
        *,
        annotations: bool = False,
    ) -> None:
        self._start = start
        self._connection = DumpConnection(settings, start, server_id, annotations=annotations)
        self._socket: socket.socket = self._connection.socket
        self._socket.settimeout(_TICK)
        self._readable = select.poll()
        self._readable.register(self._socket, select.POLLIN)
        self._is_between_reads = False
        self._parser = EventParser(checksums=self._connection.checksums)

    @property
    def id(self) -> int:
        """The server's number of the session."""
        return self._connection.id

    def has_caught_up(self) -> bool:
        """Whether all that was received is yielded, and the server has sent no more."""
        if not self._is_between_reads or self._readable.poll(0):
            return False
        return not (isinstance(self._socket, ssl.SSLSocket) and self._socket.pending())

    def batches(self) -> Iterator[list[BinlogEvent]]:
        """Yield the events as they come; an empty list when nothing came for a moment.

        :raises DatabaseUnavailableError: the connection is gone: open a new one.
        :raises PositionLostError: the server does not have the start position.
        """
        received = self._received()
        return self._from_start(received) if self._start.is_too_far else received

    def _from_start(self, batches: Iterator[list[BinlogEvent]]) -> Iterator[list[BinlogEvent]]:
        """Drop the events before a start that the dump command has no room for."""
        at, first = 0, self._start.position
        for events in batches:
            kept = []
            for event in events:
                timestamp, server, position, size = event.header
                at = behind(at, position)
                if isinstance(event, Rotated):
                    at, first = event.start, first if event.file == self._start.file else 0
                elif at < first:
                    continue
                elif position:
                    event.header = (timestamp, server, at, size)
                kept.append(event)
            yield kept

    def _received(self) -> Iterator[list[BinlogEvent]]:
        pending: list[bytes] = []
        size = needed = 0
        last_data = time.monotonic()
        while True:
            chunk = self._receive()
            if chunk is None:
                if time.monotonic() - last_data > _SILENCE:
                    raise DatabaseUnavailableError(f"no data from the server for {_SILENCE:.0f} s")
                yield []
                continue
            last_data = time.monotonic()
            self._is_between_reads = False
            pending.append(chunk)
            size += len(chunk)
            if size < needed:  # a packet larger than a read: join its pieces once
                continue
            rest, needed = yield from self._packets(_join_and_clear(pending))
            pending.append(rest)
            size = len(rest)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _packets(self, data: bytes) -> Packets:
        """Yield the events of all whole packets; return the rest, and how much it has to become.

        Of a large event nothing else is held while it is worked on: it may fill the memory.
        """
        events: list[BinlogEvent] = []
        parser = self._parser
        start, size = 0, len(data)
        while True:
            start = self._plain(data, start, events)
            if size - start < 5:
                break
            length = data[start] | data[start + 1] << 8 | data[start + 2] << 16
            end = start + 4 + length
            if length == FULL_PACKET:
                end = payload_end(data, start)
                if end > size:
                    break
                yield events
                events = []
                large = self._large(join_payload(data, start, end, skip=1))
                data = data[end:]
                end, size = 0, len(data)
                yield from large
            elif end > size:
                break
            elif data[start + 4]:
                raise _stream_end(data[start + 4 : end])
            elif parser.is_compressed_transaction(data, start + 5):
                yield events
                events = []
                yield from self._inside(data[start + 5 : end])
            else:
                events.append(parser.event(data, start + 5, end - parser.trailer))
            start = end
        self._is_between_reads = start == size
        yield events
        return data[start:], (end - start if size - start >= 5 else 0)

    def _plain(self, data: bytes, start: int, events: list[BinlogEvent]) -> int:
        """Parse packets up to one that is cut off or in some way special; return its start."""
        append, parser = events.append, self._parser
        parser_of, head, size = parser.parsers.get, _HEAD.unpack_from, len(data)
        while size - start >= _HEAD.size:
            low, high, _, status, timestamp, kind, server, length, following, _ = head(data, start)
            end = start + 4 + (low | high << 16)
            if end > size or status or kind == TRANSACTION_PAYLOAD or end - start > FULL_PACKET:
                break
            at = (following - length) & _LARGEST if following else 0  # it wraps at 4 GB
            header = (timestamp, server, at, length)
            parse = parser_of(kind, parse_other)
            try:
                append(parse(header, data, start + 24, end - parser.trailer))
            except MALFORMED as error:
                append(unreadable(header, data, start + 24, error))
            start = end
        return start

    def _large(self, event: bytes) -> Iterator[list[BinlogEvent]]:
        if self._parser.is_compressed_transaction(event, 0):
            yield from self._inside(event)
        else:
            parsed = self._parser.event(event, 0, len(event) - self._parser.trailer)
            del event  # see `RowsChanged.decoded`
            yield [parsed]

    def _inside(self, event: bytes) -> Iterator[list[BinlogEvent]]:
        """Yield the events of a compressed transaction, a bounded number at a time."""
        events = self._parser.transaction(event, 0, len(event) - self._parser.trailer)
        yield from batches(events)

    def _receive(self) -> bytes | None:
        try:
            chunk = self._socket.recv(_READ_SIZE)
        except TimeoutError:
            return None
        except OSError as error:
            raise DatabaseUnavailableError(f"binlog connection lost: {error}") from error
        if not chunk:
            raise DatabaseUnavailableError("the server closed the binlog connection")
        return chunk


def _join_and_clear(pieces: list[bytes]) -> bytes:
    """Join the pieces and take them from the list."""
    data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    pieces.clear()
    return data


def _stream_end(packet: bytes) -> MillraceError:
    """Return the error that an error or end packet of the stream stands for."""
    if packet[:1] == ERROR:
        return stream_error(read_error(packet))
    return DatabaseUnavailableError("the server ended the binlog stream")
