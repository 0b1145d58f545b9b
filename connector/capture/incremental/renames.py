"""Follows statements that change which table has a name, while tables are read in chunks.

The rows of a table that takes a name were never emitted under it, and the log has no events of
them: what was read of the name before counts no longer.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import replace

from connector.capture.change import SchemaChange
from connector.capture.incremental.chunk_source import ChunkSource
from connector.capture.incremental.state import SnapshotState
from connector.capture.incremental.table_state import TableState
from connector.capture.tables import TableId

log = logging.getLogger(__name__)


def follow_names(state: SnapshotState, change: SchemaChange, chunks: ChunkSource) -> list[TableId]:
    """Start tables again whose names other tables have now, or none; return the names.

    A table that was renamed is also read under its new name, because its topic is another one.
    """
    renamed = _renamed(change, chunks)
    replaced = _replaced(change, renamed, chunks)
    found: list[TableId] = []
    for one in (*state.tables, *state.failed.values()):
        is_gone = one.is_started and chunks.schema(one.table) is None
        if not is_gone and chunks.key(one.table) not in replaced:
            continue
        found.append(one.table)
        if one.is_started:
            log.info("Table %s was renamed, replaced or dropped: it is read again", one.table)
        one.restart()
        new = renamed.get(chunks.key(one.table))
        if new is not None:
            _add_renamed(state, one, new, chunks)
    state.touch()
    return found


def _renamed(change: SchemaChange, chunks: ChunkSource) -> Mapping[TableId, TableId]:
    """Return the new names of tables by the keys of their names before the statement."""
    found: dict[TableId, TableId] = {}
    for altered in change.changes:
        origin = altered.previous_id or altered.origin
        if origin is None or chunks.key(origin) == chunks.key(altered.id):
            continue
        current = {chunks.key(new): first for first, new in found.items()}
        first = current.get(chunks.key(origin), chunks.key(origin))
        found[first] = altered.id
    return found


def _replaced(
    change: SchemaChange, renamed: Mapping[TableId, TableId], chunks: ChunkSource
) -> Collection[TableId]:
    """Return the keys of names that are those of other tables now, or of none."""
    changes = change.changes if change.cause == "parsed" else ()
    made = {chunks.key(one.id) for one in changes if one.type in ("CREATE", "DROP")}
    return made | renamed.keys() | set(map(chunks.key, renamed.values()))


def _add_renamed(state: SnapshotState, one: TableState, new: TableId, chunks: ChunkSource) -> None:
    """Request a table under its new name, in the same condition; its former name may be free."""
    schema = chunks.schema(new)
    key = chunks.key(new)
    if schema is None or any(chunks.key(other) == key for other in state.requested):
        return
    log.info("Table %s was renamed to %s: it is read from its start", one.table, new)
    one.is_renamed = True
    request = replace(one.request, table=schema.table.id)
    added = TableState(request, one.is_initial, reason=one.reason, stop=one.stop)
    added.is_known = True  # an offset may have it and a position before the statement
    if one.reason:
        state.failed[str(added.table)] = added
    else:
        state.add([added])
