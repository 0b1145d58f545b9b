"""The SQL dialect of PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sparksink.errors import TableError
from sparksink.sql import double_quote_name
from sparksink.tables.dialects import DialectSettings

_KINDS: Final = {
    "boolean": "BOOLEAN",
    "tinyint": "SMALLINT",
    "smallint": "SMALLINT",
    "int": "INTEGER",
    "bigint": "BIGINT",
    "float": "REAL",
    "double": "DOUBLE PRECISION",
    "binary": "BYTEA",
    "date": "DATE",
    "timestamp": "TIMESTAMP(6)",
    "timestamp_ntz": "TIMESTAMP(6)",
}
_LONGEST_NAME: Final = 63


class PostgreSql:
    """Implements `sparksink.tables.dialects.Dialect`."""

    settings = DialectSettings(
        driver="org.postgresql.Driver",
        # Timestamps arrive as strings, which this converts to the column's type.
        connection={"stringtype": "unspecified"},
        schema="current_schema()",
        text="TEXT",
        shown=dict.fromkeys(("date", "timestamp", "timestamp_ntz"), "TEXT"),
    )

    def name(self, identifier: str) -> str:
        """Quote an identifier.

        :raises TableError: it is too long; the server would truncate it silently.
        """
        if len(identifier.encode()) > _LONGEST_NAME:
            raise TableError(f"{identifier} is too long a name for PostgreSQL.")
        return double_quote_name(identifier)

    def definition(self, name: str, kind: str, keys: Sequence[str]) -> str:
        """Return the definition of a column."""
        return f"{self.name(name)} {self._kind(kind)} {'NOT NULL' if name in keys else 'NULL'}"

    def widen(self, table: str, name: str, kind: str, _: Sequence[str]) -> str:
        """Return SQL that widens the type of a column."""
        column = f"ALTER COLUMN {self.name(name)} TYPE {self._kind(kind)}"
        return f"ALTER TABLE {self.name(table)} {column}"

    def update(self, table: str, stage: str, on: str, columns: Iterable[str]) -> str:
        """Return SQL that sets columns to those of matching rows of the staging table."""
        assigned = ", ".join(f"{name} = s.{name}" for name in map(self.name, columns))
        joined = f"FROM {self.name(stage)} s WHERE {on}"
        return f"UPDATE {self.name(table)} t SET {assigned} {joined}"  # noqa: S608 - quoted names

    def delete(self, table: str, stage: str, on: str) -> str:
        """Return SQL that deletes rows with a matching row in the staging table."""
        return f"DELETE FROM {self.name(table)} t USING {self.name(stage)} s WHERE {on}"  # noqa: S608 - quoted names

    def upsert(self, table: str, key: str, columns: Sequence[str]) -> str:
        """Return SQL that inserts or updates a row."""
        names, marks = ", ".join((key, *columns)), ", ".join("?" for _ in (key, *columns))
        assigned = ", ".join(f"{name} = EXCLUDED.{name}" for name in columns)
        added = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608 - fixed names
        return f"{added} ON CONFLICT ({key}) DO UPDATE SET {assigned}"

    def analyze(self, table: str) -> str:
        """Return SQL that refreshes the statistics of a table."""
        return f"ANALYZE {self.name(table)}"

    def _kind(self, kind: str) -> str:
        if kind.startswith("decimal"):
            return kind.upper()
        return _KINDS.get(kind, self.settings.text)
