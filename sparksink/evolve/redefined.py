"""What the versions of the source's table ask of a target: new names, and names of other columns.

The target notes up to which position it has followed. Nothing here needs Spark.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from sparksink.order import Sequence
from sparksink.schemas.versions import Versions
from sparksink.tables import Alteration, Rename

_FOLLOWED: Final = "followed"
_BORN: Final = "born."
_KEYS: Final = "keys"
_PER_COLUMN: Final = ("default.", "pending.", "versions.", "rewritten.", _BORN)
"""How the names of facts begin that are about one column."""
_MOVING: Final = "__moving"
"""How columns end for a moment that change their names with each other."""

Step = tuple[dict[str, str], list[Alteration]]
"""Facts to note, and what is done to the table then."""


def facts(versions: Versions) -> dict[str, str]:
    """Return what a table notes that is made with the newest names."""
    born = (noted(name, start) for name, start in versions.reused.items())
    followed = {_FOLLOWED: json.dumps(versions.starts[-1])}
    return {name: text for one in (followed, *born) for name, text in one.items()}


def noted(name: str, start: Sequence) -> dict[str, str]:
    """Return the fact of where a column begins of which earlier ones had the name."""
    return {_BORN + name: json.dumps(start)}


def reused(versions: Versions, known: Mapping[str, str]) -> dict[str, Sequence]:
    """Return columns whose values of before some position are of others that had the name."""
    return {
        name: start
        for name, start in versions.reused.items()
        if known.get(_BORN + name) != json.dumps(start)
    }


def moved_by(known: Mapping[str, str], versions: Versions) -> Mapping[str, str]:
    """Return the names that columns of a table got since it followed the last time."""
    text = known.get(_FOLLOWED)
    since = Sequence(*json.loads(text)) if text else None
    return versions.moved(since) if since is None or since < versions.starts[-1] else {}


def renamings(
    columns: Collection[str], known: Mapping[str, str], versions: Versions
) -> Iterator[Step]:
    """Yield what gives a table's columns their present names; broken off, it can begin again.

    Where columns take each other's names they get others for a moment.
    """
    newest, here = versions.starts[-1], set(columns)
    if known.get(_FOLLOWED) != json.dumps(newest):
        moved = {old: new for old, new in moved_by(known, versions).items() if old in here}
        done = {**moved}
        while free := [old for old, new in moved.items() if new not in here]:
            for old in free:
                new = moved.pop(old)
                if new not in here:
                    here = here - {old} | {new}
                    yield _facts_of({old: new}, known), [Rename(old, new)]
        around = {old: new for old, new in moved.items() if new in moved}
        yield {}, [Rename(old, new + _MOVING) for old, new in around.items()]
        here = here.difference(around).union(new + _MOVING for new in around.values())
        keys = [done.get(key, key) for key in json.loads(known.get(_KEYS) or "[]")]
        yield {**_facts_of(around, known), _KEYS: json.dumps(keys),
               _FOLLOWED: json.dumps(newest)}, []  # fmt: skip
    moving = sorted(name for name in here if name.endswith(_MOVING))
    yield {}, [Rename(name, name.removesuffix(_MOVING)) for name in moving]


def _facts_of(moved: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the facts about columns under their new names."""
    before = {prefix + old: "" for prefix in _PER_COLUMN for old in moved if prefix + old in known}
    after = {
        prefix + new: known[prefix + old]
        for prefix in _PER_COLUMN
        for old, new in moved.items()
        if known.get(prefix + old)
    }
    return {**before, **after}
