"""Defaults of the settings of a capture's producer, which the user's settings override.

Connect's own defaults (no compression, no linger, one request in flight) make a task several times
slower.

With a backlog, messages wait in the queue until one of five requests in flight is answered. Once
they are older than ``linger.ms``, librdkafka's thread asks the socket for that answer without a
pause, which took a fifth of the task's CPU with 5 ms. So ``linger.ms`` is longer than the queue
takes to send, except to slow brokers. Nothing waits for it where the end of the backlog is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

DEFAULTS: Final[Mapping[str, Any]] = {
    "acks": "all",
    "enable.idempotence": True,
    "compression.type": "lz4",
    "linger.ms": 50,
    "batch.size": 1_000_000,
    "batch.num.messages": 20_000,
    "max.in.flight.requests.per.connection": 5,
    "queue.buffering.max.messages": 100_000,
    "queue.buffering.max.kbytes": 8_192,  # librdkafka allocates as much again for each request
    "message.max.bytes": 100_000_000,
    "delivery.timeout.ms": 2_147_483_647,
    "partitioner": "murmur2_random",
    "socket.nagle.disable": True,
    "allow.auto.create.topics": False,  # the broker knows no rules of topic.creation.*
    # How long a topic that the brokers deny may still reach them: a new topic was awaited when
    # it was created. Librdkafka's 30 s delay the detection of a deleted topic.
    "topic.metadata.propagation.max.ms": 5_000,
}
