"""The tokens of expressions in Groovy and JavaScript."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from connector.errors import ConfigError

_TOKEN: Final = re.compile(
    r"""\s*(?:
      (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[LlFfDdGgIi]?\b)
    | (?P<name>[A-Za-z_$][\w$]*)
    | (?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
    | (?P<sign>==~|===|!==|==|!=|<=|>=|&&|\|\||\?\.|\?:|[-+*%<>!?:.,()\[\]])
    )""",
    re.VERBOSE,
)
_PATTERN: Final = re.compile(r"\s*(?P<pattern>/(?:[^/\\\n]|\\.)+/)")
_ESCAPE: Final = re.compile(r"\\(.)")
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r"}


class Token(NamedTuple):
    """A token: its kind is ``number``, ``name``, ``text``, ``pattern``, ``sign`` or ``end``."""

    kind: str
    text: str


def tokens_of(expression: str) -> list[Token]:
    """Split an expression; a ``return`` in front and a semicolon behind it mean nothing.

    :raises ConfigError: a part of it belongs to no expression.
    """
    text = re.sub(r"^\s*return\b|;\s*$", "", expression).rstrip()
    found: list[Token] = []
    position = 0
    while position < len(text):
        token = _PATTERN if found and found[-1].text == "==~" else _TOKEN
        match = token.match(text, position) or _TOKEN.match(text, position)
        if match is None:
            raise ConfigError(f"'{text[position:].strip()[:20]}' is not understood.")
        kind = str(match.lastgroup)
        found.append(Token(kind, match[kind].strip()))
        position = match.end()
    return [*found, Token("end", "the end")]


def unquoted(token: Token) -> str:
    """Return the characters of a text or pattern.

    :raises ConfigError: a part of it is computed.
    """
    inner = token.text[1:-1]
    if token.kind == "pattern":
        return inner.replace("\\/", "/")
    if token.text[0] == '"' and "$" in inner:
        raise ConfigError(f"{token.text} holds a $: write it in single quotes, or join texts by +.")
    return _ESCAPE.sub(lambda match: _CONTROLS.get(match[1], match[1]), inner)


def quoted(text: str) -> str:
    """Return a text as CEL writes it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + "'"
