"""Finds what a table is like when what is known of it is wrong or in doubt.

Two sources can tell: the log, whose description of a table is complete with
``binlog_row_metadata=FULL``, and the server's SHOW CREATE TABLE. The server tells what the table is
now; it is believed if that fits the rows, and the log proves it or has no statement on the table
up to its end.
"""

from __future__ import annotations

import logging
from contextlib import closing
from typing import Final, Protocol

from connector.capture.change import SchemaChange
from connector.capture.tables import Table, TableId
from connector.errors import StopError
from connector.mysql.binlog.described import Charset, Collations, create_statement, unlike
from connector.mysql.binlog.fitting import difference
from connector.mysql.binlog.tablemap import TableMap
from connector.mysql.position.coordinates import Coordinates
from connector.mysql.session.connection import Connection, ConnectionSettings, quote

log = logging.getLogger(__name__)

_EVENTS: Final = 5_000  # how far the log is looked through
_STATEMENTS: Final = ("Query", "Query_compressed")


class Known(Protocol):
    """What is known of tables; see `connector.mysql.schema.tracker.SchemaTracker`."""

    def doubt(self, table: TableId) -> str | None:
        """Return why the known definition may be wrong."""

    def settle(self, table: TableId) -> None:
        """Take the known definition for right."""

    def read(self, ddl: str, database: str) -> Table | None:
        """Return the table of a definition, which changes nothing yet."""

    def define(self, ddl: str, table: TableId, at: Coordinates) -> list[SchemaChange]:
        """Put a definition in the place of one that proved wrong."""


class TableResolver:
    """`connector.mysql.binlog.tableplans.Definitions` of one stream; ``at`` is where it reads."""

    def __init__(
        self, settings: ConnectionSettings, known: Known, at: Coordinates, *, is_mariadb: bool
    ) -> None:
        self._settings = settings
        self._known = known
        self._at = at
        self._is_mariadb = is_mariadb

    def doubt(self, table: TableId) -> str | None:
        """Return why the known definition of a table may be wrong, None when it is sure."""
        return self._known.doubt(table)

    def settle(self, table: TableId) -> None:
        """Take the known definition for right."""
        self._known.settle(table)

    def find(self, table_map: TableMap) -> list[SchemaChange]:
        """Look for the definition that fits; return the changes by which it became known.

        :raises TransientError: the server does not answer.
        """
        with closing(Connection(self._settings)) as connection:
            if self._is_mariadb:  # as for a snapshot
                connection.execute("SET time_zone='+00:00'")
            ddl = self._definition(connection, table_map)
        return [] if ddl is None else self._known.define(ddl, table_map.table, self._at)

    def _definition(self, connection: Connection, table_map: TableMap) -> str | None:
        collations = _collations(connection) if table_map.names else {}
        shown = self._shown(connection, table_map.table)
        if shown is not None and self._is_believed(connection, shown, table_map, collations):
            return shown
        if not table_map.names:
            return None
        try:
            return create_statement(table_map, collations, is_mariadb=self._is_mariadb)
        except (LookupError, ValueError) as error:
            log.warning(
                "The log's description of %s is of no use: %s", table_map.table, type(error)
            )
            return None

    def _is_believed(
        self, connection: Connection, shown: str, table_map: TableMap, collations: Collations
    ) -> bool:
        name = table_map.table
        table = self._known.read(shown, name.database)
        if table is None:
            return False
        hides = self._is_mariadb and ("USING HASH" in shown or "WITH SYSTEM VERSIONING" in shown)
        fault = difference(table, table_map, table_map.hidden_columns() if hides else 0)
        if fault is None and table_map.names:
            fault = unlike(table, table_map, collations, is_mariadb=self._is_mariadb)
        elif fault is None and self._may_have_changed(connection, name):
            fault = "have been altered later in the log, or so it may be"
        if fault is not None:
            log.info("The server's definition of %s is left aside: it is said to %s", name, fault)
        return fault is None

    @staticmethod
    def _shown(connection: Connection, table: TableId) -> str | None:
        try:
            return connection.text(f"SHOW CREATE TABLE {table.quoted('`')}", 1)
        except StopError as error:  # there is none now, or none that we may see
            log.info("The server has no definition of %s: %s", table, error)
            return None

    def _may_have_changed(self, connection: Connection, table: TableId) -> bool:
        """Whether the log, from here to its end, has a statement with the name of a table.

        Asked for after the definition: what that has, the log had by then.
        """
        at = self._at
        sql = f"SHOW BINLOG EVENTS IN %s FROM {at.pos} LIMIT {_EVENTS}"
        try:
            events = connection.rows(sql, (at.file,))
        except StopError as error:
            log.info("The log cannot be looked through: %s", error)
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
