"""The blocking snapshots that signals requested, and how offsets keep them until they are taken."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from connector.capture.change import Row
from connector.capture.signals.signal import Signal, SnapshotRequest, snapshot_request

log = logging.getLogger(__name__)

_KEY: Final = "millrace_blocking_snapshots"


@dataclass(frozen=True, slots=True)
class BlockingRequest:
    """A blocking snapshot; ``event`` is the source block of its signal's row, None without one."""

    signal: Signal
    tables: SnapshotRequest
    event: Row | None = None


class BlockingQueue:
    """The requested snapshots in their order. They survive a restart until they are taken."""

    def __init__(self) -> None:
        self._requests: deque[BlockingRequest] = deque()

    def add(self, signal: Signal, tables: SnapshotRequest, event: Row | None) -> None:
        """Add a request."""
        self._requests.append(BlockingRequest(signal, tables, event))

    @property
    def first(self) -> BlockingRequest | None:
        """The snapshot that is due, None if there is none."""
        return self._requests[0] if self._requests else None

    def remove_first(self) -> None:
        """Remove a snapshot that is taken, or cannot be."""
        self._requests.popleft()

    def to_offset(self) -> dict[str, Any]:
        """Return the key of an offset; none if no snapshot is due."""
        if not self._requests:
            return {}
        signals = [{"id": one.signal.id, "data": one.signal.data} for one in self._requests]
        return {_KEY: json.dumps(signals, ensure_ascii=False, separators=(",", ":"))}

    def restore(self, offset: Mapping[str, Any]) -> None:
        """Take the requests of an offset."""
        self._requests.clear()
        try:
            signals = [
                Signal(one["id"], "execute-snapshot", one["data"])
                for one in json.loads(offset.get(_KEY) or "[]")
            ]
        except (ValueError, KeyError, TypeError):
            log.warning("The stored requests of blocking snapshots are damaged: they are skipped")
            return
        for signal in signals:
            tables = snapshot_request(signal)
            if tables is not None:
                self.add(signal, tables, None)
