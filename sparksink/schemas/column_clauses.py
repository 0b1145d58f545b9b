"""Reads the column definitions of a DDL statement: what its text says beyond ``tableChanges``.

The definitions of the schema-change topic do not distinguish a constant default from an expression,
nor a generated column from others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Final, Literal

_TOKEN: Final = re.compile(
    r"/\*M?!\d*|\*/|(?P<skip>/\*.*?\*/|--\s[^\n]*|\#[^\n]*|\s+)"
    r"|(?P<name>`(?:[^`]|``)*`)|(?P<text>'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\")"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?![\w$]))|(?P<word>[\w$@]+)|(?P<sign>.)",
    re.DOTALL | re.IGNORECASE,
)
_NO_COLUMNS: Final = frozenset(
    "CHECK CONSTRAINT FOREIGN FULLTEXT INDEX KEY PARTITION PERIOD PRIMARY SPATIAL SYSTEM"
    " UNIQUE".split()
)
"""Words in the place of a column's name that begin something else."""
_CONSTANTS: Final = frozenset({"NULL", "TRUE", "FALSE"})
_PREFIXES: Final = re.compile(r"_\w+|[BXN]|DATE|TIME|TIMESTAMP")
"""Words in front of a text that belong to its literal."""
_OPERATORS: Final = frozenset("+-*/%|&^<>=(.")


LiteralKind = Literal["text", "number", "word", "prefixed"]
"""``'a'``, ``5``, ``TRUE``, or one with a prefix: ``x'41'``, ``0x41``, ``N'a'``."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign in upper case, or a name, text or number, as ``kind`` says."""

    kind: str
    text: str


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
        words = [token.text for token in _outside_parentheses(self.tokens)]
        pairs = zip(["", *words], words, strict=False)
        return any(word == "NULL" and before not in {"NOT", "DEFAULT"} for before, word in pairs)

    def _has(self, word: str) -> bool:
        return Token("word", word) in _outside_parentheses(self.tokens)


def column_clauses(ddl: str) -> Mapping[str, ColumnClause]:
    """Return the columns that an ALTER or CREATE TABLE defines, by new names in lower case."""
    tokens = [*_tokens(ddl)]
    if tokens[:1] == [Token("word", "CREATE")]:
        inside = [*_first_group(tokens)]
        return dict(_defined("CREATE", part) for part in _parts(inside) if _is_column(part))
    return dict(found for part in _parts(_behind_table(tokens)) for found in _clause(part))


def _tokens(ddl: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(ddl):
        kind = found.lastgroup
        if kind == "name":
            yield Token(kind, found[0][1:-1].replace("``", "`"))
        elif kind is not None and kind != "skip":
            yield Token(kind, "" if kind == "text" else found[0].upper())


def _behind_table(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the clauses of an ALTER TABLE, which follow the table's name."""
    words = [token.text for token in tokens]
    start = words.index("TABLE") + 1 if "TABLE" in words[:4] else len(words)
    start += 2 * (words[start : start + 2] == ["IF", "EXISTS"]) + 1
    start += 2 * (words[start : start + 1] == ["."])
    start += {"WAIT": 2, "NOWAIT": 1}.get(next(iter(words[start:]), ""), 0)
    return tokens[start:]


def _clause(part: Sequence[Token]) -> Iterator[tuple[str, ColumnClause]]:
    """Yield the columns that a clause of an ALTER TABLE defines."""
    verb, rest = part[0].text, part[1:]
    if part[0].kind != "word" or verb not in {"ADD", "MODIFY", "CHANGE"}:
        return
    named = bool(rest) and rest[0] == Token("word", "COLUMN")
    rest = rest[named:]
    words = [token.text for token in rest[:3]]
    rest = rest[3 * (words == ["IF", "NOT", "EXISTS"]) or 2 * (words[:2] == ["IF", "EXISTS"]) :]
    if rest and rest[0].text == "(" and verb == "ADD":
        inside = _parts([*_first_group(rest)])
        yield from (_defined(verb, one) for one in inside if _is_column(one))
    elif len(rest) > (verb == "CHANGE") and (named or _is_column(rest)):
        yield _defined(verb, rest[verb == "CHANGE" :])


def _defined(verb: str, part: Sequence[Token]) -> tuple[str, ColumnClause]:
    return part[0].text.lower(), ColumnClause(verb, tuple(part[1:]))


def _is_column(part: Sequence[Token]) -> bool:
    return part[0].kind == "name" or part[0].text not in _NO_COLUMNS


def _parts(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """Return what commas outside parentheses separate."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0) * (token.kind == "sign")
        if token == Token("sign", ",") and depth == 0:
            found.append([])
        else:
            found[-1].append(token)
    return [part for part in found if part]


def _first_group(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens inside the first parentheses."""
    depth = 0
    for token in tokens:
        closes = token == Token("sign", ")")
        depth -= closes
        if closes and depth == 0:
            return
        if depth > 0:
            yield token
        depth += token == Token("sign", "(")


def _outside_parentheses(tokens: Sequence[Token]) -> list[Token]:
    found, depth = [], 0
    for token in tokens:
        depth -= token == Token("sign", ")")
        if depth == 0:
            found.append(token)
        depth += token == Token("sign", "(")
    return found


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
