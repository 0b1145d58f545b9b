"""Plans the renames of a target's columns from the schema versions of the source's table.

The target stores the position up to which it has followed. Does not need Spark.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from sparksink.change_position import ChangePosition
from sparksink.schemas.versions import SchemaVersions
from sparksink.tables import Alteration, Rename

_FOLLOWED: Final = "followed"
_BORN: Final = "born."
_KEYS: Final = "keys"
_PER_COLUMN: Final = ("default.", "pending.", "versions.", "rewritten.", _BORN)
"""Prefixes of facts about one column."""
_MOVING: Final = "__moving"
"""Temporary suffix of columns that swap their names."""

Step = tuple[dict[str, str], list[Alteration]]
"""Facts to store, and the alterations that follow."""


def version_facts(versions: SchemaVersions) -> dict[str, str]:
    """Return the facts of a table that is created with the newest names."""
    born = (start_fact(name, start) for name, start in versions.reused.items())
    followed = {_FOLLOWED: json.dumps(versions.starts[-1])}
    return {name: text for one in (followed, *born) for name, text in one.items()}


def start_fact(name: str, start: ChangePosition) -> dict[str, str]:
    """Return the fact with the start of a column whose name an earlier column had."""
    return {_BORN + name: json.dumps(start)}


def reused_names(versions: SchemaVersions, known: Mapping[str, str]) -> dict[str, ChangePosition]:
    """Return columns whose values from before a position belong to former columns of the name."""
    return {
        name: start
        for name, start in versions.reused.items()
        if known.get(_BORN + name) != json.dumps(start)
    }


def renames_since(known: Mapping[str, str], versions: SchemaVersions) -> Mapping[str, str]:
    """Return the renames since the position up to which a table has followed."""
    text = known.get(_FOLLOWED)
    since = ChangePosition(*json.loads(text)) if text else None
    return versions.renamed_since(since) if since is None or since < versions.starts[-1] else {}


def rename_steps(
    columns: Collection[str], known: Mapping[str, str], versions: SchemaVersions
) -> Iterator[Step]:
    """Yield the steps that rename a table's columns; after a crash they can start again.

    Columns that swap their names get temporary names in between.
    """
    newest, here = versions.starts[-1], set(columns)
    if known.get(_FOLLOWED) != json.dumps(newest):
        moved = {old: new for old, new in renames_since(known, versions).items() if old in here}
        done = {**moved}
        while free := [old for old, new in moved.items() if new not in here]:
            for old in free:
                new = moved.pop(old)
                if new not in here:
                    here = here - {old} | {new}
                    yield _facts_after_rename({old: new}, known), [Rename(old, new)]
        around = {old: new for old, new in moved.items() if new in moved}
        yield {}, [Rename(old, new + _MOVING) for old, new in around.items()]
        here = here.difference(around).union(new + _MOVING for new in around.values())
        keys = [done.get(key, key) for key in json.loads(known.get(_KEYS) or "[]")]
        yield {**_facts_after_rename(around, known), _KEYS: json.dumps(keys),
               _FOLLOWED: json.dumps(newest)}, []  # fmt: skip
    moving = sorted(name for name in here if name.endswith(_MOVING))
    yield {}, [Rename(name, name.removesuffix(_MOVING)) for name in moving]


def _facts_after_rename(moved: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the facts about renamed columns under their new names."""
    before = {prefix + old: "" for prefix in _PER_COLUMN for old in moved if prefix + old in known}
    after = {
        prefix + new: known[prefix + old]
        for prefix in _PER_COLUMN
        for old, new in moved.items()
        if known.get(prefix + old)
    }
    return {**before, **after}
