"""The databases, tables and variables of a server, as its DDL statements define them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from connector.capture.tables import Table, TableId, Tables
from connector.mysql.ddl.column_building import ColumnBuilder
from connector.mysql.ddl.reader import TableName
from connector.mysql.ddl.tokens import Dialect
from connector.mysql.ddl.variables import SystemVariables


class Catalog:
    """Tables, system variables and the charsets of databases, which DDL statements change.

    :param tables: where the tables are kept.
    :param captures: whether rows of a table are captured; unique indexes made later
        become keys in captured tables only, as in Debezium.
    :param comments: keep the comments of tables and columns.
    :param exact: types and character sets are those of the server, see `ColumnBuilder`.
    """

    def __init__(
        self,
        tables: Tables,
        dialect: Dialect,
        captures: Callable[[TableId], bool] = lambda _: True,
        *,
        comments: bool = False,
        exact: bool = False,
    ) -> None:
        self.tables = tables
        self.dialect = dialect
        self.captures = captures
        self.variables = SystemVariables()
        self.charsets: dict[str, str] = {}
        self.assumed_charsets: dict[str, str] = {}
        self.database = ""
        self.builder = ColumnBuilder(dialect, comments, exact)

    def state(self) -> dict[str, Any]:
        """Return all state except the tables."""
        return {
            "variables": self.variables.state(),
            "charsets": dict(self.charsets),
            "database": self.database,
        }

    def restore(self, state: Mapping[str, Any], tables: Iterable[Table]) -> None:
        """Restore a `state` and its tables."""
        self.variables.restore(state["variables"])
        self.charsets = {
            self.database_key(name): charset for name, charset in state["charsets"].items()
        }
        self.database = state["database"]
        for table in tables:
            self.tables.put(table)

    def resolve(self, name: TableName) -> TableId:
        """Return the full name of a table."""
        return TableId(self.database if name.database is None else name.database, name.table)

    def database_key(self, name: str) -> str:
        """Return the name under which the charset of a database is kept."""
        return self.tables.key(TableId(name, "")).database

    def forget_database(self, name: str) -> None:
        """Forget the tables of a database and its charset."""
        self.tables.remove_database(name)
        self.charsets.pop(self.database_key(name), None)

    def assume_charsets(self, server: str | None, databases: Mapping[str, str]) -> None:
        """Assume charsets of the server and its databases where no statement sets them.

        A snapshot has no statement of a database without tables.
        """
        self.variables.set("character_set_server", server, "GLOBAL")
        self.assumed_charsets = {
            self.database_key(name): charset for name, charset in databases.items()
        }

    def knows_charset(self, database: str) -> bool:
        """Return whether the charset of a database is known."""
        key = self.database_key(database)
        return key in self.charsets or (self.builder.exact and key in self.assumed_charsets)

    def charset_for(self, database: str) -> str | None:
        """Return the charset of a new table in a database, None if it is unknown."""
        charset = self.charsets.get(self.database_key(database))
        if self.builder.exact:
            charset = charset or self.assumed_charsets.get(self.database_key(database))
        else:  # it is that of the database that was used last
            charset = charset or self.variables.get("character_set_database")
        if charset is None or charset.lower() == "default":
            charset = self.variables.get("character_set_server")
        return charset
