"""Resolves the schema of a table when the tracked definition is wrong or unresolved.

There are two sources: the log, whose description of a table is complete with
``binlog_row_metadata=FULL``, and the server's SHOW CREATE TABLE. The server has the definition of
now; it is used if it fits the rows, and the log confirms it or has no statement on the table up to
its end.
"""

from __future__ import annotations

import logging
from contextlib import closing
from typing import Final, Protocol

from connector.capture.change import SchemaChange
from connector.capture.tables import Table, TableId
from connector.errors import StopError
from connector.mysql.binlog.described import (
    Charset,
    Collations,
    create_statement,
    described_difference,
)
from connector.mysql.binlog.fitting import difference
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.session.connection import Connection, quote
from connector.mysql.session.connection_settings import ConnectionSettings

log = logging.getLogger(__name__)

_EVENTS: Final = 5_000  # how much of the log is searched
_STATEMENTS: Final = ("Query", "Query_compressed")


class TrackedSchema(Protocol):
    """The tracked definitions; see `connector.mysql.schema.tracker.SchemaTracker`."""

    def unresolved_reason(self, table: TableId) -> str | None:
        """Return why the schema of a table is unresolved, None if it is not."""

    def mark_resolved(self, table: TableId) -> None:
        """Confirm the tracked definition."""

    def parse(self, ddl: str, database: str) -> Table | None:
        """Return the table of a definition, without any effect."""

    def define(self, ddl: str, table: TableId, at: Coordinates) -> list[SchemaChange]:
        """Replace a definition that proved wrong."""


class TableResolver:
    """`connector.mysql.binlog.tableplans.Definitions` of one stream, which reads at ``at``."""

    def __init__(
        self,
        settings: ConnectionSettings,
        schema: TrackedSchema,
        at: Coordinates,
        *,
        is_mariadb: bool,
    ) -> None:
        self._settings = settings
        self._schema = schema
        self._at = at
        self._is_mariadb = is_mariadb

    def unresolved_reason(self, table: TableId) -> str | None:
        """Return why the schema of a table is unresolved, None if it is not."""
        return self._schema.unresolved_reason(table)

    def mark_resolved(self, table: TableId) -> None:
        """Confirm the tracked definition."""
        self._schema.mark_resolved(table)

    def resolve(self, table_map: TableMap) -> list[SchemaChange]:
        """Find the definition that fits; return the changes that define it.

        :raises TransientError: the server does not answer.
        """
        with closing(Connection(self._settings)) as connection:
            if self._is_mariadb:  # as for a snapshot
                connection.execute("SET time_zone='+00:00'")
            ddl = self._definition(connection, table_map)
        return [] if ddl is None else self._schema.define(ddl, table_map.table, self._at)

    def _definition(self, connection: Connection, table_map: TableMap) -> str | None:
        collations = _collations(connection) if table_map.names else {}
        ddl = self._show_create_table(connection, table_map.table)
        if ddl is not None and self._is_usable(connection, ddl, table_map, collations):
            return ddl
        if not table_map.names:
            return None
        try:
            return create_statement(table_map, collations, is_mariadb=self._is_mariadb)
        except (LookupError, ValueError) as error:
            log.warning(
                "The description of table %s in the binlog is unusable: %s",
                table_map.table,
                type(error),
            )
            return None

    def _is_usable(
        self, connection: Connection, ddl: str, table_map: TableMap, collations: Collations
    ) -> bool:
        name = table_map.table
        table = self._schema.parse(ddl, name.database)
        if table is None:
            return False
        hides = self._is_mariadb and ("USING HASH" in ddl or "WITH SYSTEM VERSIONING" in ddl)
        fault = difference(table, table_map, table_map.hidden_columns() if hides else 0)
        if fault is None and table_map.names:
            fault = described_difference(table, table_map, collations, is_mariadb=self._is_mariadb)
        elif fault is None and self._may_have_changed(connection, name):
            fault = "the table may have been altered later in the binlog"
        if fault is not None:
            log.info(
                "The server's definition of table %s does not match the binlog: %s", name, fault
            )
        return fault is None

    @staticmethod
    def _show_create_table(connection: Connection, table: TableId) -> str | None:
        try:
            return connection.text(f"SHOW CREATE TABLE {table.quoted('`')}", 1)
        except StopError as error:  # there is none now, or the user has no privilege
            log.info("The server has no definition of table %s: %s", table, error)
            return None

    def _may_have_changed(self, connection: Connection, table: TableId) -> bool:
        """Whether the log, from here to its end, has a statement with the name of a table.

        Requested after the definition, so that the log has every statement that is part of it.
        """
        at = self._at
        sql = f"SHOW BINLOG EVENTS IN %s FROM {at.pos} LIMIT {_EVENTS}"
        try:
            events = connection.rows(sql, (at.file,))
        except StopError as error:
            log.info("The binlog cannot be searched for later statements: %s", error)
            return True
        if len(events) == _EVENTS or not events or any(event[2] == "Rotate" for event in events):
            return True
        name = table.table.casefold()
        statements = (str(event[5]) for event in events if event[2] in _STATEMENTS)
        return any(name in text.replace("``", "`").casefold() for text in statements)


def _collations(connection: Connection) -> dict[int, Charset]:
    widths = {
        str(name): int(width)
        for name, width in connection.rows(
            "SELECT CHARACTER_SET_NAME, MAXLEN FROM information_schema.CHARACTER_SETS"
        )
    }
    table = "COLLATIONS"
    if connection.is_mariadb and connection.version_number >= (10, 10):
        table = "COLLATION_CHARACTER_SET_APPLICABILITY"  # one collation of many character sets
    sql = f"SELECT ID, CHARACTER_SET_NAME FROM information_schema.{quote(table)}"  # noqa: S608 - one of two names
    return {
        int(number): Charset(str(name), widths.get(str(name), 4))
        for number, name in connection.rows(sql)
        if number is not None and name is not None
    }
