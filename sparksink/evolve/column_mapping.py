"""Maps columns of the source to columns of a target table.

The names are equal, except for their case, unless the column was renamed. After a change to an
incompatible type, ``evolution.conflict: new_column`` adds a column: ``c__v2`` beside ``c``, and
``c__v3`` after another such change. Does not need Spark.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from sparksink.config.columns import Evolution
from sparksink.errors import TableError
from sparksink.evolve.earlier_columns import NO_EARLIER, EarlierColumns
from sparksink.evolve.migration_steps import can_cast, can_widen
from sparksink.schemas.wider_types import fits
from sparksink.sql import unquote_type

RENAMED: Final = "renamed."
VERSIONS: Final = "versions."
REWRITTEN: Final = "rewritten."
"""Prefixes of facts: a column's new name, its additional columns, its former types."""


def find_name(name: str, names: Collection[str]) -> str | None:
    """Return a column's name among others, perhaps in another case, which Spark ignores."""
    if name in names:
        return name
    return next((one for one in names if one.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """The mapping of a table with these columns (name to type) and stored facts."""

    columns: Mapping[str, str]
    facts: Mapping[str, str]
    rules: Evolution
    table_format: str

    def plan_columns(
        self,
        kinds: Mapping[str, str],
        keys: Collection[str],
        gone: Collection[str],
        earlier: EarlierColumns = NO_EARLIER,
    ) -> dict[str, str]:
        """Return the columns that the table needs, name to type.

        :param kinds: the columns of the source.
        :param gone: columns that the source has dropped.
        :param earlier: what earlier definitions say of columns.
        :raises TableError: a name is taken by an additional column of another one.
        """
        taken = sorted(kinds.keys() & self._beside().keys())
        if taken:
            raise TableError(
                f"Column {taken[0]} holds values of another column, whose type changed."
            )
        renamed, found = self.renamed(), {}
        for source, kind in kinds.items():
            name = source if source in self.columns else renamed.get(source, source)
            name = find_name(name, self.columns) or name
            if name in self.columns and name not in keys:
                found[self.column_for(name, kind)] = self._kind(name, kind, earlier)
            elif name in self.columns or name not in gone:
                found[name] = kind
        return found

    def additional_column_facts(self, planned: Collection[str]) -> dict[str, str]:
        """Return the facts of planned additional columns that are not stored yet."""
        facts = {}
        for name in set(planned).difference(self.columns):
            base, mark, _ = name.rpartition("__v")
            if mark and base in self.columns and name == self._new(base):
                facts[VERSIONS + base] = json.dumps([*self.beside(base), name])
        return facts

    def former_type_facts(self, rewritten: Collection[str]) -> dict[str, str]:
        """Return the facts with the types that columns have before all rows are cast."""
        names = {name: REWRITTEN + name for name in rewritten}
        before = {name: json.loads(self.facts.get(fact) or "[]") for name, fact in names.items()}
        return {
            fact: json.dumps([*before[name], unquote_type(self.columns[name])])
            for name, fact in names.items()
        }

    def origin(self, name: str, given: Mapping[str, str]) -> str | None:
        """Return the column of the source whose values a column of the table takes, if any.

        :param given: the columns of the source, name to type.
        """
        base = self._beside().get(name, name)
        old = next((old for old, new in self.renamed().items() if new == base), None)
        found = find_name(base, given)
        if found is None and old not in self.columns:
            found = old and find_name(old, given)
        return found

    def takes(self, name: str, kind: str) -> bool:
        """Return whether this column, or additional column, takes values of a type."""
        base = self._beside().get(name, name)
        return not self.beside(base) or self.column_for(base, kind) == name

    def column_for(self, name: str, kind: str) -> str:
        """Return the first column that has the type or can be widened to it, or a new one."""
        beside = self.beside(name)
        if not beside and self.rules.conflict != "new_column":
            return name
        for one in (name, *beside):
            present = unquote_type(self.columns.get(one, kind))
            if fits(unquote_type(kind), present) or can_widen(
                self.table_format, present, unquote_type(kind)
            ):
                return one
        return self._new(name)

    def beside(self, name: str) -> list[str]:
        """Return the additional columns of a column, the oldest first."""
        found: list[str] = json.loads(self.facts.get(VERSIONS + name) or "[]")
        return found

    def renamed(self) -> dict[str, str]:
        """Return the renamed columns, old name to new."""
        facts = self.facts.items()
        return {n.removeprefix(RENAMED): new for n, new in facts if n.startswith(RENAMED) and new}

    def _beside(self) -> dict[str, str]:
        """Return the column that each additional column belongs to."""
        bases = [n.removeprefix(VERSIONS) for n in self.facts if n.startswith(VERSIONS)]
        return {name: base for base in bases for name in self.beside(base)}

    def _new(self, name: str) -> str:
        number = 2
        while f"{name}__v{number}" in self.columns:
            number += 1
        return f"{name}__v{number}"

    def _kind(self, name: str, kind: str, earlier: EarlierColumns) -> str:
        """Return the type of a column; values of a type from before a cast keep it.

        The column may never have had that type here, if newer messages arrived first.
        """
        given, present = unquote_type(kind), self.columns[name]
        before = json.loads(self.facts.get(REWRITTEN + name) or "[]")
        before += map(unquote_type, earlier.types.get(name, ()))
        is_former = any(fits(given, one) for one in before)
        return present if is_former and can_cast(given, unquote_type(present)) else kind
