"""Reads the answers of the server, and detects when no answer will come any more.

A statement may take minutes, so the timeout of the socket must be long. A connection that died
silently (a firewall, a host that lost power) would block for as long. So if nothing arrives for
some seconds, another connection checks whether the server still works on the statement.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Final

_PATIENCE: Final = 8.0  # seconds of silence after which the server is checked
_READ_SIZE: Final = 1 << 16


class AnswerReader:
    """The bytes of one connection, with the methods of a file, as the driver needs them.

    :param timeout: seconds of silence after which it gives up in any case.
    :param is_working: whether the server still works on the statement.
    """

    def __init__(
        self, connection: socket.socket, timeout: float, is_working: Callable[[], bool]
    ) -> None:
        self._socket = connection
        self._timeout = timeout
        self._is_working = is_working
        self._buffer = bytearray()

    def read(self, size: int) -> bytes:
        """Read so many bytes, fewer at the end of the connection."""
        buffer = self._buffer
        while len(buffer) < size:
            received = self.receive()
            if not received:
                break
            buffer += received
        data = bytes(buffer[:size])
        del buffer[:size]
        return data

    def read1(self) -> bytes:
        """Read the available bytes; wait if there are none."""
        if not self._buffer:
            return self.receive()
        data = bytes(self._buffer)
        self._buffer.clear()
        return data

    def receive(self) -> bytes:
        """Receive bytes.

        :raises TimeoutError: none will come.
        """
        end = time.monotonic() + self._timeout
        self._socket.settimeout(min(_PATIENCE, self._timeout))
        while True:
            try:
                return self._socket.recv(_READ_SIZE)
            except TimeoutError:
                if time.monotonic() >= end:
                    raise
                if not self._is_working():
                    raise TimeoutError("the connection is dead: no answer will come") from None

    def close(self) -> None:
        """Drop what was not read; the connection is closed by its owner."""
        self._buffer.clear()
