"""Reads which columns the clauses of an ALTER TABLE add, alter, rename and drop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sparksink.schemas.ddl_tokens import (
    Token,
    first_group,
    is_at,
    read_alter_table,
    read_name,
    skip_words,
    split_at_commas,
)

_VERBS: Final = frozenset({"ADD", "CHANGE", "DROP", "MODIFY", "RENAME"})
_NO_COLUMNS: Final = frozenset(
    "CHECK CONSTRAINT FOREIGN FULLTEXT INDEX KEY PARTITION PRIMARY SPATIAL UNIQUE".split()
)
"""Reserved words in the place of a column's name that begin something else."""
_NO_COLUMN_PAIRS: Final = (("PERIOD", "FOR"), ("SYSTEM", "VERSIONING"), ("VECTOR", "INDEX"))
"""Words that begin something else only together."""


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """What a clause does to a column: ``verb`` is ADD, CHANGE, DROP, MODIFY or RENAME.

    ``name`` and ``new_name`` are the names before and after; ``tokens`` follow them.
    """

    verb: str
    name: str
    new_name: str
    tokens: tuple[Token, ...]


def column_changes(ddl: str) -> Iterator[ColumnChange]:
    """Yield the changes of columns in an ALTER TABLE; none in another statement."""
    for clause in read_alter_table(ddl).clauses:
        verb = clause[0].text if clause[0].kind == "word" else ""
        if verb in _VERBS:
            for column in _columns(verb, clause[1:]):
                yield _change(verb, column)


def is_column(part: Sequence[Token]) -> bool:
    """Return whether a part of a statement begins with the name of a column."""
    if part[0].kind != "word":
        return True
    return part[0].text not in _NO_COLUMNS and not any(
        is_at(part, *two) for two in _NO_COLUMN_PAIRS
    )


def _columns(verb: str, rest: Sequence[Token]) -> list[Sequence[Token]]:
    """Return what follows a verb, for each of the columns that it concerns."""
    has_word = is_at(rest, "COLUMN")
    named = skip_words(skip_words(rest[has_word:], "IF", "EXISTS"), "IF", "NOT", "EXISTS")
    if is_at(named, "(") and verb == "ADD":
        return [one for one in split_at_commas([*first_group(named)]) if is_column(one)]
    may_be_column = has_word or (verb != "RENAME" and bool(named) and is_column(named))
    return [named] if named and may_be_column else []


def _change(verb: str, column: Sequence[Token]) -> ColumnChange:
    name, rest = _read_column_name(column)
    new_name = name
    if verb in {"CHANGE", "RENAME"}:
        new_name, rest = _read_column_name(skip_words(rest, "TO"))
    return ColumnChange(verb, name, new_name, tuple(rest))


def _read_column_name(tokens: Sequence[Token]) -> tuple[str, Sequence[Token]]:
    """Return a name without those of its table and database, and what follows."""
    parts, rest = read_name(tokens)
    return (parts[-1] if parts else ""), rest
