"""The SQL dialect of MariaDB and MySQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sparksink.change_position import POSITION_COLUMNS
from sparksink.sql import quote_name
from sparksink.tables.dialects import DialectSettings

_KINDS: Final = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "int": "INT",
    "bigint": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "binary": "LONGBLOB",
    "date": "DATE",
    "timestamp": "DATETIME(6)",
    "timestamp_ntz": "DATETIME(6)",
}
_KEY_BYTES: Final = 3072
"""The maximum length of InnoDB's keys."""


class MariaDb:
    """Implements `sparksink.tables.dialects.Dialect` for a server version."""

    settings = DialectSettings(
        driver="org.mariadb.jdbc.Driver",
        # A value that does not fit is an error, whatever the server's sql_mode is.
        connection={"sessionVariables": "sql_mode='STRICT_ALL_TABLES'", "tinyInt1isBit": "true"},
        schema="DATABASE()",
        text="LONGTEXT CHARACTER SET utf8mb4",
        shown={
            **dict.fromkeys(("date", "timestamp", "timestamp_ntz"), "CHAR"),
            "float": "DOUBLE",  # a FLOAT is printed with six digits
        },
        ending="ENGINE=InnoDB CHARACTER SET utf8mb4",
    )

    def __init__(self, version: str) -> None:
        mariadb = "MariaDB" in version
        self._collation = "utf8mb4_nopad_bin" if mariadb else "utf8mb4_0900_bin"

    def name(self, identifier: str) -> str:
        """Quote an identifier."""
        return quote_name(identifier)

    def definition(self, name: str, kind: str, keys: Sequence[str]) -> str:
        """Return the definition of a column."""
        if name not in keys:
            return f"{quote_name(name)} {self._kind(kind)} NULL"
        sharing = len([*set(keys).difference(POSITION_COLUMNS)])
        room = (_KEY_BYTES - 16 * (len(keys) - 1)) // sharing
        text = f"VARCHAR({room // 4}) CHARACTER SET utf8mb4 COLLATE {self._collation}"
        texts = {"string": text, "binary": f"VARBINARY({room})"}
        return f"{quote_name(name)} {texts.get(kind) or self._kind(kind)} NOT NULL"

    def widen(self, table: str, name: str, kind: str, keys: Sequence[str]) -> str:
        """Return SQL that widens the type of a column."""
        return f"ALTER TABLE {quote_name(table)} MODIFY COLUMN {self.definition(name, kind, keys)}"

    def update(self, table: str, stage: str, on: str, columns: Iterable[str]) -> str:
        """Return SQL that sets columns to those of matching rows of the staging table."""
        assigned = ", ".join(f"t.{name} = s.{name}" for name in map(quote_name, columns))
        return f"UPDATE {quote_name(table)} t JOIN {quote_name(stage)} s ON {on} SET {assigned}"  # noqa: S608 - quote_name names

    def delete(self, table: str, stage: str, on: str) -> str:
        """Return SQL that deletes rows with a matching row in the staging table."""
        return f"DELETE t FROM {quote_name(table)} t JOIN {quote_name(stage)} s ON {on}"

    def upsert(self, table: str, key: str, columns: Sequence[str]) -> str:
        """Return SQL that inserts or updates a row."""
        names, marks = ", ".join((key, *columns)), ", ".join("?" for _ in (key, *columns))
        assigned = ", ".join(f"{name} = VALUES({name})" for name in columns)
        return f"INSERT INTO {table} ({names}) VALUES ({marks}) ON DUPLICATE KEY UPDATE {assigned}"  # noqa: S608 - fixed names

    def analyze(self, table: str) -> str:
        """Return SQL that refreshes the statistics of a table."""
        return f"ANALYZE TABLE {quote_name(table)}"

    def _kind(self, kind: str) -> str:
        return kind.upper() if kind.startswith("decimal") else _KINDS.get(kind, self.settings.text)
