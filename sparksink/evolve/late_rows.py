"""Repairs rows that were written before the statement that renamed their columns was known.

Their values are saved in further columns before the target's columns are renamed, and restored
after that. What to restore is stored with the table, so a process that is started again completes
it. Does not need Spark.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from sparksink.change_position import BEGINNING, before_sql
from sparksink.evolve.late_renames import Values, plan_late_renames
from sparksink.evolve.renames import FOLLOWED, PER_COLUMN, Step, followed_position
from sparksink.evolve.row_alignment import DEFAULT
from sparksink.evolve.table_facts import pending_facts
from sparksink.schemas.versions import SchemaVersions
from sparksink.tables import Add, Alteration, Copy, Drop, Fill

_LATE: Final = "late"
"""The fact with the values to restore."""
_SAVED: Final = "__late"
"""Suffix of the column with the saved values of another one."""

Defaults = Mapping[str, str | None]
"""Columns that statements added, and SQL of the value that rows got, None for NULL."""


def save_steps(
    columns: Mapping[str, str],
    known: Mapping[str, str],
    versions: SchemaVersions,
    has_rows: Callable[[str], bool],
    defaults: Defaults,
    *,
    keeps: bool,
) -> Iterator[Step]:
    """Yield the steps that come before the renames; after a crash they can start again.

    A table that was written without versions has the names of the first one.

    :param columns: the columns of the table, name to type; ``known`` are its facts.
    :param has_rows: returns whether rows meet an SQL condition.
    :param keeps: the table has values of former columns in later ones of their names.
    """
    if followed_position(known) is None and BEGINNING not in versions.starts[1:]:
        yield {FOLLOWED: json.dumps(BEGINNING)}, []
    plan = plan_late_renames(columns, known, versions, keeps=keeps)
    late, stored = " OR ".join(plan.values), {}
    if late and not known.get(_LATE) and has_rows(late):
        saved = {name + _SAVED: name for name in plan.sources}
        new = {to: columns[name] for to, name in saved.items() if to not in columns}
        yield {}, [*([Add(new)] if new else []), *([Copy(saved, late)] if saved else [])]
        stored = {_LATE: json.dumps([*plan.values.items()])}
    stale = {prefix + name for name in plan.early for prefix in PER_COLUMN}
    forgotten = dict.fromkeys(stale.intersection(known), "")
    yield {**stored, **forgotten}, [Drop(sorted(plan.early))] if plan.early else []
    yield from _default_steps(plan.added, columns, known, versions, defaults)


def restore_steps(
    columns: Mapping[str, str],
    known: Mapping[str, str],
    defaults: Defaults,
    column_for: Callable[[str, str], str],
) -> Iterator[Step]:
    """Yield the steps that come after the table has followed; after a crash they can start again.

    :param column_for: returns the column that takes values of a column of a type.
    """
    restored: list[tuple[str, Values]] = json.loads(known.get(_LATE) or "[]")
    names = {name for _, values in restored for name in values.values() if name}
    saved = {name: name + _SAVED for name in names if name + _SAVED in columns}
    for to, name in (pair for _, values in restored for pair in values.items()):
        if name in saved and to not in columns:  # no message of this batch has it
            columns = {**columns, to: columns[saved[name]]}
            yield from _add_steps(to, columns[to], defaults.get(to) or "")
    for where, values in restored:
        moved = {column_for(to, columns[saved[name]]): saved[name]
                 for to, name in values.items() if name in saved}  # fmt: skip
        empty = {to: _cast(defaults.get(to), columns[to])
                 for to, name in values.items() if name is None and to in columns}  # fmt: skip
        copy: list[Alteration] = [Copy(moved, where)] if moved else []
        yield {}, [*copy, *([Fill(empty, where)] if empty else [])]
    if saved:
        yield {}, [Drop(sorted(saved.values()))]
    if restored:
        yield {_LATE: ""}, []


def _default_steps(
    added: Collection[str],
    columns: Mapping[str, str],
    known: Mapping[str, str],
    versions: SchemaVersions,
    defaults: Defaults,
) -> Iterator[Step]:
    """Yield the steps that give earlier rows the default of the statement that added a column."""
    for name, column in versions.lineage.last.columns.items():
        value = defaults.get(name) or ""
        if name in added and name in defaults and value != known.get(DEFAULT + name, ""):
            filled = {name: _cast(value, columns[name])}
            start = versions.starts[column.added]
            yield {DEFAULT + name: value}, [Fill(filled, before_sql(start))]


def _add_steps(name: str, kind: str, default: str) -> Iterator[Step]:
    """Yield the steps that add a column with a default, perhaps an empty one, in SQL."""
    yield pending_facts({name: default}), [Add({name: kind})]
    if default:
        yield {}, [Fill({name: default})]
        yield {DEFAULT + name: default, **pending_facts({name: ""})}, []


def _cast(value: str | None, kind: str) -> str:
    return f"CAST({value or 'NULL'} AS {kind})"
