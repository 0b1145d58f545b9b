"""Durable maps from bytes to bytes, which store configurations, statuses and offsets.

Kafka Connect stores all three in compacted topics. The files of a standalone worker hold the
same keys and values, so the stores know one format only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

LogEntry = tuple[bytes, bytes | None]


class Log(Protocol):
    """A durable map with one writer. `read` comes first, once; the rest from any thread."""

    def read(self) -> dict[bytes, bytes]:
        """Return all entries in the order of their last write.

        :raises TransientError: the storage does not answer.
        :raises StopError: it is unreadable; the text names the remedy.
        """

    def write(self, entries: Sequence[LogEntry]) -> None:
        """Store the entries in order, None removing a key; returns once all are durable.

        :raises TransientError: the storage does not answer; some may be stored.
        :raises StopError: the storage refuses them permanently.
        """

    def post(self, entry: LogEntry) -> None:
        """Store an entry later and in order; a failure is logged, for entries that may be lost."""


def parse_json(content: bytes) -> Any:
    """Parse the JSON of an entry, which others may have written.

    :raises ValueError: it is not JSON, or nested too deeply.
    """
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("nested too deeply") from None
