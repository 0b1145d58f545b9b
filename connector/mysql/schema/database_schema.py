"""The schema of the captured server: DDL in, schema changes out.

What is recorded in the schema history, what is published to the schema change topic, and under
which names, follows Debezium 3.6.1 exactly: consumers and recorded histories depend on it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any, Final

from connector.capture.change import SchemaChangeKind, TableChange
from connector.capture.tables import Table, TableId, Tables
from connector.data.java import copied_hash_order
from connector.errors import DdlError
from connector.mysql.ddl.apply_text import apply_text
from connector.mysql.ddl.catalog import Catalog
from connector.mysql.ddl.events import DdlEvent, EventKind
from connector.mysql.ddl.statement_filter import (
    changes_unrecorded_table,
    is_data_change,
    is_distributed,
    is_truncate,
    may_remove_table,
)
from connector.mysql.ddl.variables import Quoting, SystemVariables
from connector.mysql.schema.ddl_change import DdlChange, unrecorded_removals
from connector.mysql.schema.schema_rules import SchemaRules, is_global_set
from connector.mysql.schema.server_charsets import ServerCharsets
from connector.mysql.schema.unparsed import UnparsedStatements

_LOG: Final = logging.getLogger(__name__)
_IGNORED: Final = frozenset({"BEGIN", "END", "FLUSH PRIVILEGES"})
_BLANK: Final = "".join(map(chr, range(33)))

_KINDS: Final[dict[EventKind, SchemaChangeKind]] = {
    "CREATE_TABLE": "CREATE",
    "ALTER_TABLE": "ALTER",
    "CREATE_INDEX": "ALTER",
    "DROP_TABLE": "DROP",
    "TRUNCATE_TABLE": "TRUNCATE",
    "CREATE_DATABASE": "DATABASE",
    "DROP_DATABASE": "DATABASE",
    "USE_DATABASE": "DATABASE",
    "SET_VARIABLE": "DATABASE",
}


class DatabaseSchema:
    """The tables of a server as its DDL statements made them.

    ``tables`` is changed by `apply` and `replay`; all known tables stand in it, captured or not,
    unless the history stores captured ones only. ``unparsed`` are the statements that could not be
    parsed.
    """

    def __init__(self, rules: SchemaRules, tables: Tables) -> None:
        self.tables = tables
        self.unparsed = UnparsedStatements(tables.key)
        self._rules = rules
        self._catalog = _catalog(tables, rules)

    @property
    def variables(self) -> SystemVariables:
        """The server's system variables; a snapshot sets the global ``sql_mode`` here."""
        return self._catalog.variables

    def assume_charsets(self, charsets: ServerCharsets) -> None:
        """Take charsets of databases from the server where no statement sets them."""
        self._catalog.assume_charsets(charsets.server, charsets.databases)

    def state(self) -> dict[str, Any] | None:
        """Return all state except the tables; None while the schema of a table is unresolved."""
        return None if self.unparsed else self._catalog.state()

    def restore(self, state: Mapping[str, Any], tables: Iterable[Table]) -> None:
        """Restore a `state` and its tables."""
        self._catalog.restore(state, tables)

    def apply(self, statement: str, database: str, sql_mode: int | None = None) -> list[DdlChange]:
        """Apply a statement of the binary log and return the changes it made, in order.

        BEGIN, COMMIT and other boundaries of transactions must not be passed.

        :param sql_mode: the bits of the session's mode, None where the log does not contain them.
        :raises DdlError: when the statement cannot be parsed or applied and
            ``skip_unparseable_ddl`` is off.
        """
        sql = statement.strip(_BLANK)
        if is_distributed(sql):
            return []
        if not is_truncate(sql) and self._rules.ddl_filter(sql):
            return []
        if is_data_change(sql):
            _LOG.warning(
                "The binary log holds a data change as a statement, which is skipped; set "
                "binlog_format=ROW."
            )
            return []
        if sql in _IGNORED:
            return []
        return self._apply(sql, database, None if sql_mode is None else Quoting.of_bits(sql_mode))

    def apply_snapshot(self, statement: str, database: str) -> list[DdlChange]:
        """Apply a statement that a snapshot generated or read from SHOW CREATE TABLE.

        :raises DdlError: as `apply` does.
        """
        return self._apply(statement, database, self._definition_quoting())

    def replay(self, statement: str, database: str | None) -> None:
        """Apply a statement of the schema history.

        One that cannot be parsed leaves the schema of its tables unresolved.

        :param database: the current database; None leaves it as it was.
        """
        if self._rules.ddl_filter(statement):
            return
        current = self._catalog.database if database is None else database
        try:
            self._parse(statement, current)
        except DdlError as error:
            _LOG.warning("A statement of the schema history cannot be parsed: %s", error)
            self.unparsed.add(statement, f"{error} The statement is in the schema history.")

    def must_replay(self, statement: str) -> bool:
        """Return whether a recorded statement has effects that its record does not contain."""
        return changes_unrecorded_table(statement) or self.unparsed.may_propagate(statement)

    def add_unparsed(self, statement: str, database: str, reason: str) -> DdlChange:
        """Return the change of a statement that could not be parsed; it names no tables.

        :param reason: the error and the statement; it must not contain values.
        """
        self.unparsed.add(statement, reason)
        sql = statement.strip(_BLANK)
        change = DdlChange("DATABASE", database, sql, (), None, database, "", recorded=True)
        return replace(change, cause="unparsed")

    def define(self, statement: str, table: TableId) -> list[DdlChange]:
        """Apply a CREATE TABLE that replaces a definition that was wrong or unresolved.

        An unresolved definition that proves right is a change too: the history must contain it.

        :raises DdlError: it cannot be parsed.
        """
        events = apply_text(self._catalog, statement, table.database, self._definition_quoting())
        if not events and self.unparsed.last_concerning(table):
            events = [DdlEvent("CREATE_TABLE", statement, table.database, table)]
        if not events:
            return []
        self.unparsed.mark_resolved(table)
        return [replace(change, cause="resolved") for change in self._changes(events)]

    def redefine(self, change: TableChange, database: str, schema: str | None) -> DdlChange | None:
        """Apply a change that a signal requests; None if it is neither recorded nor published.

        As in Debezium, the table of a DROP is kept: the event names no table.
        """
        rules = self._rules
        if rules.store_only_captured_tables_ddl and not rules.captures(change.id):
            return None
        changes = () if change.table is None else (change,)
        if change.table is not None:
            if change.previous_id is not None:
                self.tables.remove(change.previous_id)
            self.tables.put(change.table)
            self.unparsed.mark_resolved(change.id)
        return DdlChange(
            change.type, database, None, changes, change.id, database, None, True, schema=schema
        )

    def parse(self, statement: str, database: str) -> Table | None:
        """Return the table of a CREATE TABLE, without any effect; None if there is none."""
        separate = _catalog(Tables(), self._rules)
        try:
            apply_text(separate, statement, database)
        except DdlError as error:
            _LOG.warning("The server's definition of a table cannot be parsed: %s", error)
        return next(iter(separate.tables), None)

    def _definition_quoting(self) -> Quoting:
        """Return how sessions of Millrace show definitions; see `whole_definitions`."""
        return self._catalog.variables.quoting()._replace(oracle=False)

    def _apply(self, sql: str, database: str, quoting: Quoting | None = None) -> list[DdlChange]:
        removes = self._rules.stores_some and may_remove_table(sql)
        known = self.tables.names() if removes else []
        events = self._parse(sql, database, quoting)
        changes = self._selected_changes(events, sql, database)
        gone = [name for name in known if name not in self.tables and self._rules.captures(name)]
        return changes + unrecorded_removals(gone, sql, changes, self.tables.key)

    def _selected_changes(self, events: list[DdlEvent], sql: str, database: str) -> list[DdlChange]:
        """Return the changes that pass the filters for recording and publishing."""
        if self._rules.store_only_captured_tables_ddl:
            is_stored = is_global_set(sql, database) or any(map(self._rules.matches, events))
            if not is_stored:
                return []
        if not events:
            change = DdlChange("DATABASE", database, sql, (), None, database, "", recorded=True)
            return [change] if self._rules.is_published(change) else []
        changes: list[DdlChange] = []
        for _, group in groupby(events, key=lambda event: event.database):
            changes += self._changes(list(group))
        return [change for change in changes if self._rules.is_published(change)]

    def _parse(self, sql: str, database: str, quoting: Quoting | None = None) -> list[DdlEvent]:
        try:
            events = apply_text(self._catalog, sql, database, quoting)
        except DdlError as error:
            if not self._rules.skip_unparseable_ddl:
                raise
            _LOG.warning("A DDL statement is skipped: %s", error)
            return []
        for event in events:
            self._track_unparsed(event)
        return events

    def _track_unparsed(self, event: DdlEvent) -> None:
        """Update which tables have an unresolved schema."""
        if event.table is None:
            return
        if event.kind == "CREATE_TABLE" and event.origin is not None:
            self.unparsed.copy(event.origin, event.table)
        elif event.kind in ("CREATE_TABLE", "DROP_TABLE"):
            self.unparsed.mark_resolved(event.table)
        elif event.origin is not None:
            self.unparsed.rename(event.origin, event.table)

    def _changes(self, events: list[DdlEvent]) -> list[DdlChange]:
        """Return the changes of the events of one database."""
        database, rules = events[0].database, self._rules
        is_excluded = database and not rules.captures_database(database)
        if is_excluded and rules.store_only_captured_tables_ddl:
            return []
        touched = copied_hash_order(str(event.table) for event in events if event.table)
        names = {str(event.table): event.table.table for event in events if event.table}
        source_table = ",".join(names[name] for name in touched) or None
        return [
            self._change(event, source_table)
            for event in events
            if event.kind != "SET_VARIABLE" or event.order == 0
        ]

    def _change(self, event: DdlEvent, source_table: str | None) -> DdlChange:
        kind = _KINDS[event.kind]
        known = self.tables.get(event.table) if event.table else None
        table_id = event.table if kind == "DROP" else known.id if known else None
        if kind == "TRUNCATE" and table_id is None:
            kind = "DATABASE"  # the table is unknown: recorded like any other statement
        changes = _table_changes(kind, event, table_id, known)
        recorded = kind != "TRUNCATE" and self._rules.is_recorded(event, table_id)
        return DdlChange(
            kind,
            event.database,
            event.statement,
            changes,
            table_id,
            event.database,
            source_table,
            recorded,
        )


def _catalog(tables: Tables, rules: SchemaRules) -> Catalog:
    return Catalog(
        tables, rules.dialect, rules.captures, comments=rules.comments, exact=rules.exact
    )


def _table_changes(
    kind: SchemaChangeKind, event: DdlEvent, table_id: TableId | None, table: Table | None
) -> tuple[TableChange, ...]:
    if kind == "DROP" and table_id is not None:
        return (TableChange("DROP", table_id),)
    if table is not None and kind in {"CREATE", "ALTER"}:
        return (TableChange(kind, table.id, table, event.previous, _origin(event)),)
    return ()


def _origin(event: DdlEvent) -> TableId | None:
    """Return the former name of a renamed table."""
    return event.origin if event.kind == "ALTER_TABLE" else None
