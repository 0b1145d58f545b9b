"""A broker that speaks just enough of Kafka to describe topics, and then names no broker."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress

_METADATA, _API_VERSIONS = 3, 18
_OFFERED = [(_METADATA, 0, 4), (_API_VERSIONS, 0, 0)]
_UNSUPPORTED, _UNKNOWN_TOPIC = 35, 3


class FencedBroker:
    """Answers until it is fenced; then as a cluster does that lacks all of its brokers."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = self._listener.getsockname()[1]
        self.address = f"127.0.0.1:{self._port}"
        self.fenced = threading.Event()
        self._sockets = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End all connections."""
        for opened in self._sockets:
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
            opened.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._sockets.append(client)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, struct.error):
            while True:
                (size,) = struct.unpack(">i", client.recv(4, socket.MSG_WAITALL))
                request = client.recv(size, socket.MSG_WAITALL)
                kind, version, number = struct.unpack_from(">hhi", request)
                body = self._versions(version) if kind == _API_VERSIONS else self._metadata(request)
                client.sendall(struct.pack(">ii", len(body) + 4, number) + body)

    def _versions(self, version: int) -> bytes:
        offered = b"".join(struct.pack(">hhh", *one) for one in _OFFERED)
        return struct.pack(">hi", _UNSUPPORTED * (version > 0), len(_OFFERED)) + offered

    def _metadata(self, request: bytes) -> bytes:
        (client,) = struct.unpack_from(">h", request, 8)
        (count,) = struct.unpack_from(">i", request, 10 + client)
        at, topics = 14 + client, []
        for _ in range(max(0, count)):
            (size,) = struct.unpack_from(">h", request, at)
            topics.append(request[at : at + 2 + size])
            at += 2 + size
        broker = struct.pack(">i", 1) + _text(b"127.0.0.1") + struct.pack(">ih", self._port, -1)
        brokers = [] if self.fenced.is_set() else [broker]
        unknown = struct.pack(">h", _UNKNOWN_TOPIC)
        return b"".join(
            (
                struct.pack(">ii", 0, len(brokers)),
                *brokers,
                _text(b"cluster"),
                struct.pack(">ii", 1 if brokers else -1, len(topics)),
                *(unknown + name + struct.pack(">?i", False, 0) for name in topics),
            )
        )


def _text(text: bytes) -> bytes:
    return struct.pack(">h", len(text)) + text
