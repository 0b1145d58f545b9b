"""The listeners of the REST API, and the address that the worker advertises."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from connector.config import settings_below
from connector.errors import ConfigError

HTTPS: Final = "listeners.https."
ADMIN_HTTPS: Final = "admin.listeners.https."
_LISTENER: Final = re.compile(r"(?i)(https?)://(\[[0-9a-f:.]*\]|[^:/]*):(\d{1,5})/?")


@dataclass(frozen=True, slots=True)
class Listener:
    """One address to listen on; an empty host means every interface."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.scheme}://{_bracketed(self.host)}:{self.port}"


def is_open(listener: Listener, worker: Mapping[str, str], prefix: str = HTTPS) -> bool:
    """Return whether other hosts can call a listener without a certificate."""
    host = listener.host
    if host.startswith("127.") or host in ("localhost", "::1"):
        return False
    auth = https_settings(worker, prefix).get("ssl.client.auth", "none")
    return listener.scheme == "http" or auth.strip().lower() != "required"


def access_warnings(
    listeners: Sequence[Listener], admin: Sequence[Listener], worker: Mapping[str, str]
) -> list[str]:
    """Return what any host may do, one text for each listener that is open to all."""
    remedy = "to a loopback address, or use https with ssl.client.auth=required."
    return [
        *(
            f"Anyone who reaches {item} controls this worker. Set listeners {remedy}"
            for item in listeners
            if is_open(item, worker)
        ),
        *(
            f"Anyone who reaches {item} changes what this worker logs. Set admin.listeners {remedy}"
            for item in admin
            if is_open(item, worker, ADMIN_HTTPS)
        ),
    ]


def https_settings(worker: Mapping[str, str], prefix: str = HTTPS) -> Mapping[str, str]:
    """Return the TLS settings of https listeners; those under their prefix count all or none.

    Admin listeners have a prefix of their own (RestServer.createConnector in Kafka Connect).
    """
    own = settings_below(worker, prefix)
    return own if any(key.startswith("ssl.") for key in own) else worker


def parse_listeners(key: str, text: str) -> tuple[Listener, ...]:
    """Parse ``http://host:port,https://:port`` as Connect does.

    :raises ConfigError: naming the key and the listener.
    """
    return tuple(_parse(key, part.strip()) for part in text.split(",") if part.strip())


def _parse(key: str, text: str) -> Listener:
    match = _LISTENER.fullmatch(text)
    if match is None or int(match[3]) > 65535:
        raise ConfigError(
            f"Invalid value {text} for configuration {key}: a listener is written as "
            "http://host:port or https://host:port."
        )
    return Listener(match[1].lower(), match[2].strip("[]"), int(match[3]))


def advertised_listener(listeners: Sequence[Listener], worker: Mapping[str, str]) -> Listener:
    """Return the address of this worker that others should use.

    It gives the ``worker_id`` and the URL in the log. ``rest.advertised.*`` wins; without it
    the first listener counts, with the host's own address for an empty host.
    """
    scheme = worker.get("rest.advertised.listener", listeners[0].scheme).lower()
    chosen = next((item for item in listeners if item.scheme == scheme), listeners[0])
    host = worker.get("rest.advertised.host.name") or chosen.host or _own_address()
    port = worker.get("rest.advertised.port") or chosen.port
    return Listener(chosen.scheme, host, int(port))


def worker_id(address: Listener) -> str:
    """Return ``host:port``, by which statuses name the worker."""
    return f"{_bracketed(address.host)}:{address.port}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _own_address() -> str:
    try:
        return socket.gethostbyname(socket.gethostname())
    except OSError:
        return "127.0.0.1"
