"""The schema versions of a table, each valid from a binlog position on.

A message is read with the version of its own position, and its columns get the names of the newest
version, so the order in which messages arrive does not matter. A dropped column is distinct from a
later column of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from sparksink.change_position import BEGINNING, ChangePosition
from sparksink.schemas.column_lineage import ColumnLineage
from sparksink.schemas.ddl import replaces_table
from sparksink.schemas.field_names import avro_name
from sparksink.schemas.row_schema import Column, RowSchema
from sparksink.schemas.schema_changes import Definition

StatementId = tuple[ChangePosition | None, str, str]
"""Position, text, and the kind of what it does to a table."""


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """A definition and its start; with ``fresh`` the table was created again."""

    start: ChangePosition
    definition: Definition
    fresh: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.definition.shape.names


@dataclass(frozen=True)
class SchemaVersions:
    """All versions of one table, the oldest first; ``seen`` are the statements they come from.

    One statement may rename a table and give its name to another one, so ``seen`` has their kinds.
    """

    versions: tuple[SchemaVersion, ...]
    seen: frozenset[StatementId] = frozenset()
    removed: bool = False

    @property
    def newest(self) -> Definition:
        """The definition after the last statement."""
        return self.versions[-1].definition

    @property
    def starts(self) -> tuple[ChangePosition, ...]:
        """The start position of each version; the first one is `BEGINNING`."""
        return tuple(one.start for one in self.versions)

    def then(self, found: Definition) -> SchemaVersions:
        """Return these versions with the definition of another statement.

        A restarted connector may repeat statements; those of a snapshot describe an existing table.
        """
        statement = statement_of(found)
        if statement in self.seen or (found.snapshot and found.kind == "DROP"):
            return self
        seen = self.seen | {statement}
        if found.kind == "DROP":
            return replace(self, seen=seen, removed=True)
        last = self.versions[-1]
        fresh = self.is_recreated_by(found) and not found.snapshot
        found = found if fresh else found.spelled_like(last.names)
        start = last.start if found.start is None else found.start
        if start < last.start:  # of another binlog, with an unknown order
            return replace(first_version(found), seen=seen)
        gone = frozenset(last.names) - {*found.shape.names, *found.renamed}
        next_one = SchemaVersion(start, replace(found, dropped=found.dropped | gone), fresh)
        if not fresh and _same_encoding(last.definition, next_one.definition):
            # Rows from before a column was added keep the default that it had then.
            same = last.definition
            kept = replace(last, definition=replace(
                found, shape=same.shape, renamed=same.renamed, dropped=same.dropped,
                source_renamed=same.source_renamed))  # fmt: skip
            return SchemaVersions((*self.versions[:-1], kept), seen)
        return SchemaVersions((*self.versions, next_one), seen)

    def is_altered_by(self, found: Definition) -> bool:
        """Return whether a new statement changes the table or replaces it by a copy."""
        is_new = statement_of(found) not in self.seen and not found.snapshot
        in_order = found.start is None or found.start >= self.versions[-1].start
        gone = found.kind == "DROP" or self.is_recreated_by(found)
        return is_new and in_order and not gone

    def is_recreated_by(self, found: Definition) -> bool:
        """Return whether a statement creates the table again.

        CREATE alone is no proof: a connector publishes it for a definition that it has repaired.
        """
        return replaces_table(found.ddl) or (self.removed and found.kind == "CREATE")

    def at(self, number: int | None) -> int:
        """Return the number of a version; the last one if the number does not exist."""
        last = len(self.versions) - 1
        return last if number is None else min(number, last)

    @cached_property
    def lineage(self) -> ColumnLineage:
        """The columns of all versions."""
        return ColumnLineage((one.definition, one.fresh) for one in self.versions)

    @cached_property
    def _source_lineage(self) -> ColumnLineage:
        """The columns of all versions as the source has them, also if renames are not followed."""
        return ColumnLineage((_as_renamed(one.definition), one.fresh) for one in self.versions)

    def names_of(self, number: int | None, name: str) -> frozenset[str]:
        """Return all names that a column of a version has had or got; of any one without a number.

        They may be adjusted to Avro in messages. A column that no version has yet may only be known
        by its rename.
        """
        lineage = self._source_lineage
        given = lineage.versions if number is None else [lineage.versions[self.at(number)]]
        here = {one.columns[name].number for one in given if name in one.columns}
        found = {name, *(other for other, one in lineage.columns() if one.number in here)}
        first = self.versions[0].definition.source_renamed
        found |= {old for old, new in first.items() if new in found}
        return frozenset(found.union(map(avro_name, found)))

    def trace(self, number: int | None, name: str) -> tuple[str, bool]:
        """Return the name of a column's target column, and whether the table still has the column.

        Without a number the last version that has the column is used.
        """
        if number is None:
            having = (n for n, one in enumerate(self.versions) if name in one.names)
            number = max(having, default=-1)
        elif name not in self.versions[self.at(number)].names:
            for one in self.versions[: number + 1]:
                name = one.definition.renamed.get(name, name)
        column = self.lineage.versions[self.at(max(number, 0))].columns.get(name)
        if column is not None:
            return self.lineage.target_name(column), self.lineage.exists(column)
        for one in self.versions[number + 1 :]:
            if one.fresh or name in one.definition.dropped:
                return name, False
            name = one.definition.renamed.get(name, name)
        return name, True

    def renames_since(self, since: ChangePosition | None) -> dict[str, str]:
        """Return the new names of columns that a target knows by their names at a position.

        Without a position, only columns whose old name no other column has now.
        """
        lineage = self.lineage
        last = max((n for n, one in enumerate(self.versions) if since and one.start <= since),
                   default=None)  # fmt: skip
        if last is not None:
            pairs = ((name, lineage.last.targets[number])
                     for number, name in lineage.versions[last].targets.items())  # fmt: skip
        else:
            newest = {*self.newest.shape.names}
            pairs = ((name, lineage.target_name(column))
                     for name, column in lineage.columns() if name not in newest)  # fmt: skip
        return {name: to for name, to in pairs if to != name}

    @property
    def created(self) -> ChangePosition | None:
        """Where the table was last created again after a DROP; older rows are gone."""
        return max((one.start for one in self.versions if one.fresh), default=None)

    @cached_property
    def names_differ(self) -> bool:
        """Whether a name means different columns in different versions."""
        return self.lineage.names_differ()

    @cached_property
    def reused(self) -> Mapping[str, ChangePosition]:
        """Columns of the newest version in the target column of a former one, and their start."""
        return {
            name: self.versions[column.added].start
            for name, column in self.lineage.last.columns.items()
            if column.reused
        }

    @cached_property
    def renewed(self) -> Mapping[str, ChangePosition]:
        """Columns of the newest version whose name another one had, and since when they have it."""
        return {
            name: self.versions[since].start
            for name, column in self.lineage.last.columns.items()
            if (since := self.lineage.named_since(name, column))
        }

    @cached_property
    def added(self) -> Mapping[str, Column]:
        """Columns of the newest version that a statement added to the table, as it defined them."""
        found = self.lineage.last.columns.items()
        return {
            name: column.first
            for name, column in found
            if column.added and not self.versions[column.added].fresh
        }

    @cached_property
    def definitions(self) -> Mapping[str, list[Column]]:
        """All definitions of the columns of each target column, the oldest first."""
        found: dict[str, list[Column]] = {}
        for one, names in zip(self.versions, self.lineage.versions, strict=True):
            for column in one.definition.shape.columns:
                target = self.lineage.target_name(names.columns[column.name])
                found.setdefault(target, []).append(column)
        return found

    @cached_property
    def dropped(self) -> frozenset[str]:
        """The names of columns that the table no longer has."""
        lineage = self.lineage
        gone = [pair for pair in lineage.columns() if not lineage.exists(pair[1])]
        dead = {called for name, one in gone for called in (name, lineage.target_name(one))}
        dead.update(*(one.definition.dropped for one in self.versions))
        return frozenset(dead).difference(self.newest.shape.names)

    def with_names(self, name: Callable[[str], str]) -> SchemaVersions:
        """Return the same versions with the column names of a target."""
        found = (replace(o, definition=o.definition.with_names(name)) for o in self.versions)
        return replace(self, versions=tuple(found))


def first_version(found: Definition, *, replaces: bool = False) -> SchemaVersions:
    """Return the versions of a table after its first statement.

    :param replaces: a table of this name was dropped; its rows are older than the statement.
    """
    seen = frozenset({statement_of(found)})
    replaces = (replaces and found.kind == "CREATE") or replaces_table(found.ddl)
    fresh = replaces and not found.snapshot and found.start is not None
    if not (found.renamed or found.dropped or fresh):
        return SchemaVersions((SchemaVersion(BEGINNING, found),), seen)
    earlier = SchemaVersion(BEGINNING, _before_renames(found))
    return SchemaVersions((earlier, SchemaVersion(found.start or BEGINNING, found, fresh)), seen)


def statement_of(found: Definition) -> StatementId:
    """Return what identifies the statement of a definition."""
    return found.start, found.ddl, found.kind


def _before_renames(found: Definition) -> Definition:
    """Return a definition with the column names from before its statement."""
    old = {new: name for name, new in found.renamed.items()}
    columns = (replace(one, name=old.get(one.name, one.name)) for one in found.shape.columns)
    keys = tuple(old.get(key, key) for key in found.keys)
    none: frozenset[str] = frozenset()
    none_renamed: dict[str, str] = {}
    return replace(found, shape=RowSchema(tuple(columns)), keys=keys, renamed=none_renamed,
                   source_renamed=none_renamed, dropped=none)  # fmt: skip


def _as_renamed(found: Definition) -> Definition:
    dropped = found.dropped - found.source_renamed.keys()
    return replace(found, renamed=found.source_renamed, dropped=dropped)


def _same_encoding(one: Definition, other: Definition) -> bool:
    if other.source_renamed or other.dropped:
        return False
    return [_without_default(column) for column in one.shape.columns] == [
        _without_default(column) for column in other.shape.columns
    ]


def _without_default(column: Column) -> Column:
    return replace(column, default=None, optional=True)
