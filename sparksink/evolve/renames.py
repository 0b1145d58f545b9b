"""Plans the renames of a target's columns from the schema versions of the source's table.

The target stores the position up to which it has followed. Does not need Spark.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from sparksink.change_position import ChangePosition
from sparksink.evolve import before_image
from sparksink.evolve.column_mapping import RENAMED
from sparksink.schemas.spark_types import BEFORE
from sparksink.schemas.versions import SchemaVersions
from sparksink.tables import Alteration, Rename

FOLLOWED: Final = "followed"
_START: Final = "start."
_KEYS: Final = "keys"
PER_COLUMN: Final = ("default.", "pending.", "versions.", "rewritten.", _START)
"""Prefixes of facts about one column."""
_MOVING: Final = "__moving"
"""Suffix of a column's temporary name."""
_FIELDS: Final = f"{BEFORE}."

Step = tuple[dict[str, str], list[Alteration]]
"""Facts to store, and the alterations that follow."""


def version_facts(versions: SchemaVersions) -> dict[str, str]:
    """Return the facts of a table that is created with the newest names."""
    starts = (start_fact(name, start) for name, start in versions.reused.items())
    followed = {FOLLOWED: json.dumps(versions.starts[-1])}
    return {name: text for one in (followed, *starts) for name, text in one.items()}


def start_fact(name: str, start: ChangePosition) -> dict[str, str]:
    """Return the fact with the start of a column whose name an earlier column had."""
    return {_START + name: json.dumps(start)}


def reused_names(versions: SchemaVersions, known: Mapping[str, str]) -> dict[str, ChangePosition]:
    """Return columns whose values from before a position belong to former columns of the name."""
    return {
        name: start
        for name, start in versions.reused.items()
        if known.get(_START + name) != json.dumps(start)
    }


def followed_position(known: Mapping[str, str]) -> ChangePosition | None:
    """Return the position up to which a table has followed; None without versions so far."""
    text = known.get(FOLLOWED)
    return ChangePosition(*json.loads(text)) if text else None


def renames_since(known: Mapping[str, str], versions: SchemaVersions) -> Mapping[str, str]:
    """Return the renames since the position up to which a table has followed."""
    since = followed_position(known)
    return versions.renames_since(since) if since is None or since < versions.starts[-1] else {}


def rename_steps(
    columns: Collection[str],
    known: Mapping[str, str],
    versions: SchemaVersions,
    fields: Collection[str] = (),
) -> Iterator[Step]:
    """Yield the steps that rename a table's columns; after a crash they can start again.

    ``fields`` are those of the row before a change, which have the names of the columns. If a new
    name is one of the old names too, perhaps in another case, all columns get temporary names
    first: a step that was interrupted then cannot take a column that has its new name for the one
    that had it before.
    """
    newest = versions.starts[-1]
    if known.get(FOLLOWED) != json.dumps(newest):
        moved = renames_since(known, versions)
        first = {
            path + old: _first_name(new, moved, here)
            for path, here in (("", columns), (_FIELDS, fields))
            for old, new in moved.items()
            if old in here and (_is_in(new, moved) or not _is_in(new, here))
        }
        yield {}, [Rename(name, to) for name, to in first.items()]
        keys = [moved.get(key, key) for key in json.loads(known.get(_KEYS) or "[]")]
        yield {**_facts_after_rename(moved, known), _KEYS: json.dumps(keys),
               FOLLOWED: json.dumps(newest)}, []  # fmt: skip
        columns = _renamed_names(columns, first)
        fields = _renamed_names(fields, first, _FIELDS)
    moving = [*_moving(columns), *(_FIELDS + name for name in _moving(fields))]
    yield {}, [Rename(name, _column_name(name).removesuffix(_MOVING)) for name in moving]


def own_rename_steps(
    columns: Collection[str], fields: Collection[str], renamed: Mapping[str, str]
) -> Iterator[Step]:
    """Yield the steps that rename columns as only the target does, old name to new."""
    present = {*columns}
    for old, new in renamed.items():
        if old in present and new not in present:
            present ^= {old, new}
            yield {RENAMED + old: new}, [Rename(old, new)]
    yield {}, before_image.rename_fields(fields, renamed)


def _first_name(new: str, moved: Mapping[str, str], here: Collection[str]) -> str:
    """Return the name that a column gets first."""
    clear = not any(_is_in(name, [*moved, *here]) for name in moved.values())
    return new if clear else new + _MOVING


def _is_in(name: str, names: Collection[str]) -> bool:
    """Return whether a name is among others; Spark does not distinguish case."""
    return name.lower() in map(str.lower, names)


def _renamed_names(
    names: Collection[str], renamed: Mapping[str, str], path: str = ""
) -> Collection[str]:
    return [renamed.get(path + name, name) for name in names]


def _moving(names: Collection[str]) -> list[str]:
    """Return the columns with temporary names."""
    return sorted(name for name in names if name.endswith(_MOVING))


def _column_name(name: str) -> str:
    return name.removeprefix(_FIELDS)


def _facts_after_rename(moved: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the facts about renamed columns under their new names."""
    before = {prefix + old: "" for prefix in PER_COLUMN for old in moved if prefix + old in known}
    after = {
        prefix + new: known[prefix + old]
        for prefix in PER_COLUMN
        for old, new in moved.items()
        if known.get(prefix + old)
    }
    return {**before, **after}
