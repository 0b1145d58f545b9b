"""Reads the packets of a dump connection and yields the events in them."""

from __future__ import annotations

import logging
import select
import socket
import ssl
import time
from collections.abc import Iterator
from typing import Final

from connector.errors import DatabaseUnavailableError
from connector.mysql.binlog.dump import HEARTBEAT, DumpConnection, DumpStart
from connector.mysql.binlog.events import BinlogEvent, Rotated
from connector.mysql.binlog.packets import EventPackets
from connector.mysql.binlog.whole_transactions import LogEvent
from connector.mysql.position.binlog_position import behind
from connector.mysql.session.connection_settings import ConnectionSettings

log = logging.getLogger(__name__)

_SILENCE: Final = 3 * HEARTBEAT
_TICK: Final = 0.25  # seconds after which an empty batch lets the caller look around
_READ_SIZE: Final = 1 << 16  # larger reads are slower: values of one read stay in the cache


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
        self._packets = EventPackets(
            checksums=self._connection.checksums,
            finds_transactions=not start.is_too_far,
            reads_queries=annotations,
        )

    @property
    def id(self) -> int:
        """The server's number of the session."""
        return self._connection.id

    def has_caught_up(self) -> bool:
        """Whether all that was received is yielded, and the server has sent no more."""
        if not self._packets.is_between_reads or self._readable.poll(0):
            return False
        return not (isinstance(self._socket, ssl.SSLSocket) and self._socket.pending())

    def batches(self) -> Iterator[list[LogEvent]]:
        """Yield the events as they come; an empty list when nothing came for a moment.

        :raises DatabaseUnavailableError: the connection is gone: open a new one.
        :raises PositionLostError: the server does not have the start position.
        """
        received = self._received()
        return self._from_start(received) if self._start.is_too_far else received

    def _from_start(self, batches: Iterator[list[LogEvent]]) -> Iterator[list[LogEvent]]:
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
                elif position and isinstance(event, BinlogEvent):
                    event.header = (timestamp, server, at, size)
                kept.append(event)
            yield kept

    def _received(self) -> Iterator[list[LogEvent]]:
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
            self._packets.is_between_reads = False
            pending.append(chunk)
            size += len(chunk)
            if size < needed:  # a packet larger than a read: join its pieces once
                continue
            rest, needed = yield from self._packets.batches(_join_and_clear(pending))
            pending.append(rest)
            size = len(rest)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

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
