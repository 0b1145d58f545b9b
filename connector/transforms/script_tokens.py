"""The tokens of expressions in Groovy and JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from connector.errors import ConfigError

_TOKEN: Final = re.compile(
    r"""\s*(?:
      (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[LlFfDdGgIi]?\b)
    | (?P<name>[A-Za-z_$][\w$]*)
    | (?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)
    | (?P<sign>==~|=~|===|!==|==|!=|<=|>=|&&|\|\||\?\.|\?:|[-+*%<>!?:.,()\[\]])
    )""",
    re.VERBOSE,
)
_PATTERN: Final = re.compile(r"\s*(?P<pattern>/(?:[^/\\\n]|\\.)+/)")
_COMPUTED: Final = re.compile(r"\$\{([^{}]*)\}|\$([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CODES: Final = frozenset("ux0123456789")
_OTHER_BASE: Final = re.compile(r"0\d")
# Java's classes hold ASCII only; those of the regular expressions of CEL hold all of Unicode.
_CLASSES: Final = {
    "d": "[0-9]", "D": "[^0-9]", "w": "[0-9A-Za-z_]", "W": "[^0-9A-Za-z_]",
    "s": r"[\t\n\x0B\f\r ]", "S": r"[^\t\n\x0B\f\r ]",
}  # fmt: skip


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
        token = _PATTERN if found and found[-1].text in ("==~", "=~") else _TOKEN
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
    if is_computed(token):
        raise ConfigError(f"{token.text} holds a $: write it in single quotes, or join texts by +.")
    text = _ESCAPE.sub(lambda match: _unescaped(match, token), inner)
    try:  # two escapes are a character beyond U+FFFF
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise ConfigError(f"{token.text} holds half a character.") from None


def _unescaped(match: re.Match[str], token: Token) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    if match[2] in _CODES:
        raise ConfigError(
            f"{token.text} holds a code: write the character, or \\u and four digits."
        )
    return _CONTROLS.get(match[2], match[2])


def number_of(token: Token) -> str:
    """Return a number without the letter of its Java type.

    :raises ConfigError: it is not decimal.
    """
    if _OTHER_BASE.match(token.text):
        raise ConfigError(f"{token.text} is not a decimal number: write it without the first 0.")
    return token.text.rstrip("LlFfDdGgIi")


def is_computed(token: Token) -> bool:
    """Whether a text may hold expressions: between " in Groovy, between ` in JavaScript."""
    return token.text[0] in ('"', "`") and "$" in token.text


def parts_of(token: Token) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text that is computed: texts, and expressions with True."""
    inner, position = token.text[1:-1], 0
    for match in _COMPUTED.finditer(inner):
        if match.start() > position:
            yield inner[position : match.start()], False
        yield match[1] or match[2], True
        position = match.end()
    if position < len(inner):
        yield inner[position:], False


def quoted(text: str) -> str:
    """Return a text as CEL writes it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + "'"


def pattern_of(token: Token, *, whole: bool) -> str:
    """Return a regular expression, which in Java may have to fit a whole text.

    :raises ConfigError: the token is no literal.
    """
    if token.kind not in ("text", "pattern"):
        raise ConfigError("A regular expression has to be a literal.")
    pattern = _ESCAPE.sub(lambda match: _CLASSES.get(match[2], match[0]), unquoted(token))
    return quoted(f"^(?:{pattern})$" if whole else pattern)
