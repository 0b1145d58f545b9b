"""Divides the text of DDL statements into tokens, and an ALTER TABLE into its clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

_TOKEN: Final = re.compile(
    r"/\*M?!\d*|\*/|(?P<skip>/\*.*?\*/|--\s[^\n]*|\#[^\n]*|\s+)"
    r"|(?P<name>`(?:[^`]|``)*`)|(?P<text>'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\")"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?![\w$]))|(?P<word>[\w$@]+)|(?P<sign>.)",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign in upper case, or a name, text or number, as ``kind`` says.

    ``name`` is the identifier that it stands for, if any: with ANSI_QUOTES a name is quoted like a
    text.
    """

    kind: str
    text: str
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class AlterTable:
    """The tokens of an ALTER TABLE: ``table`` begins with the table's name."""

    table: Sequence[Token]
    clauses: Sequence[Sequence[Token]]


def read_tokens(ddl: str) -> list[Token]:
    """Return the tokens of a statement, without MariaDB's ``SET STATEMENT … FOR`` before it."""
    found = [*_tokens(ddl)]
    start = Token("word", "FOR")
    if is_at(found, "SET", "STATEMENT") and start in found:
        return found[found.index(start) + 1 :]
    return found


def _tokens(ddl: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(ddl):
        kind, text = found.lastgroup, found[0]
        if kind == "name":
            yield Token(kind, _unquote(text), _unquote(text))
        elif kind == "text":
            yield Token(kind, "", _unquote(text) if text.startswith('"') else "")
        elif kind is not None and kind != "skip":
            yield Token(kind, text.upper(), text)


def _unquote(name: str) -> str:
    return name[1:-1].replace(name[0] * 2, name[0])


def read_alter_table(ddl: str) -> AlterTable:
    """Return the clauses of an ALTER TABLE; none of another statement."""
    tokens = read_tokens(ddl)
    table = Token("word", "TABLE")
    if not is_at(tokens, "ALTER") or table not in tokens[:4]:
        return AlterTable((), ())
    named = skip_words(tokens[tokens.index(table) + 1 :], "IF", "EXISTS")
    rest = named[1 + 2 * is_at(named[1:], ".") :]
    rest = skip_words(rest, "NOWAIT")
    return AlterTable(named, split_at_commas(rest[2:] if is_at(rest, "WAIT") else rest))


def is_at(tokens: Sequence[Token], *words: str) -> bool:
    """Return whether words or signs are the first tokens."""
    first = tokens[: len(words)]
    return tuple(one.text for one in first if one.kind in {"word", "sign"}) == words


def skip_words(tokens: Sequence[Token], *words: str) -> Sequence[Token]:
    """Return the tokens behind words, if they begin with these."""
    return tokens[len(words) :] if is_at(tokens, *words) else tokens


def read_name(tokens: Sequence[Token]) -> tuple[list[str], Sequence[Token]]:
    """Return the parts of a name, which dots join, and what follows."""
    parts, rest = [one.name for one in tokens[:1]], tokens[1:]
    while is_at(rest, ".") and len(rest) > 1:
        parts.append(rest[1].name)
        rest = rest[2:]
    return parts, rest


def split_at_commas(tokens: Sequence[Token]) -> list[Sequence[Token]]:
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


def first_group(tokens: Sequence[Token]) -> Iterator[Token]:
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


def outside_parentheses(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens that no parentheses enclose."""
    found, depth = [], 0
    for token in tokens:
        depth -= token == Token("sign", ")")
        if depth == 0:
            found.append(token)
        depth += token == Token("sign", "(")
    return found
