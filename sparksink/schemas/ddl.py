"""Reads the text of DDL statements: renamed, added and dropped columns, and renamed tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sparksink.schemas.column_changes import column_changes
from sparksink.schemas.ddl_tokens import (
    Token,
    is_at,
    read_alter_table,
    read_name,
    read_tokens,
    skip_words,
    split_at_commas,
)

_NO_TABLES: Final = ("COLUMN", "INDEX", "KEY")
"""What else than the table a clause of an ALTER TABLE may rename."""
_TO: Final = Token("word", "TO")


def renamed_columns(ddl: str) -> dict[str, str]:
    """Return the columns that an ALTER TABLE renames, old name to new name."""
    found = column_changes(ddl)
    return {one.name: one.new_name for one in found if one.new_name and one.name != one.new_name}


def dropped_columns(ddl: str) -> frozenset[str]:
    """Return the columns that an ALTER TABLE drops."""
    return frozenset(one.name for one in column_changes(ddl) if one.verb == "DROP")


def added_columns(ddl: str) -> frozenset[str]:
    """Return the columns that an ALTER TABLE adds."""
    return frozenset(one.name for one in column_changes(ddl) if one.verb == "ADD")


def replaces_table(ddl: str) -> bool:
    """Return whether a statement drops a table and creates it again."""
    return is_at(read_tokens(ddl), "CREATE", "OR", "REPLACE")


def renamed_tables(ddl: str, database: str) -> list[tuple[str, str]]:
    """Return the tables that a statement renames, old name and new name as ``db.table``.

    :param database: the database of names without one.
    """
    return [
        (qualified_name(old, database), qualified_name(new, database))
        for old, new in _renamed_tables(ddl)
        if old and new
    ]


def _renamed_tables(ddl: str) -> list[tuple[Sequence[Token], Sequence[Token]]]:
    """Return tokens that begin with the old names, and with the new names."""
    tokens = read_tokens(ddl)
    if is_at(tokens, "RENAME", "TABLE") or is_at(tokens, "RENAME", "TABLES"):
        parts = split_at_commas(skip_words(tokens[2:], "IF", "EXISTS"))
        ends = [(part, part.index(_TO)) for part in parts if _TO in part]
        return [(part[:end], part[end + 1 :]) for part, end in ends]
    alter = read_alter_table(ddl)
    renames = [one[1:] for one in alter.clauses if is_at(one, "RENAME")]
    return [
        (alter.table, skip_words(skip_words(skip_words(one, "TO"), "AS"), "="))
        for one in renames
        if not any(is_at(one, word) for word in _NO_TABLES)
    ]


def previous_name(ddl: str, table: str) -> str:
    """Return the name of a table before a statement; empty if it was the same."""
    names = {new: old for old, new in renamed_tables(ddl, table.partition(".")[0])}
    return names.get(table, "")


def exchanged_tables(ddl: str, database: str) -> list[str]:
    """Return the tables, as ``db.table``, whose rows become a partition of the altered one.

    :param database: the database of names without one.
    """
    found = []
    for clause in read_alter_table(ddl).clauses:
        if is_at(clause, "CONVERT", "TABLE"):
            found.append(qualified_name(clause[2:], database))
        if is_at(clause, "EXCHANGE", "PARTITION") and is_at(clause[3:], "WITH", "TABLE"):
            found.append(qualified_name(clause[5:], database))
    return found


def qualified_name(tokens: Sequence[Token], database: str) -> str:
    """Return ``db.table`` for the name at the beginning of tokens.

    :param database: the database of a name without one.
    """
    parts, _ = read_name(tokens)
    return ".".join(parts if len(parts) > 1 else [database, *parts])
