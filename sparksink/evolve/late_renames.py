"""Plans what moves in rows that were written before the renames of their columns were known.

Such rows have their values in columns that had these names before, or in columns that were added
for them. Does not need Spark.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from sparksink.change_position import BEGINNING, before_sql
from sparksink.evolve.renames import followed_position, renames_since
from sparksink.schemas.names import trace_names
from sparksink.schemas.versions import SchemaVersions

Values = dict[str, str | None]
"""Column by its new name → the column with its value before the renames; None without a value."""


@dataclass(frozen=True, slots=True)
class LateRenames:
    """The values to move, by the SQL condition of the rows.

    ``early`` columns were added for such rows, and their names belong to others; ``added`` ones
    have a name of their own.
    """

    early: frozenset[str]
    added: frozenset[str]
    values: Mapping[str, Values]

    @property
    def sources(self) -> list[str]:
        """The columns whose values move."""
        return sorted({name for values in self.values.values() for name in values.values() if name})


def plan_late_renames(
    columns: Collection[str], known: Mapping[str, str], versions: SchemaVersions, *, keeps: bool
) -> LateRenames:
    """Return what moves in rows of versions that a table has not followed.

    :param keeps: the table has values of former columns in later ones of their names.
    """
    last = _followed_number(known, versions)
    before = replace(versions, versions=versions.versions[: last + 1])
    rows = {
        number: _sources(versions, before, number, keeps=keeps)
        for number in range(last + 1, len(versions.versions))
    }
    added = {*columns}.difference(before.lineage.last.targets.values())
    moved, newest = renames_since(known, versions), versions.newest.shape.names
    taken = {new for old, new in moved.items() if old in columns}
    early = {
        name for sources in rows.values() for to, name in sources.items()
        if name in added and (name in taken or (name != to and name not in newest))
    }  # fmt: skip
    named = {name: moved.get(name, name) for name in columns if name not in early}
    values = {
        _rows_sql(versions, number): moving
        for number, sources in rows.items()
        if (moving := _moving(sources, columns, named, None if keeps else newest))
    }
    return LateRenames(frozenset(early), frozenset(added - early), values)


def _followed_number(known: Mapping[str, str], versions: SchemaVersions) -> int:
    followed = followed_position(known) or BEGINNING
    return max(number for number, start in enumerate(versions.starts) if start <= followed)


def _sources(
    versions: SchemaVersions, before: SchemaVersions, number: int, *, keeps: bool
) -> dict[str, str]:
    """Return the columns of a version by their new names, and where earlier versions put them."""
    names, last = versions.versions[number].names, len(before.versions) - 1
    written = trace_names(names, lambda name: before.trace(last, name))
    found = {}
    for name in names:
        to, exists = versions.trace(number, name)
        if exists or keeps or to not in versions.newest.shape.names:
            found[to] = written[name][0]
    return found


def _moving(
    sources: Mapping[str, str],
    columns: Collection[str],
    named: Mapping[str, str],
    newest: Collection[str] | None,
) -> Values:
    """Return the values that are in wrong columns after the renames.

    :param named: the columns that stay, with their new names.
    :param newest: the columns of the source, if the table does not keep others.
    """
    wrong = {to: name for to, name in sources.items() if name in columns and named.get(name) != to}
    left = {named[name] for name in wrong.values() if name in named}
    kept = {to: name for to, name in wrong.items()
            if newest is None or to in newest or to in named.values()}  # fmt: skip
    return {**kept, **dict.fromkeys(left.difference(sources))}


def _rows_sql(versions: SchemaVersions, number: int) -> str:
    """Return the SQL condition of the rows of a version."""
    conditions = [f"NOT {before_sql(versions.starts[number])}"]
    if number + 1 < len(versions.starts):
        conditions.append(before_sql(versions.starts[number + 1]))
    return f"({' AND '.join(conditions)})"
