"""SQL dialects of databases: column types, and merging a staging table into a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sparksink.tables import Merge

_NEWER: Final = "(s.__seq_hi > t.__seq_hi OR (s.__seq_hi = t.__seq_hi AND s.__seq_lo > t.__seq_lo))"
_DELETE_SETS: Final = ("__seq_hi", "__seq_lo", "__op", "__source_ts", "__deleted")


@dataclass(frozen=True, slots=True)
class DialectSettings:
    """Constants of a dialect.

    ``connection`` are properties of a connection, ``schema`` is SQL of the schema of new tables,
    ``text`` the type of strings, ``shown`` maps Spark types to the types to which values are cast
    when they are read, ``ending`` ends a CREATE TABLE.
    """

    driver: str
    connection: Mapping[str, str]
    schema: str
    text: str
    shown: Mapping[str, str]
    ending: str = ""


class Dialect(Protocol):
    """The SQL of one database. Tables have the alias ``t``, staging tables of changes ``s``."""

    @property
    def settings(self) -> DialectSettings:
        """The constants of the dialect."""
        ...

    def name(self, identifier: str) -> str:
        """Quote an identifier."""
        ...

    def definition(self, name: str, kind: str, keys: Sequence[str]) -> str:
        """Return the definition of a column of a Spark type."""
        ...

    def widen(self, table: str, name: str, kind: str, keys: Sequence[str]) -> str:
        """Return SQL that widens the type of a column."""
        ...

    def update(self, table: str, stage: str, on: str, columns: Iterable[str]) -> str:
        """Return SQL that sets columns to those of matching rows of the staging table."""
        ...

    def delete(self, table: str, stage: str, on: str) -> str:
        """Return SQL that deletes rows with a matching row in the staging table."""
        ...

    def upsert(self, table: str, key: str, columns: Sequence[str]) -> str:
        """Return SQL that inserts or updates a row, with placeholders for all values."""
        ...

    def analyze(self, table: str) -> str:
        """Return SQL that refreshes the statistics of a table."""
        ...


def create_sql(sql: Dialect, table: str, columns: Mapping[str, str], keys: Sequence[str]) -> str:
    """Return SQL that creates a table if it does not exist."""
    parts = [sql.definition(name, kind, keys) for name, kind in columns.items()]
    if keys:
        parts.append(f"PRIMARY KEY ({', '.join(map(sql.name, keys))})")
    inside = ", ".join(parts)
    return f"CREATE TABLE IF NOT EXISTS {sql.name(table)} ({inside}) {sql.settings.ending}"


def select_sql(sql: Dialect, table: str, columns: Mapping[str, str]) -> str:
    """Return SQL that reads all rows."""
    shown = ", ".join(_select_column(sql, name, kind) for name, kind in columns.items())
    return f"SELECT {shown} FROM {sql.name(table)} t"  # noqa: S608 - quoted names


def join_keys_sql(sql: Dialect, stage: str, keys: Sequence[str]) -> str:
    """Return a join for `select_sql` that keeps rows whose keys are in a staging table."""
    names = [*map(sql.name, keys)]
    same = " AND ".join(f"t.{name} = s.{name}" for name in names)
    once = f"SELECT DISTINCT {', '.join(names)} FROM {sql.name(stage)}"  # noqa: S608 - quoted names
    return f" JOIN ({once}) s ON {same}"


def _select_column(sql: Dialect, name: str, kind: str) -> str:
    column, other = sql.name(name), sql.settings.shown.get(kind)
    return f"CAST(t.{column} AS {other}) AS {column}" if other else f"t.{column}"


def merge_sql(sql: Dialect, table: str, stage: str, how: Merge) -> Iterator[str]:
    """Yield idempotent SQL that merges changes from a staging table into a table.

    An upsert cannot be used: MariaDB assigns one column after the other, and would compare
    positions of which one half is new already. A task that Spark repeats may leave its rows twice.
    """
    same = " AND ".join(f"t.{name} = s.{name}" for name in map(sql.name, how.keys))
    newer = _NEWER if how.ordered else "TRUE"
    deleted = "s.__op = 'd'" if how.deletes else "FALSE"
    if how.deletes and how.soft:
        yield sql.update(table, stage, f"{same} AND {newer} AND {deleted}", _DELETE_SETS)
    elif how.deletes:
        yield sql.delete(table, stage, f"{same} AND {newer} AND {deleted}")
    yield sql.update(table, stage, f"{same} AND {newer} AND NOT {deleted}", how.columns)
    living = "TRUE" if how.soft else f"NOT {deleted}"
    names = ", ".join(map(sql.name, how.columns))
    values = ", ".join(f"s.{name}" for name in map(sql.name, how.columns))
    yield (
        f"INSERT INTO {sql.name(table)} ({names}) SELECT DISTINCT {values}"  # noqa: S608 - quoted names
        f" FROM {sql.name(stage)} s LEFT JOIN {sql.name(table)} t ON {same}"
        f" WHERE t.{sql.name(how.keys[0])} IS NULL AND {living}"
    )
