"""Follows the columns of a table through its definitions: which one a name means in each of them.

A column keeps its target column when it is renamed. A dropped column leaves its target column,
which a column that is added later under the same name takes over if one of their types holds the
values of both. If none does, or if another column is renamed to that name, the target column of the
dropped one is renamed: ``a`` becomes ``a__former``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, count
from typing import Final

from sparksink.config.columns import Types
from sparksink.schemas.row_schema import Column, RowSchema
from sparksink.schemas.schema_changes import Definition, is_known
from sparksink.schemas.spark_types import column_conversion
from sparksink.schemas.wider_types import fits

FORMER: Final = "__former"
"""Suffix of the target column of a dropped column whose name another column has now."""

_TYPES: Final = Types()


@dataclass(frozen=True, slots=True)
class TracedColumn:
    """A column of the source from its ADD, in the version ``added``, to its DROP.

    ``target`` is the number of its target column, which it took over from a dropped column if it
    is ``reused``; ``first`` is its first definition.
    """

    number: int
    target: int
    added: int
    reused: bool
    first: Column


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """The columns of one version by their names, and all target columns by then.

    ``targets`` are their names, ``definitions`` the last ones of their columns.
    """

    columns: Mapping[str, TracedColumn] = field(default_factory=dict)
    targets: Mapping[int, str] = field(default_factory=dict)
    definitions: Mapping[int, Column] = field(default_factory=dict)


class ColumnLineage:
    """The names of all columns in each version, from definitions and whether each is a new table.

    The result for a version depends on earlier versions only.
    """

    def __init__(self, definitions: Iterable[tuple[Definition, bool]]) -> None:
        self._numbers = count()
        self.versions: list[ColumnNames] = []
        last = ColumnNames()
        for definition, fresh in definitions:
            last = self._next(last, definition, fresh=fresh)
            self.versions.append(last)
        self._living = frozenset(column.number for column in last.columns.values())

    @property
    def last(self) -> ColumnNames:
        """The names in the newest version."""
        return self.versions[-1]

    def target_name(self, column: TracedColumn) -> str:
        """Return the newest name of a column's target column."""
        return self.last.targets[column.target]

    def exists(self, column: TracedColumn) -> bool:
        """Return whether the newest version has a column."""
        return column.number in self._living

    def columns(self) -> Iterator[tuple[str, TracedColumn]]:
        """Yield the columns of all versions with their names there."""
        return chain.from_iterable(one.columns.items() for one in self.versions)

    def names_differ(self) -> bool:
        """Return whether a name means different columns in different versions."""
        found: dict[str, TracedColumn] = {}
        return any(found.setdefault(name, column) != column for name, column in self.columns())

    @cached_property
    def newest_names(self) -> frozenset[str]:
        """The names of the newest version, in lower case as MySQL does not distinguish case."""
        return frozenset(map(str.lower, self.last.columns))

    @cached_property
    def former_names(self) -> frozenset[str]:
        """The names of earlier versions that the newest one lacks, in lower case."""
        return frozenset(name.lower() for name, _ in self.columns()) - self.newest_names

    def named_since(self, name: str, column: TracedColumn) -> int:
        """Return the version since which a column has a name that another one had before, or 0."""
        having = [(n, one.columns[name]) for n, one in enumerate(self.versions)
                  if name in one.columns]  # fmt: skip
        others = [n for n, one in having if one != column]
        return min((n for n, one in having if others and n > others[-1]), default=0)

    def _next(self, last: ColumnNames, definition: Definition, *, fresh: bool) -> ColumnNames:
        """Return the names after another definition."""
        kept = {} if fresh else _kept_columns(last, definition)
        targets = _target_names(last, kept, definition.shape)
        definitions = {**last.definitions}
        free = {name: number for number, name in targets.items()}
        columns = {}
        for one in definition.shape.columns:
            column = kept.get(one.name) or TracedColumn(
                next(self._numbers),
                free.get(one.name, len(targets)),
                len(self.versions),
                one.name in free,
                one,
            )
            targets[column.target] = one.name
            definitions[column.target] = one
            columns[one.name] = column
        return ColumnNames(columns, targets, definitions)


def _kept_columns(last: ColumnNames, definition: Definition) -> dict[str, TracedColumn]:
    """Return the columns that a definition keeps, with their new names."""
    found = {
        definition.renamed.get(name, name): column
        for name, column in last.columns.items()
        if name not in definition.dropped
    }
    return {name: column for name, column in found.items() if name in definition.shape.names}


def _target_names(
    last: ColumnNames, kept: Mapping[str, TracedColumn], shape: RowSchema
) -> dict[int, str]:
    """Return the names of the present target columns after the renames of a definition."""
    living = {column.target: name for name, column in kept.items()}
    found = {**last.targets, **living}
    taken = {*found.values(), *shape.names}
    for number, name in last.targets.items():
        column = shape.column(name)
        other = column is not None and not _can_share(column, last.definitions[number])
        if number not in living and (name in kept or other):
            found[number] = _former_name(name, taken)
            taken.add(found[number])
    return found


def _can_share(one: Column, other: Column) -> bool:
    """Return whether a target column can hold the values of two columns."""
    if not (is_known(one) and is_known(other)):
        return (one.type, one.semantic) == (other.type, other.semantic)
    kinds = [column_conversion(column, _TYPES).target for column in (one, other)]
    return fits(*kinds) or fits(*reversed(kinds))


def _former_name(name: str, taken: Iterable[str]) -> str:
    numbered = (f"{name}{FORMER}{number}" for number in count(2))
    return next(one for one in chain([name + FORMER], numbered) if one not in taken)
