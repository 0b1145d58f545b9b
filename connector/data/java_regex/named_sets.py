r"""The sets of characters that have names, such as ``\d``, ``\h`` and ``\p{Alpha}``."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache
from typing import Final

from connector.data.java_regex.regex_text import RegexText, literal

ENDS_OF_LINES: Final = r"\n\r\u0085\u2028\u2029"
_LETTERS: Final = {
    "d": "0-9",
    "w": "a-zA-Z_0-9",
    "s": r"\t-\r\x20",
    "h": r"\t\x20\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000",
    "v": r"\n-\r\x85\u2028\u2029",
}
_POSIX: Final = {
    "Lower": "a-z",
    "Upper": "A-Z",
    "ASCII": r"\x00-\x7f",
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Punct": r"!-/:-@\x5b-`{-~",
    "Graph": "!-~",
    "Print": r"\x20-~",
    "Blank": r"\x20\t",
    "Cntrl": r"\x00-\x1f\x7f",
    "XDigit": "0-9a-fA-F",
    "Space": r"\t-\r\x20",
}
_CATEGORIES: Final = frozenset(
    "L Lu Ll Lt Lm Lo M Mn Me Mc N Nd Nl No Z Zs Zl Zp C Cc Cf Co Cs Cn "
    "P Pd Ps Pe Pc Po Pi Pf S Sm Sc Sk So LC LD L1 all".split()
)
_CASES: Final = ("Lu", "Ll", "Lt")
_CATEGORY_KEYS: Final = ("general_category", "gc")


def named_set(text: RegexText, kind: str, *, ignores_case: bool) -> tuple[str, bool] | None:
    r"""Return a named set as the content of a class, and whether that is its complement.

    None if an escape of this kind, which is read, is no set. Where case is ignored, letters of one
    case are those of each case.

    :raises re.error: it names a set that does not exist or is not supported.
    """
    if kind.lower() in _LETTERS:
        return _LETTERS[kind.lower()], kind.isupper()
    if kind not in ("p", "P"):
        return None
    if text.accept("{"):
        name = text.until("}", "Unclosed character family")
        if not name:
            text.refuse("Empty character family")
    else:
        name = text.next()
        if not name:
            text.refuse("Unexpected end")
    return _property(text, name, ignores_case=ignores_case), kind == "P"


def _property(text: RegexText, name: str, *, ignores_case: bool) -> str:
    if name in _POSIX:
        return _POSIX[name]
    key, equals, value = name.partition("=")
    category = value if equals and key.lower() in _CATEGORY_KEYS else name
    category = category.removeprefix("Is")
    if category in _CATEGORIES:
        return _category("LC" if ignores_case and category in _CASES else category)
    return text.refuse(f"the character property {{{name}}} is unknown or not supported")


@cache
def _category(name: str) -> str:
    """Return the characters of a Unicode category, as ranges."""
    ranges: list[str] = []
    first: int | None = None
    for code in range(sys.maxunicode + 2):
        if code <= sys.maxunicode and _is_in(chr(code), name):
            first = code if first is None else first
        elif first is not None:
            ranges.append(f"{literal(chr(first))}-{literal(chr(code - 1))}")
            first = None
    return "".join(ranges)


def _is_in(character: str, name: str) -> bool:
    category = unicodedata.category(character)
    if name == "LC":
        return category in _CASES
    if name == "LD":
        return category[0] == "L" or category == "Nd"
    if name == "L1":
        return ord(character) < 256
    return name in ("all", category) or category[0] == name
