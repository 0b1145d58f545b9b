"""Ports for servers that keep them over a restart."""

from __future__ import annotations

import random
import socket
from typing import Final

from tools.stack.errors import StackError

HOST: Final = "127.0.0.1"

# Below the range from which the kernel takes the ports of outgoing connections: a port of
# that range could be taken by any client while its server restarts.
LOWEST: Final = 20_000
HIGHEST: Final = 29_999
_SPAN: Final = 100
_CLAIMS: Final = "127.0.0.2"
"""The address whose ports say which process has which span; no server listens there."""

_claims: list[socket.socket] = []
_unused: list[int] = []


def free_port() -> int:
    """Return a port on which nothing listens now, and which no other call returns.

    A server may take its port long after it was chosen, and again after a restart. Therefore each
    process has spans of ports of its own as long as it lives, and returns no port twice. Not
    thread safe.

    :raises StackError: when no free port is found.
    """
    while True:
        if not _unused:
            _unused.extend(_claim_span())
        port = _unused.pop()
        if is_free(port):
            return port


def _claim_span() -> range:
    spans = range(LOWEST, HIGHEST, _SPAN)
    for first in random.sample(spans, len(spans)):
        claim = socket.socket()
        try:
            claim.bind((_CLAIMS, first))
        except OSError:
            claim.close()
        else:
            _claims.append(claim)
            return range(first, first + _SPAN)
    raise StackError(f"No free port between {LOWEST} and {HIGHEST} on {HOST}.")


def is_free(port: int) -> bool:
    """Return whether a server could listen on ``port`` now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def is_open(port: int) -> bool:
    """Return whether something accepts connections on ``port``."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0
