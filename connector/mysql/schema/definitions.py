"""Reads the definitions of databases and tables from the server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from connector.capture.tables import TableId
from connector.data.java import grown_hash_order
from connector.errors import AccessDeniedError, StopError
from connector.mysql.session.connection import Connection, quote

log = logging.getLogger(__name__)

BUILTIN_DATABASES = ("mysql", "performance_schema", "sys", "information_schema")


@dataclass(frozen=True, slots=True)
class Definition:
    """A statement that defines a part of the schema; ``database`` is where it runs."""

    database: str
    ddl: str


class DefinitionReader:
    """Reads definitions through one connection.

    ``includes`` selects tables. By default it selects all, because a table that is not captured
    today may be tomorrow. ``hidden`` are databases that are skipped.
    """

    def __init__(
        self,
        connection: Connection,
        includes: Callable[[TableId], bool],
        hidden: Collection[str] = BUILTIN_DATABASES,
    ) -> None:
        self._connection = connection
        self._includes = includes
        self._hidden = hidden

    def with_connection(self, connection: Connection) -> DefinitionReader:
        """Return a reader of the same definitions through another connection."""
        return DefinitionReader(connection, self._includes, self._hidden)

    def tables(self) -> list[TableId]:
        """Return all base tables, sorted, except those in hidden databases."""
        found = []
        for (database,) in self._connection.rows("SHOW DATABASES"):
            if str(database).lower() in self._hidden:
                continue
            sql = f"SHOW FULL TABLES IN {quote(database)} WHERE Table_Type = 'BASE TABLE'"
            try:
                rows = self._connection.rows(sql)
            except AccessDeniedError:
                log.warning(
                    "Database %s is skipped: the user may not list its tables",
                    database,
                )
                continue
            found += [TableId(str(database), str(name)) for name, _ in rows]
        return sorted(found, key=str)

    def read(
        self, tables: Sequence[TableId], *, in_hash_order: bool = False
    ) -> Iterator[Definition]:
        """Yield statements that create the tables: settings, drops, then each database's tables.

        :param in_hash_order: the tables of a database come in the order of a Java HashMap, into
            which Debezium puts their statements if it takes no lock.
        """
        included = [table for table in tables if self._includes(table)]
        yield Definition("", self._settings())
        for table in included:
            yield Definition(table.database, f"DROP TABLE IF EXISTS {table.quoted('`')}")
        charsets = self._default_charsets()
        for database in dict.fromkeys(table.database for table in included):
            name = quote(database)
            yield Definition(database, f"DROP DATABASE IF EXISTS {name}")
            yield Definition(database, f"CREATE DATABASE {name}{charsets.get(database, '')}")
            yield Definition(database, f"USE {name}")
            own = [table for table in included if table.database == database]
            yield from self.read_tables(own, in_hash_order=in_hash_order)

    def read_tables(
        self, tables: Sequence[TableId], *, in_hash_order: bool = False
    ) -> Iterator[Definition]:
        """Yield the statements that create some tables."""
        for table in _in_hash_order(tables) if in_hash_order else tables:
            yield Definition(table.database, self.create_table(table))

    def create_table(self, table: TableId) -> str:
        """Return the CREATE TABLE statement of a table."""
        text = self._connection.text(f"SHOW CREATE TABLE {table.quoted('`')}", 1)
        if text is None:
            raise StopError(
                f"The server returned no definition of table {table}.",
                "Exclude the table with table.exclude.list, or check that the user may run SHOW "
                "CREATE TABLE on it; then restart the task.",
            )
        return text

    def row_estimates(self, databases: Collection[str]) -> dict[TableId, int | None]:
        """Return the server's estimates of the rows of all tables, None where it has none."""
        if not databases:
            return {}
        sql = (
            "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_ROWS FROM information_schema.TABLES "
            "WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA IN "
        )
        places = ", ".join(["%s"] * len(databases))
        return {
            TableId(str(database), str(table)): None if rows is None else int(rows)
            for database, table, rows in self._connection.rows(f"{sql}({places})", tuple(databases))
        }

    def sql_mode(self) -> str:
        """Return the server's SQL mode."""
        return self._connection.variable("sql_mode") or ""

    def now_micros(self) -> int:
        """Return the server's time, to the second; the session's time zone must be UTC."""
        row = self._connection.row("SELECT CURRENT_TIMESTAMP")
        assert row is not None
        now = datetime.strptime(str(row[0])[:19], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        return int(now.timestamp()) * 1_000_000

    def _settings(self) -> str:
        rows = self._connection.rows(
            "SHOW VARIABLES WHERE Variable_name IN ('character_set_server','collation_server')"
        )
        values = sorted((str(name), str(value)) for name, value in rows)
        return "SET " + ", ".join(f"{name}={value}" for name, value in values) + ";"

    def _default_charsets(self) -> dict[str, str]:
        rows = self._connection.rows(
            "SELECT schema_name, default_character_set_name, default_collation_name "
            "FROM information_schema.schemata"
        )
        return {
            str(name): f" CHARSET {charset} COLLATE {collation}"
            for name, charset, collation in rows
        }


def _in_hash_order(tables: Sequence[TableId]) -> Iterator[TableId]:
    """Yield the tables of each database in the order of a HashMap that grows from one entry."""
    for database in dict.fromkeys(table.database for table in tables):
        names = {str(table): table for table in tables if table.database == database}
        yield from map(names.__getitem__, grown_hash_order(1, names))
