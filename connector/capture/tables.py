"""Tables as a database describes them; the same for every database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

_PART: Final = re.compile(r'"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|([^."`][^.]*)')


class TableId(NamedTuple):
    """The full name of a table. Databases without schemas use ``database`` and ``table``."""

    database: str
    table: str

    def __str__(self) -> str:
        return f"{self.database}.{self.table}"

    def quoted(self, quote: str = '"') -> str:
        """Return the name with each part quoted; a quote inside a part is doubled."""
        parts = (part.replace(quote, quote * 2) for part in self)
        return ".".join(f"{quote}{part}{quote}" for part in parts)


def parse_table(text: str) -> TableId | None:
    """Read the name of a table, whose parts may be quoted; None if it has not two parts."""
    parts, at = [], 0
    while match := _PART.match(text, at):
        double, back, plain = match.groups()
        quoted = double.replace('""', '"') if double is not None else None
        quoted = back.replace("``", "`") if back is not None else quoted
        parts.append(plain if quoted is None else quoted)
        at = match.end()
        if text[at : at + 1] != ".":
            break
        at += 1
    if len(parts) != 2 or at != len(text):
        return None
    return TableId(*parts)


@dataclass(frozen=True, slots=True)
class Column:
    """One column, in the words of a schema history record.

    ``default`` is the literal of the DDL; None with ``has_default`` is DEFAULT NULL.
    ``length`` and ``scale`` are what the DDL says in parentheses, None when it says nothing.
    """

    name: str
    type_name: str
    jdbc_type: int
    type_expression: str | None = None
    native_type: int | None = None
    charset: str | None = None
    length: int | None = None
    scale: int | None = None
    position: int = 0
    optional: bool = True
    auto_incremented: bool = False
    generated: bool = False
    comment: str | None = None
    has_default: bool = False
    default: str | None = None
    enum_values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """One version of a table. Immutable: every DDL statement makes a new one."""

    id: TableId
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    default_charset: str | None = None
    comment: str | None = None

    def column(self, name: str) -> Column | None:
        """Return the column of that name (case-insensitive, as SQL is), or None."""
        lowered = name.lower()
        return next((column for column in self.columns if column.name.lower() == lowered), None)

    def with_changes(self, **changes: Any) -> Table:
        """Return a copy with some attributes changed."""
        return replace(self, **changes)


class Tables:
    """All known tables by name. Iteration is in order of database and table.

    ``version`` grows with every change.
    """

    def __init__(self, *, lower_case: bool = False) -> None:
        self._lower_case = lower_case
        self._tables: dict[TableId, Table] = {}
        self.version = 0

    def key(self, table_id: TableId) -> TableId:
        """Return the name under which a table is kept."""
        return TableId(*(part.lower() for part in table_id)) if self._lower_case else table_id

    def get(self, table_id: TableId) -> Table | None:
        """Return the table, or None."""
        return self._tables.get(self.key(table_id))

    def put(self, table: Table) -> None:
        """Add or replace a table."""
        self._tables[self.key(table.id)] = table
        self.version += 1

    def remove(self, table_id: TableId) -> Table | None:
        """Forget a table and return it, None when it was not known."""
        self.version += 1
        return self._tables.pop(self.key(table_id), None)

    def remove_database(self, database: str) -> list[TableId]:
        """Forget every table of a database and return their names."""
        removed = self.key(TableId(database, "")).database
        self.version += 1
        gone = [key for key in self._tables if key.database == removed]
        return [self._tables.pop(key).id for key in gone]

    def names(self) -> list[TableId]:
        """Return the names of all tables; any thread may ask."""
        return list(self._tables)

    def __iter__(self) -> Iterator[Table]:
        return iter([self._tables[key] for key in sorted(self._tables)])

    def __len__(self) -> int:
        return len(self._tables)

    def __contains__(self, table_id: TableId) -> bool:
        return self.key(table_id) in self._tables

    def clear(self) -> None:
        """Forget everything."""
        self._tables.clear()
        self.version += 1
