"""The configuration that decides whether a statement is recorded and published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from connector.capture.tables import TableId
from connector.mysql.ddl.events import DdlEvent
from connector.mysql.ddl.statement_filter import ddl_filter
from connector.mysql.ddl.tokens import Dialect
from connector.mysql.schema.ddl_change import DdlChange


@dataclass(frozen=True, slots=True)
class SchemaRules:
    """The configuration that decides whether a statement is recorded and published.

    ``captures`` and ``captures_database`` are the table and database filters.
    ``comments`` keeps comments: ``include.schema.comments`` for MySQL, for MariaDB
    ``include.schema.changes``. ``exact``: types and character sets are those of the server, also
    where Debezium reads others (``compat.mode=exact``). The others are named for
    ``schema.history.internal.…``.
    """

    dialect: Dialect = "mysql"
    captures: Callable[[TableId], bool] = lambda _: True
    captures_database: Callable[[str], bool] = lambda _: True
    comments: bool = False
    exact: bool = False
    store_only_captured_tables_ddl: bool = False
    store_only_captured_databases_ddl: bool = False
    skip_unparseable_ddl: bool = False
    ddl_filter: Callable[[str], bool] = field(default_factory=ddl_filter)

    def matches(self, event: DdlEvent) -> bool:
        """Return whether an event concerns captured tables or databases."""
        if event.kind == "CREATE_INDEX":
            return False
        if event.table is not None:
            return self.captures(event.table)
        return self.captures_database(event.database)

    @property
    def stores_some(self) -> bool:
        """Whether the schema history contains the statements on some tables only."""
        return self.store_only_captured_tables_ddl or self.store_only_captured_databases_ddl

    def is_recorded(self, event: DdlEvent, table: TableId | None) -> bool:
        """Return whether the change of an event goes into the schema history."""
        if not self.store_only_captured_tables_ddl:
            return True
        if is_global_set(event.statement, event.database):
            return True
        return table is not None and self.captures(table)

    def is_published(self, change: DdlChange) -> bool:
        """Return whether a change passes the filters for recording and publishing."""
        is_excluded = change.database and not self.captures_database(change.database)
        if is_excluded and self.store_only_captured_databases_ddl:
            return False
        if change.table is None or change.kind == "TRUNCATE":
            return True
        return not self.store_only_captured_tables_ddl or self.captures(change.table)


def is_global_set(statement: str, database: str) -> bool:
    """Return whether a statement sets variables of the server, outside any database."""
    return not database and statement[:4].upper() == "SET "
