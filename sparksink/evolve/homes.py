"""Which column of a target takes the values of a column of the source.

It has the same name, unless it was renamed. Where its type became one that its old values do not
have, ``evolution.conflict: new_column`` makes a column beside it, ``c__v2`` beside ``c`` and
``c__v3`` after another such change. Nothing here needs Spark.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from sparksink.config.columns import Evolution
from sparksink.errors import TableError
from sparksink.evolve.steps import fits, plain, widens

RENAMED: Final = "renamed."
VERSIONS: Final = "versions."
REWRITTEN: Final = "rewritten."
"""How the names of facts begin: a column's new name, those beside it, types that it had."""


@dataclass(frozen=True, slots=True)
class Homes:
    """What is there: the table's columns, name to type, and what was noted beside them."""

    columns: Mapping[str, str]
    facts: Mapping[str, str]
    rules: Evolution
    table_format: str

    def wanted(
        self, kinds: Mapping[str, str], keys: Collection[str], gone: Collection[str]
    ) -> dict[str, str]:
        """Return the columns that the table needs, name to type.

        :param kinds: the columns of the source.
        :param gone: columns that it does not have any more.
        :raises TableError: it has a column of a name that was made for another one.
        """
        taken = sorted(kinds.keys() & self._beside().keys())
        if taken:
            raise TableError(f"Column {taken[0]} was made for other values of a column before.")
        renamed, found = self.renamed(), {}
        for source, kind in kinds.items():
            name = source if source in self.columns else renamed.get(source, source)
            if name in self.columns and name not in keys:
                found[self._home(name, kind)] = self._kind(name, kind)
            elif name in self.columns or name not in gone:
                found[name] = kind
        return found

    def noted(self, wanted: Collection[str]) -> dict[str, str]:
        """Return facts of the columns that are wanted beside others and are not noted yet."""
        facts = {}
        for name in set(wanted).difference(self.columns):
            base, mark, _ = name.rpartition("__v")
            if mark and base in self.columns and name == self._new(base):
                facts[VERSIONS + base] = json.dumps([*self.beside(base), name])
        return facts

    def origin(self, name: str, given: Mapping[str, str]) -> str | None:
        """Return the column of the source whose values go into one of the table, if there is one.

        :param given: the columns of the source, name to type.
        """
        base = self._beside().get(name, name)
        old = next((old for old, new in self.renamed().items() if new == base), None)
        found = base if base in given else old
        if found is None or found not in given or (found == old and old in self.columns):
            return None
        return found

    def takes(self, name: str, kind: str) -> bool:
        """Tell whether values of a type go into this one of the columns that stand for another."""
        base = self._beside().get(name, name)
        return not self.beside(base) or self._home(base, kind) == name

    def beside(self, name: str) -> list[str]:
        """Return the columns that were made for other values of a column, the first one first."""
        found: list[str] = json.loads(self.facts.get(VERSIONS + name) or "[]")
        return found

    def renamed(self) -> dict[str, str]:
        """Return the columns that got another name, old to new."""
        facts = self.facts.items()
        return {n.removeprefix(RENAMED): new for n, new in facts if n.startswith(RENAMED) and new}

    def _beside(self) -> dict[str, str]:
        """Return which column each of those beside others was made for."""
        bases = [n.removeprefix(VERSIONS) for n in self.facts if n.startswith(VERSIONS)]
        return {name: base for base in bases for name in self.beside(base)}

    def _home(self, name: str, kind: str) -> str:
        """Return the first column that has the type or can get it, or a new one."""
        beside = self.beside(name)
        if not beside and self.rules.conflict != "new_column":
            return name
        for one in (name, *beside):
            present = plain(self.columns.get(one, kind))
            if fits(plain(kind), present) or widens(self.table_format, present, plain(kind)):
                return one
        return self._new(name)

    def _new(self, name: str) -> str:
        number = 2
        while f"{name}__v{number}" in self.columns:
            number += 1
        return f"{name}__v{number}"

    def _kind(self, name: str, kind: str) -> str:
        """Return the type of a column, also for values of one that it had before it was cast."""
        before = json.loads(self.facts.get(REWRITTEN + name) or "[]")
        return self.columns[name] if any(fits(plain(kind), one) for one in before) else kind
