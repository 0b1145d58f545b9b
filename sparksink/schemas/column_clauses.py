"""Reads the column definitions of a DDL statement: what its text says beyond ``tableChanges``.

The definitions of the schema-change topic do not distinguish a constant default from an expression,
nor a generated column from others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Final, Literal

from sparksink.schemas.column_changes import column_changes, is_column
from sparksink.schemas.ddl_tokens import (
    Token,
    first_group,
    is_at,
    outside_parentheses,
    read_tokens,
    split_at_commas,
)

_DEFINES: Final = frozenset({"ADD", "CHANGE", "MODIFY"})
_CONSTANTS: Final = frozenset({"NULL", "TRUE", "FALSE"})
_PREFIXES: Final = re.compile(r"_\w+|[BXN]|DATE|TIME|TIMESTAMP")
"""Words in front of a text that belong to its literal."""
_OPERATORS: Final = frozenset("+-*/%|&^<>=(.")


LiteralKind = Literal["text", "number", "word", "prefixed"]
"""``'a'``, ``5``, ``TRUE``, or one with a prefix: ``x'41'``, ``0x41``, ``N'a'``."""


@dataclass(frozen=True, slots=True)
class ColumnClause:
    """The definition of a column in a statement; ``verb`` is ADD, MODIFY, CHANGE or CREATE."""

    verb: str
    tokens: tuple[Token, ...]

    @property
    def default(self) -> str:
        """The kind of its default: none, null, constant, or the beginning of an expression."""
        found = _after_word(self.tokens, "DEFAULT")
        if found is None:
            return "none"
        if found[:1] == (Token("word", "NULL"),):
            return "null"
        return "constant" if _is_constant(found) else _beginning(found)

    @property
    def literal(self) -> LiteralKind:
        """The kind of a constant default."""
        rest = [*dropwhile(_is_sign, _after_word(self.tokens, "DEFAULT") or ())]
        first = rest[0] if rest else Token("sign", "")
        if first.kind == "word" and first.text.startswith("_") and rest[1].kind == "text":
            return "text"  # behind the name of its character set
        if first.kind in {"text", "number"}:
            return "text" if first.kind == "text" else "number"
        return "word" if first.text in _CONSTANTS else "prefixed"

    @property
    def is_generated(self) -> bool:
        """Whether an expression generates its values."""
        return any(self._has(word) for word in ("AS", "GENERATED"))

    @property
    def is_numbered(self) -> bool:
        """Whether the source numbers the rows."""
        return self._has("AUTO_INCREMENT") or self._has("SERIAL")

    @property
    def may_be_null(self) -> bool:
        """Whether the clause says NULL explicitly."""
        words = [token.text for token in outside_parentheses(self.tokens)]
        pairs = zip(["", *words], words, strict=False)
        return any(word == "NULL" and before not in {"NOT", "DEFAULT"} for before, word in pairs)

    def _has(self, word: str) -> bool:
        return Token("word", word) in outside_parentheses(self.tokens)


def column_clauses(ddl: str) -> Mapping[str, ColumnClause]:
    """Return the columns that an ALTER or CREATE TABLE defines, by new names in lower case."""
    tokens = read_tokens(ddl)
    if is_at(tokens, "CREATE"):
        parts = split_at_commas([*first_group(tokens)])
        return {
            part[0].name.lower(): ColumnClause("CREATE", tuple(part[1:]))
            for part in parts
            if is_column(part)
        }
    return {
        one.new_name.lower(): ColumnClause(one.verb, one.tokens)
        for one in column_changes(ddl)
        if one.verb in _DEFINES and one.new_name
    }


def _after_word(tokens: Sequence[Token], word: str) -> tuple[Token, ...] | None:
    """Return what follows a word that is outside parentheses; None without the word."""
    depth = 0
    for number, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token.text, 0) * (token.kind == "sign")
        if token == Token("word", word) and depth == 0:
            return tuple(tokens[number + 1 :])
    return None


def _is_constant(tokens: Sequence[Token]) -> bool:
    """Return whether a default is a literal and not the beginning of an expression."""
    rest = [*dropwhile(_is_sign, tokens)]
    if rest[:1] and rest[0].kind == "word" and _PREFIXES.fullmatch(rest[0].text):
        rest = rest[1:] if rest[1:2] and rest[1].kind == "text" else rest
    if not rest:
        return False
    first, behind = rest[0], rest[1:2]
    hexadecimal = first.kind == "word" and re.fullmatch(r"0[XB][0-9A-F]+", first.text)
    literal = first.kind in {"text", "number"} or first.text in _CONSTANTS or hexadecimal
    return bool(literal) and not (behind and behind[0].text in _OPERATORS)


def _is_sign(token: Token) -> bool:
    return token.text in {"+", "-"} and token.kind == "sign"


def _beginning(tokens: Sequence[Token]) -> str:
    """Return how an expression is reported: without values, which may be secret."""
    first = next(iter(tokens), Token("sign", ""))
    return first.text if first.kind == "word" else "(…)"
