"""Statements that could not be read, and which tables they leave in doubt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from connector.capture.tables import TableId

_HANDS_ON: Final = re.compile(
    r"\brename\b|\bcreate\b.*?\btable\b[^(]*\(?\s*like\b", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class UnparsedStatement:
    """A statement that could not be read; ``reason`` tells it, without literals, and its place."""

    text: str
    reason: str

    def concerns(self, table: TableId) -> bool:
        """Whether it may have changed a table: what changes one has its name, in any case."""
        return table.table.casefold() in self.text


class UnparsedStatements:
    """What is not sure of the tables: they are looked at again when their next rows come."""

    def __init__(self) -> None:
        self._doubts: list[UnparsedStatement] = []
        self._settled: dict[TableId, int] = {}
        self._handed_on: dict[TableId, UnparsedStatement] = {}

    def __bool__(self) -> bool:
        return bool(self._doubts)

    def add(self, statement: str, reason: str) -> None:
        """Note a statement that could not be read."""
        self._doubts.append(UnparsedStatement(_folded(statement), reason))

    def about(self, table: TableId) -> UnparsedStatement | None:
        """Return the last statement that leaves a table in doubt."""
        first = self._settled.get(table, 0)
        concerning = (doubt for doubt in reversed(self._doubts[first:]) if doubt.concerns(table))
        return next(concerning, None) or self._handed_on.get(table)

    def settle(self, table: TableId) -> None:
        """Take a table for known: it was defined anew, or what is known of it was proved."""
        if self._doubts:
            self._settled[table] = len(self._doubts)
            self._handed_on.pop(table, None)

    def may_go_on(self, statement: str) -> bool:
        """Whether a statement may hand a doubt on from one table to another."""
        return bool(self._doubts) and _HANDS_ON.search(statement) is not None

    def renamed(self, old: TableId, new: TableId) -> None:
        """Take in that a table has another name: the doubt goes with it."""
        self.copied(old, new)
        self.settle(old)

    def copied(self, old: TableId, new: TableId) -> None:
        """Take in that a table is like another: it is as sure as that."""
        doubt = self.about(old)
        self.settle(new)
        if doubt is not None:
            self._handed_on[new] = doubt


def _folded(statement: str) -> str:
    return statement.replace("``", "`").replace('""', '"').casefold()
