"""Reads the text of DDL statements: renamed, added and dropped columns, and renamed tables."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = r"(`(?:[^`]|``)+`|[\w$]+)"
_RENAME: Final = re.compile(rf"\bRENAME\s+COLUMN\s+{_NAME}\s+TO\s+{_NAME}", re.IGNORECASE)
_CHANGE: Final = re.compile(
    rf"\bCHANGE\s+(?:COLUMN\s+)?(?:IF\s+EXISTS\s+)?{_NAME}\s+{_NAME}", re.IGNORECASE
)
_ADD: Final = re.compile(
    rf"\bADD\s+(?:COLUMN\s+)?(?:IF\s+NOT\s+EXISTS\s+)?\(?\s*{_NAME}", re.IGNORECASE
)
_REPLACE: Final = re.compile(r"^\s*CREATE\s+OR\s+REPLACE\b", re.IGNORECASE)
TABLE_NAME: Final = rf"{_NAME}(?:\s*\.\s*{_NAME})?"
"""Matches the name of a table, perhaps with its database, in two groups."""
_RENAME_TABLES: Final = re.compile(r"^\s*RENAME\s+TABLES?\s", re.IGNORECASE)
_RENAMED_TABLE: Final = re.compile(
    rf"{TABLE_NAME}\s+(?:WAIT\s+\d+\s+|NOWAIT\s+)?TO\s+{TABLE_NAME}", re.IGNORECASE
)
_ALTER_RENAME: Final = re.compile(
    rf"^\s*ALTER\s+(?:ONLINE\s+)?(?:IGNORE\s+)?TABLE\s+(?:IF\s+EXISTS\s+)?{TABLE_NAME}\b.*?"
    rf"\bRENAME\s+(?!COLUMN\b|INDEX\b|KEY\b)(?:(?:TO|AS)\s+|=\s*)?{TABLE_NAME}",
    re.IGNORECASE | re.DOTALL,
)
_LITERAL: Final = re.compile(
    r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"|/\*(?!!).*?\*/|(?:--\s|#)[^\n]*|(`[^`]*`)",
    re.DOTALL,
)
"""String literals and comments, which contain no clauses; quoted names are kept."""
_DROP: Final = re.compile(rf"\bDROP\s+(COLUMN\s+)?(?:IF\s+EXISTS\s+)?{_NAME}", re.IGNORECASE)
_NO_COLUMNS: Final = frozenset(
    "CHECK CONSTRAINT DATABASE DEFAULT FOREIGN INDEX KEY PARTITION PRIMARY SCHEMA TABLE".split()
)
"""Reserved words that may follow DROP; a column of such a name is quoted."""


def renamed_columns(ddl: str) -> dict[str, str]:
    """Return the columns that an ALTER TABLE renames, old name to new name."""
    clauses = statement_clauses(ddl)
    pairs = [*_RENAME.findall(clauses), *_CHANGE.findall(clauses)]
    named = {_unquote(old): _unquote(new) for old, new in pairs}
    return {old: new for old, new in named.items() if old != new}


def dropped_columns(ddl: str) -> frozenset[str]:
    """Return the columns that an ALTER TABLE drops."""
    found = _DROP.findall(statement_clauses(ddl))
    return frozenset(
        _unquote(name) for column, name in found if column or name.upper() not in _NO_COLUMNS
    )


def replaces_table(ddl: str) -> bool:
    """Return whether a statement drops a table and creates it again."""
    return _REPLACE.match(statement_clauses(ddl)) is not None


def renamed_tables(ddl: str, database: str) -> list[tuple[str, str]]:
    """Return the tables that a statement renames, old name and new name as ``db.table``.

    :param database: the database of names without one.
    """
    clauses = statement_clauses(ddl)
    if renames := _RENAME_TABLES.match(clauses):
        found = _RENAMED_TABLE.findall(clauses, renames.end())
    else:
        found = _ALTER_RENAME.findall(clauses)
    return [(qualified_name(one[:2], database), qualified_name(one[2:], database)) for one in found]


def previous_name(ddl: str, table: str) -> str:
    """Return the name of a table before a statement; empty if it was the same."""
    names = {new: old for old, new in renamed_tables(ddl, table.partition(".")[0])}
    return names.get(table, "")


def qualified_name(names: tuple[str, str], database: str) -> str:
    """Return ``db.table`` for the names in a statement; the second one is empty without ``db``."""
    first, second = map(_unquote, names)
    return f"{first}.{second}" if second else f"{database}.{first}"


def added_columns(ddl: str) -> frozenset[str]:
    """Return the columns that an ALTER TABLE adds, and other words that follow ADD."""
    return frozenset(map(_unquote, _ADD.findall(statement_clauses(ddl))))


def statement_clauses(ddl: str) -> str:
    """Return a statement without string literals and comments."""
    return _LITERAL.sub(lambda found: found[1] or " ", ddl)


def _unquote(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
