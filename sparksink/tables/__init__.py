"""The protocols of tables and lakes, which every format implements, and their shared SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame

from sparksink.config.partitioning import NONE, Partitioning
from sparksink.schemas.spark_types import BEFORE
from sparksink.sql import quote_name


@dataclass(frozen=True, slots=True)
class Merge:
    """How changes are merged into a table; they have ``__op``, a position, and one row per key.

    ``columns`` are the columns to set. With ``soft`` a delete only sets ``__deleted``. Without
    ``ordered`` a row is replaced regardless of its position. ``bounds`` is an SQL condition on
    ``t`` of all rows that can match, by which files are skipped. NULLs in columns of ``kept`` keep
    the present value, unless the change has ``__whole``.
    """

    keys: Sequence[str]
    columns: Sequence[str]
    deletes: bool
    soft: bool = False
    bounds: str = ""
    ordered: bool = True
    kept: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Add:
    """Add columns, name to type."""

    columns: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Widen:
    """Widen the type of a column."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Cast a column of all rows to another type in one commit, with the same partitioning."""

    name: str
    kind: str
    how: Partitioning

    def cast(self, rows: DataFrame) -> DataFrame:
        """Return rows with the column cast."""
        return rows.withColumn(self.name, rows[quote_name(self.name)].cast(self.kind))


@dataclass(frozen=True, slots=True)
class Drop:
    """Remove columns with their values."""

    columns: Sequence[str]


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename a column."""

    name: str
    to: str


@dataclass(frozen=True, slots=True)
class Fill:
    """Set columns of the rows of ``where`` (by default all) to values in Spark's SQL."""

    values: Mapping[str, str]
    where: str = ""


@dataclass(frozen=True, slots=True)
class Copy:
    """Set columns of the rows of ``where`` to the values of others; none is both set and read."""

    columns: Mapping[str, str]
    where: str


Alteration = Add | Widen | Rewrite | Drop | Rename | Fill | Copy


class Table(Protocol):
    """One table. Every call is atomic and idempotent.

    Methods are called by one thread at a time, in the process that holds the lease.
    """

    def columns(self) -> Mapping[str, str] | None:
        """Return the columns' Spark types by name, None if the table does not exist."""
        ...

    def facts(self) -> Mapping[str, str]:
        """Return the facts that are stored with the table."""
        ...

    def create(
        self,
        columns: Mapping[str, str],
        facts: Mapping[str, str],
        keys: Sequence[str] = (),
        how: Partitioning = NONE,
    ) -> None:
        """Create the table; ``keys`` identify its rows, ``how`` is the partitioning."""
        ...

    def alter(self, actions: Sequence[Alteration], facts: Mapping[str, str]) -> None:
        """Store facts, then change the table, in the order of the actions."""
        ...

    def read(self, keys: DataFrame | None = None) -> DataFrame:
        """Return all rows, or those with the values of ``keys`` in the columns of that frame.

        Rows found by keys must be used before the next write.
        """
        ...

    def merge(self, changes: DataFrame, how: Merge) -> None:
        """Apply changes that are later than the present row."""
        ...

    def append(self, rows: DataFrame, writer: str, batch: int) -> None:
        """Append rows, unless this writer has appended this batch before."""
        ...

    def run(self, statement: str) -> None:
        """Run SQL that Spark and databases understand; ``{table}`` stands for this table.

        An UPDATE must not read a column that it sets, which MariaDB has changed by then.
        """
        ...


class Lake(Protocol):
    """All tables of a target."""

    def table(self, name: str) -> Table:
        """Return the table of a name, which need not exist."""
        ...

    def version(self, name: str) -> str:
        """Return the present version of a table."""
        ...

    def fence(self, name: str, owner: str) -> None:
        """Make unfinished writes of other processes fail, if the format can."""
        ...

    def compact(self, name: str, hours: int, snapshots: float | None = None) -> None:
        """Compact small files, and remove files that were not used for some hours.

        For formats with snapshots those older than ``snapshots`` hours expire; None means
        ``hours``.
        """
        ...


def filter_keys(rows: DataFrame, keys: DataFrame | None) -> DataFrame:
    """Return the rows with the values of ``keys``, or all rows without it."""
    return rows if keys is None else rows.join(keys, keys.columns, "left_semi")


def _column_path(name: str) -> str:
    inside = name.removeprefix(f"{BEFORE}.")
    return quote_name(name) if inside == name else f"{quote_name(BEFORE)}.{quote_name(inside)}"


def alter_sql(action: Add | Widen | Drop | Rename | Fill | Copy) -> str:
    """Return an alteration as Spark's SQL; ``{table}`` stands for the table."""
    match action:
        case Add(columns):
            inside = ", ".join(f"{_column_path(name)} {kind}" for name, kind in columns.items())
            return f"ALTER TABLE {{table}} ADD COLUMNS ({inside})"
        case Widen(name, kind):
            return f"ALTER TABLE {{table}} ALTER COLUMN {_column_path(name)} TYPE {kind}"
        case Drop(gone):
            return f"ALTER TABLE {{table}} DROP COLUMNS ({', '.join(map(quote_name, gone))})"
        case Rename(name, to):
            return f"ALTER TABLE {{table}} RENAME COLUMN {_column_path(name)} TO {quote_name(to)}"
        case Fill(values, where):
            assigned = ", ".join(f"{quote_name(name)} = {sql}" for name, sql in values.items())
            some = f" WHERE {where}" if where else ""
            return f"UPDATE {{table}} SET {assigned}{some}"  # noqa: S608 - quote_name names, own literals
        case Copy(columns, where):
            return copy_sql(columns, where, quote_name)


def copy_sql(columns: Mapping[str, str], where: str, quote: Callable[[str], str]) -> str:
    """Return the UPDATE that copies columns; ``quote`` returns a name as SQL."""
    assigned = ", ".join(f"{quote(to)} = {quote(name)}" for to, name in columns.items())
    return f"UPDATE {{table}} SET {assigned} WHERE {where}"  # noqa: S608 - quoted names


def merge_into(target: str, changes: DataFrame, how: Merge) -> None:
    """Merge changes into a table of Spark."""
    view = f"changes_{abs(hash(target)):x}"
    changes.createOrReplaceTempView(view)
    try:
        changes.sparkSession.sql(merge_sql(target, view, how))
    finally:
        changes.sparkSession.catalog.dropTempView(view)


def merge_sql(target: str, source: str, how: Merge) -> str:
    """Return the MERGE of a view into a table."""
    on = [f"t.{name} = s.{name}" for name in map(quote_name, how.keys)]
    newer = "(s.__seq_hi > t.__seq_hi OR (s.__seq_hi = t.__seq_hi AND s.__seq_lo > t.__seq_lo))"
    assigned = ", ".join(
        f"t.{quote_name(name)} = {_merged_value(name, how)}" for name in how.columns
    )
    names = ", ".join(map(quote_name, how.columns))
    values = ", ".join(f"s.{name}" for name in map(quote_name, how.columns))
    return "\n".join(
        [
            f"MERGE INTO {target} t USING {source} s",
            f"ON {' AND '.join([*on, *filter(None, [how.bounds])])}",
            *_delete_clause(how, newer),
            f"WHEN MATCHED{f' AND {newer}' if how.ordered else ''} THEN UPDATE SET {assigned}",
            f"WHEN NOT MATCHED{_insert_condition(how)} THEN INSERT ({names}) VALUES ({values})",  # noqa: S608 - quote_name names
        ]
    )


def _merged_value(name: str, how: Merge) -> str:
    new, old = f"s.{quote_name(name)}", f"t.{quote_name(name)}"
    return (
        f"CASE WHEN s.__whole THEN {new} ELSE coalesce({new}, {old}) END"
        if name in how.kept
        else new
    )


def _delete_clause(how: Merge, newer: str) -> list[str]:
    if not how.deletes:
        return []
    if not how.soft:
        when = f"{newer} AND s.__op = 'd'" if how.ordered else "s.__op = 'd'"
        return [f"WHEN MATCHED AND {when} THEN DELETE"]
    meta = ("__seq_hi", "__seq_lo", "__op", "__source_ts", "__deleted")
    assigned = ", ".join(f"t.{name} = s.{name}" for name in meta)
    return [f"WHEN MATCHED AND {newer} AND s.__op = 'd' THEN UPDATE SET {assigned}"]


def _insert_condition(how: Merge) -> str:
    return " AND s.__op <> 'd'" if how.deletes and not how.soft else ""
