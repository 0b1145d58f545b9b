"""Finds the tables that signals name, and those that are to be stopped when a window ends."""

from __future__ import annotations

from collections.abc import Iterable

from connector.capture.incremental.chunk_source import ChunkSource
from connector.capture.incremental.state import SnapshotState
from connector.capture.incremental.table_state import TableState
from connector.capture.signals.signal import SnapshotRequest
from connector.capture.tables import TableId


def find_named(
    request: SnapshotRequest, tables: Iterable[TableState], chunks: ChunkSource
) -> list[TableState]:
    """Return the tables that a request names, in its order and that of the captured ones."""
    tables = list(tables)
    known = dict.fromkeys([*chunks.tables(), *(one.table for one in tables)])
    ranks: dict[TableId, int] = {}
    for table in request.expand(known):
        ranks.setdefault(chunks.key(table), len(ranks))
    found = [one for one in tables if chunks.key(one.table) in ranks]
    return sorted(found, key=lambda one: ranks[chunks.key(one.table)])


def find_failed(request: SnapshotRequest, state: SnapshotState, chunks: ChunkSource) -> list[str]:
    """Return the names of the failed tables that a request means."""
    named = find_named(request, state.failed.values(), chunks)
    return [name for name, one in state.failed.items() if one in named]


def mark_stopped(state: SnapshotState, request: SnapshotRequest, chunks: ChunkSource) -> None:
    """Note which tables are to be stopped; those that are requested later are not."""
    first = max((one.stop for one in state.tables), default=0) + 1
    for number, one in enumerate(find_named(request, state.tables, chunks), first):
        one.stop = one.stop or number
    state.is_stopping = True
    state.touch()


def remove_stopped(state: SnapshotState) -> tuple[list[TableId], TableState | None]:
    """Remove the stopped tables but the one that is read; return all, and that one.

    It is the last of them.
    """
    state.is_stopping = False
    current = state.tables[0]
    stopped = sorted((one for one in state.tables if one.stop), key=lambda one: one.stop)
    names = dict.fromkeys(one.table for one in stopped if one.table != current.table)
    state.keep(lambda one: not one.stop or one is current)
    if not current.stop:
        return list(names), None
    return [*names, current.table], current
