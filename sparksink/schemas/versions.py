"""The definitions that a table had, each from a binlog position on, and what became of its columns.

A message is read with the definition of its own position, and its columns get the names that they
have in the newest one: so a rename needs no order of arrival. A column that was dropped is another
one than a later column of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from sparksink.change_position import BEGINNING, ChangePosition
from sparksink.schemas.ddl import Definition
from sparksink.schemas.row_schema import Column, RowSchema

_REPLACES: Final = re.compile(r"^\W*CREATE\s+OR\s+REPLACE\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """A definition and where it begins; with ``fresh`` the table before it was another one."""

    start: ChangePosition
    definition: Definition
    fresh: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.definition.shape.names


@dataclass(frozen=True)
class SchemaVersions:
    """All versions of one table, the oldest first; ``seen`` are the statements behind them."""

    versions: tuple[SchemaVersion, ...]
    seen: frozenset[tuple[ChangePosition | None, str]] = frozenset()
    removed: bool = False

    @property
    def newest(self) -> Definition:
        """The definition as of the last statement."""
        return self.versions[-1].definition

    @property
    def starts(self) -> tuple[ChangePosition, ...]:
        """Where each version begins; the first one at the beginning."""
        return tuple(one.start for one in self.versions)

    def then(self, found: Definition) -> SchemaVersions:
        """Return these versions and what a further statement defines.

        A connector that starts again may repeat statements; a snapshot's ones describe a table that
        is there already.
        """
        statement = (found.start, found.ddl)
        if statement in self.seen or (found.snapshot and found.kind == "DROP"):
            return self
        seen = self.seen | {statement}
        if found.kind == "DROP":
            return replace(self, seen=seen, removed=True)
        last = self.versions[-1]
        start = last.start if found.start is None else found.start
        if start < last.start:  # of another binlog, whose order nothing tells
            return replace(first_version(found), seen=seen)
        again = bool(_REPLACES.match(found.ddl)) or (self.removed and found.kind == "CREATE")
        fresh = again and not found.snapshot
        gone = frozenset(last.names) - {*found.shape.names, *found.renamed}
        next_one = SchemaVersion(start, replace(found, dropped=found.dropped | gone), fresh)
        if not fresh and _same_encoding(last.definition, next_one.definition):
            kept = replace(last, definition=replace(found, renamed=last.definition.renamed,
                                                    dropped=last.definition.dropped))  # fmt: skip
            return SchemaVersions((*self.versions[:-1], kept), seen)
        return SchemaVersions((*self.versions, next_one), seen)

    def at(self, number: int | None) -> int:
        """Return the number of a version, the last one where there is none of that number."""
        last = len(self.versions) - 1
        return last if number is None else min(number, last)

    def trace(self, number: int | None, name: str) -> tuple[str, bool]:
        """Return the last name of a column of one version, and whether the table still has it.

        Without a number, of the last version that has the column.
        """
        if number is None:
            having = (n for n, one in enumerate(self.versions) if name in one.names)
            number = max(having, default=-1)
        elif name not in self.versions[self.at(number)].names:
            for one in self.versions[: number + 1]:
                name = one.definition.renamed.get(name, name)
        for one in self.versions[number + 1 :]:
            if one.fresh or name in one.definition.dropped:
                return name, False
            name = one.definition.renamed.get(name, name)
        return name, True

    def moved(self, since: ChangePosition | None) -> dict[str, str]:
        """Return the new names of a target's columns, which had those of a position before.

        Without a position, of all columns whose old name belongs to no other one now.
        """
        newest, found = set(self.newest.shape.names), {}
        last = max((n for n, one in enumerate(self.versions) if since and one.start <= since),
                   default=None)  # fmt: skip
        for number, one in enumerate(self.versions):
            if last not in {None, number}:
                continue
            for name in one.names:
                to, alive = self.trace(number, name)
                if to != name and (alive or to not in newest):
                    if last is None and name in newest:
                        continue
                    found[name] = to
        return found

    @property
    def created(self) -> ChangePosition | None:
        """Where the table was created again after it was dropped; nothing of it is older."""
        return max((one.start for one in self.versions if one.fresh), default=None)

    @cached_property
    def reused(self) -> Mapping[str, ChangePosition]:
        """Columns of the newest version that have the name of an earlier one, and their begin."""
        found = {}
        for name in self.newest.shape.names:
            born = self._born(name)
            if born and any(name in one.names for one in self.versions[:born]):
                found[name] = self.versions[born].start
        return found

    @cached_property
    def dropped(self) -> frozenset[str]:
        """The names of columns that the table does not have any more."""
        dead = {
            called
            for number, one in enumerate(self.versions)
            for name in (*one.names, *one.definition.dropped)
            for to, alive in [self.trace(number, name)]
            if not alive or name not in one.names
            for called in (name, to)
        }
        return frozenset(dead).difference(self.newest.shape.names)

    def named(self, name: Callable[[str], str]) -> SchemaVersions:
        """Return the same with columns called as a target calls them."""
        return replace(self, versions=tuple(_with_names(one, name) for one in self.versions))

    def _born(self, name: str) -> int:
        """Return the number of the version that made a column; 0 if nothing tells."""
        for number in range(len(self.versions) - 1, 0, -1):
            one = self.versions[number]
            before = {new: old for old, new in one.definition.renamed.items()}
            if one.fresh:
                return number
            if name in before:
                name = before[name]
            elif name in one.definition.dropped or name not in self.versions[number - 1].names:
                return number
        return 0


def first_version(found: Definition) -> SchemaVersions:
    """Return the versions of a table of which one statement is known."""
    seen = frozenset({(found.start, found.ddl)})
    if not (found.renamed or found.dropped):
        return SchemaVersions((SchemaVersion(BEGINNING, found),), seen)
    earlier = SchemaVersion(BEGINNING, _before_renames(found))
    return SchemaVersions((earlier, SchemaVersion(found.start or BEGINNING, found)), seen)


def _before_renames(found: Definition) -> Definition:
    """Return a definition with the names that columns had before its statement."""
    old = {new: name for name, new in found.renamed.items()}
    columns = (replace(one, name=old.get(one.name, one.name)) for one in found.shape.columns)
    keys = tuple(old.get(key, key) for key in found.keys)
    none: frozenset[str] = frozenset()
    return replace(found, shape=RowSchema(tuple(columns)), keys=keys, renamed={}, dropped=none)


def _same_encoding(one: Definition, other: Definition) -> bool:
    if other.renamed or other.dropped:
        return False
    return [_without_default(column) for column in one.shape.columns] == [
        _without_default(column) for column in other.shape.columns
    ]


def _without_default(column: Column) -> Column:
    return replace(column, default=None, optional=True)


def _with_names(one: SchemaVersion, name: Callable[[str], str]) -> SchemaVersion:
    found = one.definition
    columns = (replace(column, name=name(column.name)) for column in found.shape.columns)
    named = replace(
        found,
        shape=RowSchema(tuple(columns)),
        renamed={name(old): name(new) for old, new in found.renamed.items()},
        dropped=frozenset(map(name, found.dropped)),
    )
    return replace(one, definition=named)
