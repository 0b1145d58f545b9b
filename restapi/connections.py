"""Connections of a listener: how many there may be, and how long each may take."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from typing import Any, Final, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

_log = logging.getLogger(__name__)

HANDSHAKE_SECONDS: Final = 10.0
_REPORT_SECONDS: Final = 10.0
_RETRY_SECONDS: Final = 0.5


class FoldedWarning:
    """Logs a warning at most once in ten seconds, with the number of times it occurred."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._count = 0
        self._due = float("-inf")

    def report(self, text: str) -> None:
        """Count an occurrence, and log all of them when a line is due."""
        self._count += 1
        if self._clock() < self._due:
            return
        _log.warning("%s (%d since the last report)", text, self._count)
        self._count = 0
        self._due = self._clock() + _REPORT_SECONDS


class TimedProtocol(H11Protocol):
    """HTTP/1.1 that closes connections whose request does not arrive in time."""

    head_seconds = 10.0
    body_seconds = 30.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn's own
        """Wait for the head of the first request."""
        super().connection_made(transport)
        self.began = self.loop.time()
        self._expects: str | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Handle what arrived, then wait for what is still missing."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timer."""
        self._wait_for(None, 0)
        super().connection_lost(exc)

    @property
    def missing(self) -> str | None:
        """What the client still has to send: a request's ``head``, its ``body``, or nothing."""
        if self.cycle is None or self.cycle.response_complete:
            return "head"
        return "body" if self.cycle.more_body else None

    def _watch(self) -> None:
        missing = self.missing
        if missing == "head" and self.timeout_keep_alive_task is not None:
            missing = None  # uvicorn's own timer covers the time between two requests
        self._wait_for(missing, self.body_seconds if missing == "body" else self.head_seconds)

    def _wait_for(self, part: str | None, seconds: float) -> None:
        """Run one timer for each part, which more data does not prolong."""
        if part == self._expects:
            return
        if self._expiry is not None:
            self._expiry.cancel()
        self._expects = part
        self._expiry = None if part is None else self.loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        self.transport.abort()


class LimitedServer(uvicorn.Server):
    """Serves a bounded number of connections.

    At the limit, the oldest connection whose request is not complete makes room; when all are
    being answered, the new one is closed.
    """

    def __init__(self, config: uvicorn.Config, limit: int) -> None:
        super().__init__(config)
        self._limit = limit
        self._tls = config.ssl
        self._accepting: list[asyncio.Task[None]] = []
        self._opening: dict[asyncio.Task[None], None] = {}  # TLS handshakes, the oldest first
        self._crowded = FoldedWarning()
        self._exhausted = FoldedWarning()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections in tasks of our own, not in asyncio's servers."""
        await super().startup(sockets=[])
        for listening in sockets or ():
            listening.setblocking(False)
            self._accepting.append(asyncio.create_task(self._accept(listening)))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, then close what is open."""
        for task in [*self._accepting, *self._opening]:
            task.cancel()
        await asyncio.gather(*self._accepting, *self._opening, return_exceptions=True)
        await super().shutdown(sockets)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listening)
            except OSError as error:
                self._exhausted.report(f"REST connections cannot be accepted: {error.strerror}")
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if self._make_room():
                task = asyncio.create_task(self._open(connection))
                self._opening[task] = None
                task.add_done_callback(lambda done: self._opening.pop(done, None))
            else:
                connection.close()
            await asyncio.sleep(0)  # accepting does not yield, and what was closed must go first

    async def _open(self, connection: socket.socket) -> None:
        """Hand a connection to a protocol, after its TLS handshake."""
        timeout = None if self._tls is None else HANDSHAKE_SECONDS
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(
                self._protocol, connection, ssl=self._tls, ssl_handshake_timeout=timeout
            )
        except (OSError, TimeoutError) as error:
            _log.debug("A REST connection failed before its first request: %s", error)

    def _protocol(self) -> asyncio.Protocol:
        build = cast("Callable[..., asyncio.Protocol]", self.config.http_protocol_class)
        return build(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    def _make_room(self) -> bool:
        """Close one connection if there are as many as there may be."""
        connections = cast("set[Any]", self.server_state.connections)
        live = [item for item in connections if not item.transport.is_closing()]
        if len(live) + len(self._opening) < self._limit:
            return True
        self._crowded.report(
            f"The REST API has {self._limit} open connections, the most it may have; connections "
            "without a complete request are closed (millrace.rest.max.connections)"
        )
        idle = [item for item in live if item.missing]
        if idle:
            min(idle, key=lambda item: (item.missing == "body", item.began)).transport.abort()
            return True
        if not self._opening:
            return False
        handshake = next(iter(self._opening))
        del self._opening[handshake]
        handshake.cancel()
        return True
