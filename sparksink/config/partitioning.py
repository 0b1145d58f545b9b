"""How the rows of a table lie in its files: partitions, and the order within them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sparksink.sql import quote_name

_TRANSFORM: Final = re.compile(
    r"(?P<plain>[^(),]+)"
    r"|(?P<moment>years|months|days|hours)\(\s*(?P<of>[^(),]+?)\s*\)"
    r"|(?P<sized>bucket|truncate)\(\s*(?P<size>[1-9]\d*)\s*,\s*(?P<by>[^(),]+?)\s*\)"
)
"""What Iceberg's partitions are made of, in the words of its SQL."""


@dataclass(frozen=True, slots=True)
class Transform:
    """A column, or what is made of it: ``function`` and its ``size``, as ``bucket(16, id)``."""

    column: str
    function: str = ""
    size: str = ""

    def sql(self) -> str:
        """Return it as SQL."""
        name = quote_name(self.column)
        if not self.function:
            return name
        return f"{self.function}({self.size}, {name})" if self.size else f"{self.function}({name})"


@dataclass(frozen=True, slots=True)
class Partitioning:
    """By what a table is partitioned, and by which columns its rows are put near each other."""

    partition: Sequence[Transform] = ()
    cluster: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """The columns that the table must have for it."""
        return [*(one.column for one in self.partition), *self.cluster]

    def called(self, name: Callable[[str], str]) -> Partitioning:
        """Return the same of columns that have other names."""
        partition = [replace(one, column=name(one.column)) for one in self.partition]
        return Partitioning(partition, [*map(name, self.cluster)])

    def partitioned(self) -> str:
        """Return the clause of CREATE TABLE, empty without partitions."""
        inside = ", ".join(one.sql() for one in self.partition)
        return f" PARTITIONED BY ({inside})" if inside else ""

    def clustered(self) -> str:
        """Return the columns that rows are near each other by, as SQL."""
        return ", ".join(map(quote_name, self.cluster))

    def text(self) -> str:
        """Return it as text that is the same for the same partitioning; empty for none."""
        parts = (self.partitioned().strip(), self.clustered() and f"CLUSTER BY {self.clustered()}")
        return " ".join(filter(None, parts))


NONE: Final = Partitioning()


def partitioning(partition: Iterable[str], cluster: Iterable[str] = ()) -> Partitioning:
    """Read what a configuration says.

    :raises ValueError: one of ``partition`` is neither a column nor a transform of one.
    """
    return Partitioning(tuple(map(_transform, partition)), tuple(cluster))


def check(table_format: str, partition: Iterable[str], cluster: Iterable[str] = ()) -> None:
    """Check that tables of a format can lie so.

    :raises ValueError: they cannot.
    """
    how = partitioning(partition, cluster)
    if table_format == "jdbc" and how.columns:
        raise ValueError("partition.by and cluster.by need a target of files, not jdbc")
    made = next((one for one in how.partition if one.function), None)
    if table_format != "iceberg" and made:
        raise ValueError(
            f"partition.by={made.function}(…) needs format: iceberg; others take columns alone"
        )
    if table_format == "delta" and how.partition and how.cluster:
        raise ValueError("a Delta table has partition.by or cluster.by, not both")


def _transform(text: str) -> Transform:
    found = _TRANSFORM.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"partition.by: {text} is neither a column nor years, months, days or hours(column),"
            " bucket(number, column) or truncate(length, column)"
        )
    if found["plain"]:
        return Transform(found["plain"].strip())
    if found["moment"]:
        return Transform(found["of"], found["moment"])
    return Transform(found["by"], found["sized"], found["size"])
