"""Statements that could not be parsed, and the tables whose schema they leave unresolved."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from connector.capture.tables import TableId

_INHERITING: Final = re.compile(
    r"\brename\b|\bcreate\b.*?\btable\b[^(]*\(?\s*like\b", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class UnparsedStatement:
    """A statement that could not be parsed.

    ``reason`` holds the error, the statement without its literals, and its position.
    """

    text: str
    reason: str

    def concerns(self, table: TableId) -> bool:
        """Whether it may have changed a table: it contains the table's name, in any case."""
        return table.table.casefold() in self.text


class UnparsedStatements:
    """The unparsed statements of a schema and the tables that they may have changed.

    The schema of such a table is resolved when its next rows arrive.

    :param key: returns the name under which a table is kept; see `Tables.key`.
    """

    def __init__(self, key: Callable[[TableId], TableId] = lambda table: table) -> None:
        self._key = key
        self._statements: list[UnparsedStatement] = []
        self._resolved: dict[TableId, int] = {}
        self._inherited: dict[TableId, UnparsedStatement] = {}

    def __bool__(self) -> bool:
        return bool(self._statements)

    def add(self, statement: str, reason: str) -> None:
        """Add a statement that could not be parsed."""
        self._statements.append(UnparsedStatement(_fold(statement), reason))

    def last_concerning(self, table: TableId) -> UnparsedStatement | None:
        """Return the last statement that leaves the schema of a table unresolved."""
        name = self._key(table)
        first = self._resolved.get(name, 0)
        concerning = (each for each in reversed(self._statements[first:]) if each.concerns(table))
        return next(concerning, None) or self._inherited.get(name)

    def mark_resolved(self, table: TableId) -> None:
        """Mark the schema of a table as resolved: it was defined again, or confirmed."""
        if self._statements:
            name = self._key(table)
            self._resolved[name] = len(self._statements)
            self._inherited.pop(name, None)

    def may_propagate(self, statement: str) -> bool:
        """Whether a statement may make the schema of another table unresolved too."""
        return bool(self._statements) and _INHERITING.search(statement) is not None

    def rename(self, old: TableId, new: TableId) -> None:
        """Move the state of a table to its new name."""
        self.copy(old, new)
        self.mark_resolved(old)

    def copy(self, old: TableId, new: TableId) -> None:
        """Give a table the state of the table that it was created like."""
        statement = self.last_concerning(old)
        self.mark_resolved(new)
        if statement is not None:
            self._inherited[self._key(new)] = statement


def _fold(statement: str) -> str:
    return statement.replace("``", "`").replace('""', '"').casefold()
