"""Listeners: sockets, TLS, and a thread of uvicorn for each. The only import of uvicorn."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import uvicorn

from connector.errors import ConfigError
from restapi.app import Api, create_admin_app, create_app

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from starlette.types import ASGIApp

    from connector.runtime.herder import Herder
    from connector.runtime.listeners import Listener
    from connector.runtime.worker_config import WorkerConfig

_CLIENT_AUTH: Final = {
    "none": ssl.CERT_NONE,
    "requested": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}


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
    api: Api,
) -> list[RestServer]:
    """Build the servers of ``listeners`` and of ``admin.listeners``; none answers yet.

    :raises ConfigError: a listener cannot be opened, or TLS is not configured as it must be.
    """
    app = create_app(herder, api)
    servers = [RestServer(app, bound, _tls(worker, item)) for item, bound in sockets]
    if worker.admin_listeners:
        admin = create_admin_app(herder, api)
        for item, bound in bind_all(worker.admin_listeners):
            servers.append(RestServer(admin, bound, _tls(worker, item)))
    return servers


def _tls(worker: WorkerConfig, listener: Listener) -> ssl.SSLContext | None:
    """Return the TLS side of an https listener; its own settings count all together or not."""
    if listener.scheme != "https":
        return None
    own = worker.under("listeners.https.")
    return tls_context(own if any(key.startswith("ssl.") for key in own) else worker.properties)


class RestServer:
    """Serves one app on one socket in a thread of its own."""

    def __init__(
        self, app: ASGIApp, opened: socket.socket, tls: ssl.SSLContext | None = None
    ) -> None:
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level="warning",
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        config.load()
        config.ssl = tls
        self._server = uvicorn.Server(config)
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


def tls_context(settings: Mapping[str, str]) -> ssl.SSLContext:
    """Build the TLS side of an https listener from Connect's ``ssl.*`` keys, in PEM.

    :raises ConfigError: a key is missing, or a store is not PEM.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    password = settings.get("ssl.key.password")
    with _identity(settings) as path:
        try:
            context.load_cert_chain(path, password=password)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                "Invalid value for configuration ssl.keystore.location: it must be a PEM file with "
                f"the certificate chain and its key ({error.__class__.__name__}: {error.strerror})."
            ) from None
    _trust(context, settings)
    return context


@contextmanager
def _identity(settings: Mapping[str, str]) -> Iterator[str]:
    """Give a file with key and certificates; what stands in the settings itself is written out.

    Python's TLS reads keys from files only; the file is readable by this user alone, and gone
    after use.
    """
    chain = settings.get("ssl.keystore.certificate.chain")
    if not chain:
        location = settings.get("ssl.keystore.location")
        if not location:
            raise ConfigError(
                "An https listener needs ssl.keystore.location (a PEM file), or "
                "ssl.keystore.certificate.chain and ssl.keystore.key."
            )
        yield location
        return
    descriptor, name = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(settings.get("ssl.keystore.key", "") + "\n" + chain)
        yield name
    finally:
        Path(name).unlink()


def _trust(context: ssl.SSLContext, settings: Mapping[str, str]) -> None:
    wanted = settings.get("ssl.client.auth", "none").lower()
    if wanted not in _CLIENT_AUTH:
        raise ConfigError(
            f"Invalid value {wanted} for configuration ssl.client.auth: String must be one of: "
            "required, requested, none"
        )
    context.verify_mode = _CLIENT_AUTH[wanted]
    location = settings.get("ssl.truststore.location")
    certificates = settings.get("ssl.truststore.certificates")
    if not location and not certificates:
        return
    try:
        context.load_verify_locations(location, cadata=certificates)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(
            f"Invalid value {location} for configuration ssl.truststore.location: it must be a "
            f"PEM file ({error.strerror})."
        ) from None
