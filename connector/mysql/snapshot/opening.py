"""Builds snapshots from the components of a source."""

from __future__ import annotations

from dataclasses import replace

from connector.capture.change import Row
from connector.capture.signals.signal import SnapshotRequest
from connector.mysql.snapshot.blocking import BlockingSnapshot, StandingSource
from connector.mysql.snapshot.chunked import ChunkedSnapshot
from connector.mysql.snapshot.snapshot import Snapshot
from connector.mysql.snapshot.snapshot_parts import SnapshotParts
from connector.mysql.snapshot.table_choice import TableChoice, included_by


def initial_snapshot(parts: SnapshotParts, *, in_chunks: bool = False) -> Snapshot:
    """Return the snapshot of all captured tables.

    :param in_chunks: tables are read in chunks later, as far as they have keys.
    """
    options = parts.options
    order = options.table_order, options.row_count_order
    includes = included_by(options.included)
    kind = ChunkedSnapshot if in_chunks else Snapshot
    return kind(parts, TableChoice(parts.selection, includes, options.selects, *order))


def blocking_snapshot(
    parts: SnapshotParts, request: SnapshotRequest, event: Row | None
) -> BlockingSnapshot:
    """Return the snapshot of the tables that a signal requests.

    Its conditions replace the configured SELECTs. ``event`` is the source block of the event at
    which the stream stands.
    """
    found = ((str(table), request.statement(table)) for table in parts.definitions.tables())
    selects = {table: select for table, select in found if select is not None}
    options, block = replace(parts.options, selects=selects), parts.source
    order = options.table_order, options.row_count_order
    choice = TableChoice(parts.selection, request.includes, selects, *order)
    standing = StandingSource(block.version, block.connector, block.name, event)
    return BlockingSnapshot(replace(parts, options=options, source=standing), choice)
