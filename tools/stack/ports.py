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
_ATTEMPTS: Final = 200


def free_port() -> int:
    """Return a port on which nothing listens now.

    It is chosen at random, so two processes that choose at the same time do not meet.

    :raises StackError: when no free port is found.
    """
    for _ in range(_ATTEMPTS):
        port = random.randint(LOWEST, HIGHEST)  # noqa: S311 - not a secret
        if is_free(port):
            return port
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
