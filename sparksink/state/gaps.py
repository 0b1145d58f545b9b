"""Tables that differ from the source until a new snapshot.

Messages were gone before they were read, or a statement changed rows without events.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from sparksink.schemas.unlogged_changes import statements_without_events
from sparksink.state import system_queries
from sparksink.state.system_tables import SystemTables

log = logging.getLogger(__name__)

_OPTIONAL: Final = {"seq_hi": None, "seq_lo": None, "reason": None}
"""Columns that only gaps of statements have."""


class Gaps:
    """The gaps of all tables, and the statements of the schema-change topic that cause some."""

    def __init__(self, own: SystemTables) -> None:
        self._own = own
        self._exist = False
        self._tables: Mapping[str, str] | None = None
        self._last_statement: int | None = None

    def open(self) -> None:
        """Read the stored state when it is needed."""
        self._exist = self._own.present("gaps") is not None
        self._tables, self._last_statement = None, None

    def reread(self) -> None:
        """Compare the gaps again: rows from before a position were removed."""
        self._tables = None

    def note_statements(self, found: Iterable[Mapping[str, Any]], read: Collection[str]) -> None:
        """Store new statements as rows of ``ddl``; ``read`` are the tables with messages."""
        rows = list(found)
        if not rows:
            return
        last = self._last_statement
        last = system_queries.last_statement(self._own) if last is None else last
        fresh = [one for one in rows if one["offset"] > last]
        if fresh:
            before = system_queries.last_statements(self._own)
            if changed := [*statements_without_events(fresh, before)]:
                self._add_statements(changed, read)
            self._own.add_all("ddl", fresh)
            self._last_statement = fresh[-1]["offset"]

    def _add_statements(
        self, statements: Iterable[Mapping[str, Any]], read: Collection[str]
    ) -> None:
        gaps: list[Mapping[str, Any]] = []
        for one in statements:
            if one["source_table"] in read:
                log.error("%s has changed without events%s: %s", one["source_table"],
                          f" ({one['reason']})" if one["reason"] else "", one["ddl"])  # fmt: skip
            offset, source = one["offset"], {"topic": "", "partition": 0}
            hi, lo = one["start"] or (None, None)
            given = {name: one[name] for name in ("source_table", "reason")}
            at = {"expected": offset, "earliest": offset, "seq_hi": hi, "seq_lo": lo}
            gaps.append({**source, **given, **at})
        self.add(gaps)

    def add(self, gaps: list[Mapping[str, Any]]) -> None:
        """Store gaps."""
        self._own.add_all("gaps", [{**_OPTIONAL, **one} for one in gaps])
        self._exist, self._tables = True, None

    def tables(self, read: Collection[str]) -> Mapping[str, str]:
        """Return the tables that differ from the source, with the reason.

        Statements may concern tables without messages (not in ``read``): these have no rows that
        could differ.
        """
        if self._tables is None:
            self._tables = system_queries.tables_with_gaps(self._own) if self._exist else {}
        return {
            name: reason
            for name, reason in self._tables.items()
            if name in read or reason == system_queries.LACKS_MESSAGES
        }
