"""Batches of events of random tables."""

from __future__ import annotations

from typing import Any

from connector.capture.change import EventBatch, RowChanges, RowsOfKind
from tests.unit.native.random_tables import Described
from tests.unit.native.row_messages import SOURCE_VALUES

Part = tuple[Described, int, bytes]
"""A table, the type of an event and its images."""


def changes_of(parts: list[Part]) -> list[RowChanges]:
    """Return a change for each event; each has another source block."""
    changes = []
    for number, (table, kind, images) in enumerate(parts):
        event = table.event(kind, images)
        rows = table.plan().rows(event)
        source = tuple(
            value + number if isinstance(value, int) else value for value in SOURCE_VALUES
        )
        changes.append(RowChanges(table.codec, event.kind, rows, source))
    return changes


def batch_of(changes: list[RowChanges]) -> EventBatch:
    kinds: dict[Any, list[int]] = {}
    for change in changes:
        kinds.setdefault((id(change.codec), change.op), []).append(len(change.rows))
    codecs = {id(change.codec): change.codec for change in changes}
    numbers = {kind: number for number, kind in enumerate(kinds)}
    events: list[Any] = [
        (numbers[id(change.codec), change.op], change.rows, change.source) for change in changes
    ]
    return EventBatch(
        [
            RowsOfKind(codecs[codec], op, sum(counts), max(counts))
            for (codec, op), counts in kinds.items()
        ],
        events,
    )
