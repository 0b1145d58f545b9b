"""Names tables as their messages are routed, which may be one name for several tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sparksink.schemas.schema_changes import Definition


class RoutedNames:
    """Gives definitions the names that messages are routed by, and finds tables that share one.

    ``name`` returns the routed name of ``db.table``.
    """

    def __init__(self, name: Callable[[str], str]) -> None:
        self._name = name
        self._present: dict[str, set[str]] = {}
        self._shared: dict[str, tuple[str, ...]] = {}

    def follow(self, found: Definition) -> Definition:
        """Return the next definition with routed names."""
        table, previous = self._name(found.table), found.previous and self._name(found.previous)
        if previous:
            self._present.get(previous, set()).discard(found.previous)
        present = self._present.setdefault(table, set())
        present.discard(found.table)
        if found.kind != "DROP":
            present.add(found.table)
        if len(present) > 1:
            self._shared[table] = tuple(sorted({*present, *self._shared.get(table, ())}))
        return replace(found, table=table, previous="" if previous == table else previous)

    def source_name(self, table: str) -> str:
        """Return the name of the source's table with a routed name; the same if it is unknown."""
        return next(iter(self._present.get(table, ())), table)

    def sharing(self, table: str) -> tuple[str, ...]:
        """Return the tables of the source that had one routed name at a time, if any did."""
        return self._shared.get(table, ())
