"""Tables of the lake: what every format can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame

from sparksink.spark_types import quoted


@dataclass(frozen=True, slots=True)
class Merge:
    """How changes go into a table; they have ``__op`` and a place, one row a key.

    ``columns`` are all that are set. With ``soft`` a delete only sets ``__deleted``. ``bounds``
    is SQL on ``t`` that holds for every row that can match, so that files are skipped.
    """

    keys: Sequence[str]
    columns: Sequence[str]
    deletes: bool
    soft: bool = False
    bounds: str = ""


class Table(Protocol):
    """One table. Everything is one commit or none; what is asked twice is done once.

    Methods are called by one thread at a time and by one process, which holds the lease.
    """

    def columns(self) -> Mapping[str, str] | None:
        """Return the columns' Spark types by name, None where there is no such table."""
        ...

    def facts(self) -> Mapping[str, str]:
        """Return what was noted beside the rows."""
        ...

    def create(self, columns: Mapping[str, str], facts: Mapping[str, str]) -> None:
        """Make the table."""
        ...

    def alter(self, actions: Sequence[str], facts: Mapping[str, str]) -> None:
        """Note facts, then run ``ALTER TABLE`` actions in their order."""
        ...

    def read(self) -> DataFrame:
        """Return all rows."""
        ...

    def merge(self, changes: DataFrame, how: Merge) -> None:
        """Apply changes that are later than the row that is there."""
        ...

    def append(self, rows: DataFrame, writer: str, batch: int) -> None:
        """Add rows, unless this writer has added those of this batch before."""
        ...

    def run(self, statement: str) -> None:
        """Run SQL; ``{table}`` stands for this table."""
        ...


class Lake(Protocol):
    """All tables of a target."""

    def table(self, name: str) -> Table:
        """Return the table of a name, which need not be there."""
        ...

    def version(self, name: str) -> str:
        """Return what names the present state of a table."""
        ...

    def tidy(self, name: str, hours: int) -> None:
        """Join small files and remove those that nothing has used for some hours."""
        ...


def merge_sql(target: str, source: str, how: Merge) -> str:
    """Return the MERGE of a view into a table."""
    on = [f"t.{name} = s.{name}" for name in map(quoted, how.keys)]
    newer = "(s.__seq_hi > t.__seq_hi OR (s.__seq_hi = t.__seq_hi AND s.__seq_lo > t.__seq_lo))"
    assigned = ", ".join(f"t.{name} = s.{name}" for name in map(quoted, how.columns))
    names = ", ".join(map(quoted, how.columns))
    values = ", ".join(f"s.{name}" for name in map(quoted, how.columns))
    return "\n".join(
        [
            f"MERGE INTO {target} t USING {source} s",
            f"ON {' AND '.join([*on, *filter(None, [how.bounds])])}",
            *_deletion(how, newer),
            f"WHEN MATCHED AND {newer} THEN UPDATE SET {assigned}",
            f"WHEN NOT MATCHED{_only_living(how)} THEN INSERT ({names}) VALUES ({values})",  # noqa: S608 - quoted names
        ]
    )


def _deletion(how: Merge, newer: str) -> list[str]:
    if not how.deletes:
        return []
    if not how.soft:
        return [f"WHEN MATCHED AND {newer} AND s.__op = 'd' THEN DELETE"]
    meta = ("__seq_hi", "__seq_lo", "__op", "__source_ts", "__deleted")
    assigned = ", ".join(f"t.{name} = s.{name}" for name in meta)
    return [f"WHEN MATCHED AND {newer} AND s.__op = 'd' THEN UPDATE SET {assigned}"]


def _only_living(how: Merge) -> str:
    return " AND s.__op <> 'd'" if how.deletes and not how.soft else ""
