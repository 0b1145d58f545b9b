"""Connection settings of every client; the user's settings override them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

CONNECTION: Final[Mapping[str, Any]] = {
    # A request without an answer for so long ends its connection, which may be half-open: dead
    # without notice. librdkafka's 60 s stall a task for as long. A message of 20 MB takes 12 s
    # at 1.7 MB/s.
    "socket.timeout.ms": 12_000,
    "socket.connection.setup.timeout.ms": 10_000,
    "socket.keepalive.enable": True,
    "reconnect.backoff.max.ms": 1000,  # as Java's clients; librdkafka waits 10 s
}
