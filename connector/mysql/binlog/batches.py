"""Lists of events, bounded in number and in bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from connector.mysql.binlog.whole_transactions import LogEvent

_EVENTS: Final = 500
_BYTES: Final = 4 << 20


def batches(events: Iterable[LogEvent]) -> Iterator[list[LogEvent]]:
    """Yield the events in lists, one at least; only the last event of a list may be large."""
    batch: list[LogEvent] = []
    size, is_first = 0, True
    for event in events:
        batch.append(event)
        size += event.size
        if len(batch) == _EVENTS or size >= _BYTES:
            yield batch
            batch, size, is_first = [], 0, False
    if batch or is_first:
        yield batch
