"""The layout of a table's files: partitioning and clustering."""

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
"""Iceberg's partition transforms, in its SQL syntax."""


@dataclass(frozen=True, slots=True)
class Transform:
    """A column or a transform of it: ``function`` and its ``size``, as in ``bucket(16, id)``."""

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
    """The partitioning of a table, and the columns by which its rows are clustered."""

    partition: Sequence[Transform] = ()
    cluster: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """The columns that it refers to."""
        return [*(one.column for one in self.partition), *self.cluster]

    def with_names(self, name: Callable[[str], str]) -> Partitioning:
        """Return the same partitioning with other column names."""
        partition = [replace(one, column=name(one.column)) for one in self.partition]
        return Partitioning(partition, [*map(name, self.cluster)])

    def partitioned_by(self) -> str:
        """Return the PARTITIONED BY clause, empty without partitions."""
        inside = ", ".join(one.sql() for one in self.partition)
        return f" PARTITIONED BY ({inside})" if inside else ""

    def cluster_columns(self) -> str:
        """Return the clustering columns as SQL."""
        return ", ".join(map(quote_name, self.cluster))

    def text(self) -> str:
        """Return a text that identifies the partitioning; empty for none."""
        parts = (
            self.partitioned_by().strip(),
            self.cluster_columns() and f"CLUSTER BY {self.cluster_columns()}",
        )
        return " ".join(filter(None, parts))


NONE: Final = Partitioning()


def partitioning(partition: Iterable[str], cluster: Iterable[str] = ()) -> Partitioning:
    """Parse the settings of a configuration.

    :raises ValueError: one of ``partition`` is neither a column nor a transform.
    """
    return Partitioning(tuple(map(_transform, partition)), tuple(cluster))


def check(table_format: str, partition: Iterable[str], cluster: Iterable[str] = ()) -> None:
    """Check that a table format supports this layout.

    :raises ValueError: it does not.
    """
    how = partitioning(partition, cluster)
    if table_format == "jdbc" and how.columns:
        raise ValueError("partition.by and cluster.by need a target of files, not jdbc")
    transform = next((one for one in how.partition if one.function), None)
    if table_format != "iceberg" and transform:
        raise ValueError(
            f"partition.by={transform.function}(…) needs format: iceberg;"
            " other formats take columns only"
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
