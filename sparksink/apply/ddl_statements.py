"""Follows DDL statements that change tables without row events."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from sparksink.config.keys import SinkConfig
from sparksink.schemas.definitions import Definitions
from sparksink.schemas.schema_changes import parse_statements
from sparksink.source.routed_tables import is_table
from sparksink.source.routes import Routes
from sparksink.state.sink_state import SinkState
from sparksink.state.snapshots import ReadProgress
from sparksink.state.table_result import Boundary, TableResult

Sweep = Callable[[str, str, Boundary], TableResult | None]
"""Removes the rows of a topic's table from before a position; None if the table is parked."""


class DdlStatements:
    """Stores the statements of the schema-change topic, and empties tables that were created again.

    Without new rows such a table would keep its older ones, as no message arrives. ``seen`` are the
    topics that this job has read.
    """

    def __init__(
        self,
        config: SinkConfig,
        definitions: Definitions,
        state: SinkState,
        sweep: Sweep,
        seen: Collection[str],
    ) -> None:
        self._config = config
        self._definitions = definitions
        self._state = state
        self._sweep = sweep
        self._seen = seen
        self._before: Mapping[str, str] | None = None
        self._unstored: list[Mapping[str, Any]] = []

    def store(self) -> bool:
        """Read and store new statements of the schema-change topic; return whether there are any.

        If storing fails, the next call stores them: they are read only once.
        """
        found = self._definitions.refresh()
        changes = self._definitions.value_changes
        for one in parse_statements(found, self._config.ordering, self._config.source.table_name):
            statement = one["start"], one["ddl"] or "", one["kind"] or ""
            reason = changes.reason(one["source_table"], statement)
            self._unstored.append({**one, "reason": reason})
        self._state.note_statements(self._unstored)
        self._unstored = []
        return bool(found)

    def follow(self, progress: ReadProgress) -> list[TableResult]:
        """Empty the tables that were created again, with separate commits.

        Statements may be ahead of the topics: no batch is a transactional cut before these are read
        up to their present ends.
        """
        due = self._created_again()
        if not due:
            return []
        name, known = f"statements:{uuid.uuid4().hex}", None
        if self._config.source.transaction_topic is not None:
            before = self._state.transactions
            known = replace(before, snapshot=before.snapshot.with_end(progress.present))
            self._state.commit(name, 0, "{}", [], known)
        swept = [self._sweep(self._topic_of(table), table, end) for table, end in due.items()]
        done = [one for one in swept if one is not None]
        self._state.commit(name, 1, "{}", [replace(one, highest=None) for one in done], known)
        return done

    def _created_again(self) -> dict[str, Boundary]:
        """Return the tables with rows from before they were created again, and that position."""
        found = {}
        for table, versions in self._definitions.all_versions().items():
            created = versions.created
            if created is None or self._state.is_swept(table, created):
                continue
            ignored = self._config.table(table).mirror.truncate == "ignore"
            if self._topic_of(table) and not ignored and table not in self._state.parked_tables():
                found[table] = Boundary(*created, None)
        return found

    def _topic_of(self, table: str) -> str:
        """Return the topic of a table; empty if it had no messages."""
        routes = Routes(self._config)
        if self._before is None:
            known = filter(is_table, self._state.topics())
            self._before = {routes.route(topic).table: topic for topic in known}
        now = {routes.route(topic).table: topic for topic in self._seen if is_table(topic)}
        return now.get(table, self._before.get(table, ""))
