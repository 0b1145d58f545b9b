"""Reads the text of a regular expression, and the characters that it escapes."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NoReturn

_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_OCTAL: Final = frozenset("01234567")
_QUOTED: Final = re.compile(r"\\Q(.*?)(?:\\E|\Z)|\\.", re.DOTALL)


def literal(character: str) -> str:
    """Return a character as Python's expressions and their classes have it."""
    if character.isascii() and (character.isalnum() or character == "_"):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


class RegexText:
    r"""A text and the position in it. Quotations ``\Q…\E`` are escapes of each character."""

    def __init__(self, text: str) -> None:
        self.source = text
        self._text = _QUOTED.sub(_without_quotation, text)
        self._at = 0

    def peek(self, ahead: int = 0) -> str:
        """Return the next character, empty at the end."""
        return self._text[self._at + ahead : self._at + ahead + 1]

    def next(self) -> str:
        """Return the next character and go on; empty at the end."""
        character = self.peek()
        self._at += len(character)
        return character

    def accept(self, text: str) -> bool:
        """Go on behind a text if it comes next; return whether it did."""
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def take(self, allowed: frozenset[str], most: int) -> str:
        """Return the next characters as long as they are allowed."""
        begin = self._at
        while self._at - begin < most and self.peek() in allowed and self.peek():
            self._at += 1
        return self._text[begin : self._at]

    def until(self, end: str, description: str) -> str:
        """Return the text before an end, and go on behind that."""
        found = self._text.find(end, self._at)
        if found < 0:
            self.refuse(description)
        begin, self._at = self._at, found + len(end)
        return self._text[begin:found]

    def refuse(self, description: str) -> NoReturn:
        """Say what is wrong here.

        :raises re.error: always.
        """
        raise re.error(description, self.source, min(self._at, len(self.source)))

    def escaped(self, kind: str) -> str:
        """Return the character of an escape; its backslash and the ``kind`` behind it are read."""
        if kind in _CONTROLS:
            return _CONTROLS[kind]
        if kind == "0":
            return self._octal()
        if kind == "x":
            return self._hexadecimal()
        if kind == "u":
            return self._unit()
        if kind == "c":
            return chr(ord(self.next() or self.refuse("Illegal control escape sequence")) ^ 64)
        if kind == "N" and self.accept("{"):
            return self._by_name()
        if not kind or (kind.isascii() and kind.isalnum()):
            self.refuse("Illegal/unsupported escape sequence" if kind else "Unexpected end")
        return kind

    def _octal(self) -> str:
        most = 3 if self.peek() in frozenset("0123") else 2
        digits = self.take(_OCTAL, most)
        return chr(int(digits or self.refuse("Illegal octal escape sequence"), 8))

    def _hexadecimal(self) -> str:
        if self.accept("{"):
            digits = self.take(_HEX, 100)
            if not digits or not self.accept("}"):
                self.refuse("Unclosed hexadecimal escape sequence")
            if int(digits, 16) > 0x10FFFF:
                self.refuse("Hexadecimal codepoint is too big")
            return chr(int(digits, 16))
        digits = self.take(_HEX, 2)
        if len(digits) < 2:
            self.refuse("Illegal hexadecimal escape sequence")
        return chr(int(digits, 16))

    def _unit(self) -> str:
        """Read a unit of UTF-16; with the one behind it, it may be a character."""
        digits = self.take(_HEX, 4)
        if len(digits) < 4:
            self.refuse("Illegal Unicode escape sequence")
        unit = int(digits, 16)
        if 0xD800 <= unit < 0xDC00 and self.peek() == "\\" and self.peek(1) == "u":
            before = self._at
            self._at += 2
            low = self.take(_HEX, 4)
            if len(low) == 4 and 0xDC00 <= int(low, 16) < 0xE000:
                return chr(0x10000 + ((unit - 0xD800) << 10) + int(low, 16) - 0xDC00)
            self._at = before
        return chr(unit)

    def _by_name(self) -> str:
        name = self.until("}", "Unclosed character name escape sequence")
        try:
            return unicodedata.lookup(name)
        except KeyError:
            self.refuse(f"Unknown character name [{name}]")


def _without_quotation(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[0]
    return "".join(f"\\x{{{ord(character):x}}}" for character in match[1])
