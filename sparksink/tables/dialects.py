"""The SQL in which databases differ: types of columns, and how changes go from table to table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from sparksink.tables import Merge

_NEWER: Final = "(s.__seq_hi > t.__seq_hi OR (s.__seq_hi = t.__seq_hi AND s.__seq_lo > t.__seq_lo))"
_DELETE_SETS: Final = ("__seq_hi", "__seq_lo", "__op", "__source_ts", "__deleted")


@dataclass(frozen=True, slots=True)
class DialectSettings:
    """What one database says for what all of them have.

    ``schema`` is SQL of the schema that tables are made in, ``text`` the type of a text, ``shown``
    the type to which values of a Spark type are cast to be read, ``ending`` ends a CREATE TABLE.
    """

    driver: str
    settings: Mapping[str, str]
    schema: str
    text: str
    shown: Mapping[str, str]
    ending: str = ""


class Dialect(Protocol):
    """The SQL of one database. Tables are called ``t``, stages of changes ``s``."""

    @property
    def words(self) -> DialectSettings:
        """What it says for what all of them have."""
        ...

    def name(self, identifier: str) -> str:
        """Quote an identifier."""
        ...

    def definition(self, name: str, kind: str, keys: Sequence[str]) -> str:
        """Return the definition of a column of a Spark type."""
        ...

    def widen(self, table: str, name: str, kind: str, keys: Sequence[str]) -> str:
        """Return what gives a column a wider type."""
        ...

    def update(self, table: str, stage: str, on: str, columns: Iterable[str]) -> str:
        """Return what sets columns to those of the stage's rows that fit a condition."""
        ...

    def delete(self, table: str, stage: str, on: str) -> str:
        """Return what removes the rows for which the stage has one that fits."""
        ...

    def upsert(self, table: str, key: str, columns: Sequence[str]) -> str:
        """Return what sets columns of a row, which need not be there; all are question marks."""
        ...

    def analyze(self, table: str) -> str:
        """Return what counts anew what plans are made from."""
        ...


def create_sql(sql: Dialect, table: str, columns: Mapping[str, str], keys: Sequence[str]) -> str:
    """Return what makes a table, if there is none."""
    parts = [sql.definition(name, kind, keys) for name, kind in columns.items()]
    if keys:
        parts.append(f"PRIMARY KEY ({', '.join(map(sql.name, keys))})")
    inside = ", ".join(parts)
    return f"CREATE TABLE IF NOT EXISTS {sql.name(table)} ({inside}) {sql.words.ending}"


def select_sql(sql: Dialect, table: str, columns: Mapping[str, str]) -> str:
    """Return what reads all rows."""
    shown = ", ".join(_select_column(sql, name, kind) for name, kind in columns.items())
    return f"SELECT {shown} FROM {sql.name(table)} t"  # noqa: S608 - quoted names


def join_keys_sql(sql: Dialect, stage: str, keys: Sequence[str]) -> str:
    """Return what, behind `select_sql`, leaves rows whose keys are in a stage, perhaps twice."""
    names = [*map(sql.name, keys)]
    same = " AND ".join(f"t.{name} = s.{name}" for name in names)
    once = f"SELECT DISTINCT {', '.join(names)} FROM {sql.name(stage)}"  # noqa: S608 - quoted names
    return f" JOIN ({once}) s ON {same}"


def _select_column(sql: Dialect, name: str, kind: str) -> str:
    column, other = sql.name(name), sql.words.shown.get(kind)
    return f"CAST(t.{column} AS {other}) AS {column}" if other else f"t.{column}"


def merge_sql(sql: Dialect, table: str, stage: str, how: Merge) -> Iterator[str]:
    """Yield what brings changes from a stage into a table; again changes nothing.

    Not by an upsert: MariaDB's assigns one column after the other, and would compare places of
    which one half is new already. A task that Spark repeats may leave its rows twice.
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
