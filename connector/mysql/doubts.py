"""Statements that could not be read, and which tables they leave in doubt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from connector.capture.tables import TableId

_LIKE: Final = re.compile(r"\blike\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A statement that could not be read; ``reason`` tells it, without literals, and its place."""

    text: str
    reason: str

    def concerns(self, table: TableId) -> bool:
        """Whether it may have changed a table: what changes one has its name, in any case."""
        return table.table.casefold() in self.text


class Doubts:
    """What is not sure of the tables: they are looked at again when their next rows come."""

    def __init__(self) -> None:
        self._doubts: list[Doubt] = []
        self._settled: dict[TableId, int] = {}

    def __bool__(self) -> bool:
        return bool(self._doubts)

    def add(self, statement: str, reason: str) -> None:
        """Note a statement that could not be read."""
        self._doubts.append(Doubt(_folded(statement), reason))

    def about(self, table: TableId) -> Doubt | None:
        """Return the last statement that leaves a table in doubt."""
        first = self._settled.get(table, 0)
        concerning = (doubt for doubt in reversed(self._doubts[first:]) if doubt.concerns(table))
        return next(concerning, None)

    def settle(self, table: TableId) -> None:
        """Take a table for known: it was defined anew, or what is known of it was proved."""
        if self._doubts:
            self._settled[table] = len(self._doubts)

    def created(self, table: TableId, statement: str) -> None:
        """Take in that a table was made: for sure, unless as a copy of one that is not."""
        if self._doubts and _LIKE.search(statement):
            self.add(statement, self._doubts[-1].reason)
        else:
            self.settle(table)

    def renamed(self, old: TableId, statement: str) -> None:
        """Take in that a table has another name: the doubt goes with it."""
        doubt = self.about(old)
        if doubt is not None:
            self.add(statement, doubt.reason)


def _folded(statement: str) -> str:
    return statement.replace("``", "`").replace('""', '"').casefold()
