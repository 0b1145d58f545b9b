"""DDL text cut into tokens by one regular expression.

White space and comments stand between tokens. The content of a versioned comment
(``/*!50100 … */``, in MariaDB ``/*M!100401 … */`` too) is code: a server blanks out the ``!`` of
the ones it has not executed before it writes the statement to its binary log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from connector.errors import DdlError

Dialect = Literal["mysql", "mariadb"]
TokenKind = Literal[
    "word",
    "name",
    "double",
    "string",
    "national",
    "hex",
    "bit",
    "number",
    "variable",
    "symbol",
    "end",
]

_WORD: Final = r"0-9A-Za-z_$\u0080-\U0010ffff"
_SHOWN: Final = 80  # characters of a statement that an error message repeats
_LITERAL: Final = re.compile(r"'[^']*'?|\"[^\"]*\"?")


@dataclass(frozen=True, slots=True)
class Tokens:
    """A text and its tokens, as columns of equal length; the last token has the kind ``end``.

    ``words`` holds the upper-case text of unquoted words, symbols as they are, and an empty
    string for everything else, so that a keyword never equals a quoted name.
    ``versioned`` holds the indexes of the tokens that stand in a versioned comment.
    """

    text: str
    kinds: list[TokenKind]
    words: list[str]
    starts: list[int]
    ends: list[int]
    versioned: frozenset[int]


def tokenize(text: str, dialect: Dialect = "mysql", *, backslashes: bool = True) -> Tokens:
    """Cut ``text`` into tokens.

    :param backslashes: whether a backslash escapes within strings (sql_mode
        NO_BACKSLASH_ESCAPES switches that off).
    :raises DdlError: for a string, quoted name or comment that never ends.
    """
    kinds: list[TokenKind] = []
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    versioned: list[int] = []
    inside = False
    for match in _pattern(dialect, backslashes).finditer(text):
        kind = match.lastgroup
        if kind == "opened":
            inside = True
            continue
        if kind == "closed":
            inside = False
            continue
        start, end = match.span(kind)  # type: ignore[arg-type]  # every match ends in a group
        if inside:
            versioned.append(len(kinds))
        kinds.append(kind)  # type: ignore[arg-type]  # the groups are named for the kinds
        starts.append(start)
        ends.append(end)
        if kind == "word":
            words.append(match[kind].upper())
        elif kind == "symbol":
            words.append(_symbol(text, start))
        else:
            words.append("")
            if kind == "end":
                break
    return Tokens(text, kinds, words, starts, ends, frozenset(versioned))


def _symbol(text: str, start: int) -> str:
    symbol = text[start]
    if symbol in "'\"`" or text.startswith("/*", start):
        raise unreadable(text, start, "the end of what opens here")
    return symbol


def unreadable(text: str, position: int, expected: str) -> DdlError:
    """Build the error for a text that cannot be parsed at ``position``.

    The message has no content of string literals: they may be passwords.
    """
    found = blank_literals(text[position : position + 30]) or "the end"
    return DdlError(
        f"Cannot read the DDL statement at character {position}, near [{found}]: "
        f"expected {expected}. The statement begins with [{blank_literals(text[:_SHOWN])}]."
    )


def blank_literals(text: str) -> str:
    """Return a text for messages, without the content of its literals.

    If a backslash may hide the end of one, the text ends at the first quote.
    """
    if "\\" in text:
        text = re.split("['\"]", text, maxsplit=1)[0] + "…"
    return _LITERAL.sub("'…'", text).replace("\n", " ")


@lru_cache(maxsize=4)
def _pattern(dialect: Dialect, backslashes: bool) -> re.Pattern[str]:
    versioned = r"/\*M?!" if dialect == "mariadb" else r"/\*!"
    escape = r"|\\." if backslashes else ""
    plain = r"\\" if backslashes else ""

    def quoted(quote: str, escape: str, plain: str) -> str:
        return f"{quote}(?:[^{quote}{plain}]++{escape}|{quote}{quote})*+{quote}"

    single, double = quoted("'", escape, plain), quoted('"', escape, plain)
    back = quoted("`", "", "")
    # behind a name and a dot even digits are a name
    whole, fraction = rf"(?<![{_WORD}`\"]\.)\d+(?:\.\d*)?", rf"(?<![{_WORD}`\"])\.\d+"
    return re.compile(
        rf"""(?:[ \t\n\v\f\r\x00]+ | --(?=\s|\Z)[^\n]* | \#[^\n]* | (?!{versioned})/\*.*?\*/ )*
        (?: (?P<end>\Z)
          | (?P<national>[Nn]{single})
          | (?P<hex>[xX]'[0-9A-Fa-f]*' | 0x[0-9A-Fa-f]+(?![{_WORD}]))
          | (?P<bit>[bB]'[01]*' | 0b[01]+(?![{_WORD}]))
          | (?P<number>(?:{whole}|{fraction})(?:[eE][+-]?\d+)?(?![{_WORD}]))
          | (?P<word>[{_WORD}]+)
          | (?P<name>{back})
          | (?P<string>{single})
          | (?P<double>{double})
          | (?P<variable>@@?(?:{back}|{single}|{double}|[{_WORD}.]+)?)
          | (?P<opened>{versioned}\d{{0,6}})
          | (?P<closed>\*/)
          | (?P<symbol>\S) )""",
        re.VERBOSE | re.DOTALL,
    )
