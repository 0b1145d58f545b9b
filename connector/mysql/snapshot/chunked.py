"""An initial snapshot of which most rows are read later, in chunks, while the log is streamed."""

from __future__ import annotations

from connector.capture.tables import TableId
from connector.mysql.snapshot.selects import configured_select
from connector.mysql.snapshot.snapshot import Snapshot


class ChunkedSnapshot(Snapshot):
    """Reads the definitions, and the rows of tables that cannot be read in chunks.

    Those have no primary key, their messages have none, or a SELECT of their own reads them.
    """

    def _read_now(self, tables: list[TableId]) -> list[TableId]:
        return [table for table in tables if not self._has_chunks(table)]

    def _has_chunks(self, name: TableId) -> bool:
        table = self._tracker.tables.get(name)
        if table is None or not table.primary_key:
            return False
        if configured_select(self._options.selects, name):
            return False
        return bool(self._codec(name).key_slots)
