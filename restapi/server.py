"""Listeners: sockets, and a thread of uvicorn for each."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import ssl
import threading
from collections.abc import Sequence
from dataclasses import replace

import uvicorn
from starlette.types import ASGIApp

from connector.errors import ConfigError
from connector.worker.herder import Herder
from connector.worker.listeners import ADMIN_HTTPS, HTTPS, Listener, https_settings
from connector.worker.worker_config import WorkerConfig
from restapi.app import ApiContext, create_admin_app, create_app
from restapi.connections import LimitedServer, TimedProtocol
from restapi.tls import tls_context


def bind_all(listeners: Sequence[Listener]) -> list[tuple[Listener, socket.socket]]:
    """Open the sockets of all listeners; port 0 takes any free port, which is then known.

    :raises ConfigError: an address is taken or not of this machine.
    """
    opened = [(listener, _bind(listener)) for listener in listeners]
    return [(replace(item, port=bound.getsockname()[1]), bound) for item, bound in opened]


def _bind(listener: Listener) -> socket.socket:
    """Open one socket; without a host it takes calls to every address, IPv4 and IPv6."""
    dual = not listener.host and socket.has_dualstack_ipv6()
    six = dual or ":" in listener.host
    try:
        opened = socket.create_server(
            (listener.host, listener.port),
            family=socket.AF_INET6 if six else socket.AF_INET,
            backlog=128,
            dualstack_ipv6=dual,
        )
    except OSError as error:
        raise ConfigError(
            f"Invalid value {listener} for configuration listeners: "
            f"{os.strerror(error.errno) if error.errno else error}. Choose another address, or "
            "stop what listens there."
        ) from None
    # Connections inherit it. asyncio sets it only on sockets made with an explicit protocol, and
    # without it each answer waits 40 ms for the client's acknowledgement of its headers.
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


def open_servers(
    worker: WorkerConfig,
    sockets: Sequence[tuple[Listener, socket.socket]],
    herder: Herder,
    api: ApiContext,
) -> list[RestServer]:
    """Build the servers of ``listeners`` and of ``admin.listeners``; none answers yet.

    :raises ConfigError: a listener cannot be opened, or TLS is not configured as it must be.
    """
    admin_sockets = bind_all(worker.admin_listeners or ())
    limit = _connection_limit(worker, len(sockets) + len(admin_sockets))
    app, admin = create_app(herder, api), create_admin_app(herder, api)
    return [
        *(RestServer(app, bound, limit, _tls(worker, item, HTTPS)) for item, bound in sockets),
        *(
            RestServer(admin, bound, limit, _tls(worker, item, ADMIN_HTTPS))
            for item, bound in admin_sockets
        ),
    ]


def _connection_limit(worker: WorkerConfig, listeners: int) -> int:
    """Return how many connections one listener may have.

    All of them take at most half of the file descriptors that the process may have.
    """
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    configured: int = worker["millrace.rest.max.connections"]
    if descriptors == resource.RLIM_INFINITY:
        return configured
    return max(1, min(configured, descriptors // 2 // listeners))


def _tls(worker: WorkerConfig, listener: Listener, prefix: str) -> ssl.SSLContext | None:
    """Return the TLS side of an https listener, None for one without TLS."""
    if listener.scheme != "https":
        return None
    return tls_context(https_settings(worker.properties, prefix))


class RestServer:
    """Serves one app on one socket in a thread of its own."""

    def __init__(
        self, app: ASGIApp, opened: socket.socket, limit: int, tls: ssl.SSLContext | None = None
    ) -> None:
        config = uvicorn.Config(
            app,
            http=TimedProtocol,
            ws="none",
            log_config=None,
            log_level="error",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        config.load()
        config.ssl = tls
        self._server = LimitedServer(config, limit)
        self._socket = opened
        self._thread = threading.Thread(target=self._serve, name="rest", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Finish the requests at hand, then close."""
        self._server.should_exit = True
        self._thread.join(timeout)

    def _serve(self) -> None:
        asyncio.run(self._server.serve([self._socket]))
