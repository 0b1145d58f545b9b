"""Translates a regular expression of Java into Python's.

Source of the rules: `java.util.regex.Pattern` of JDK 17, compared with what it answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from connector.data.java_regex.character_class import character_class, set_text
from connector.data.java_regex.named_sets import ENDS_OF_LINES, named_set
from connector.data.java_regex.regex_text import RegexText, literal

_LOOKAROUNDS: Final = (":", "=", "!", ">", "<=", "<!")
_DIGITS: Final = frozenset("0123456789")
_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9]*\Z")
_END: Final = rf"(?=(?:\r\n|(?<!\r)\n|[{ENDS_OF_LINES[4:]}\r])?\Z)"
_END_OF_LINE: Final = rf"(?=\r|(?<!\r)\n|[{ENDS_OF_LINES[4:]}]|\Z)"
_BEGIN_OF_LINE: Final = rf"(?:(?:\A|(?<=[\n{ENDS_OF_LINES[4:]}])|(?<=\r)(?!\n))(?!\Z))"
_FIXED: Final = {
    "A": r"\A",
    "z": r"\Z",
    "Z": _END,
    "b": r"(?u:\b)",
    "B": r"(?u:\B)",
    "R": rf"(?:\r\n|[\n-\r{ENDS_OF_LINES[4:]}])",
}
_NEVER: Final = "(?!)"
_MOST: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Flags:
    """What the flags in the text say, or else the caller."""

    ignores_case: bool
    by_line: bool = False
    dot_is_any: bool = False


class RegexTranslation:
    """The translation of one expression."""

    def __init__(self, text: str, *, ignores_case: bool = False) -> None:
        self._text = RegexText(text)
        self._flags = _Flags(ignores_case)
        self._groups = 0
        self._open: set[int] = set()
        self._names: dict[str, int] = {}

    def translate(self) -> str:
        """Return Python's expression.

        :raises re.error: Java refuses the expression, or it is not supported.
        """
        translated = self._alternatives()
        if self._text.peek():
            self._text.refuse("Unmatched closing ')'")
        return translated

    def _alternatives(self) -> str:
        """Translate up to the end of the group, which is left; flags hold until there."""
        outer = self._flags
        parts = [self._sequence(outer)]
        while self._text.accept("|"):
            parts.append(self._sequence(outer))
        self._flags = outer
        return "|".join(parts)

    def _sequence(self, outer: _Flags) -> str:
        """Translate an alternative; flags within it hold for those behind it, too."""
        parts, closing = [self._case_group(outer)], 1
        while (character := self._text.peek()) not in ("", "|", ")"):
            if character == "(" and self._text.peek(1) == "?":
                before = self._flags
                group = self._group()
                if group is None:
                    parts.append(self._case_group(before))
                    closing += 1
                    continue
            else:
                group = self._atom()
            parts.append(self._repeated(group))
        return "".join(parts) + ")" * closing

    def _case_group(self, before: _Flags) -> str:
        """Begin a group for the case of letters, if that has changed."""
        ignores = self._flags.ignores_case
        if ignores == before.ignores_case:
            return "(?:"
        return "(?i:" if ignores else "(?-i:"

    def _atom(self) -> str:
        text = self._text
        character = text.next()
        if character == "(":
            return self._capture("(")
        if character == "[":
            return character_class(text, ignores_case=self._flags.ignores_case)
        if character == "\\":
            return self._escape()
        if character == ".":
            return r"[\s\S]" if self._flags.dot_is_any else f"[^{ENDS_OF_LINES}]"
        if character == "^":
            return _BEGIN_OF_LINE if self._flags.by_line else r"(?:\A)"
        if character == "$":
            return _END_OF_LINE if self._flags.by_line else _END
        if character in "*+?":
            text.refuse(f"Dangling meta character '{character}'")
        if character == "{":
            text.refuse("Illegal repetition")
        return literal(character)

    def _escape(self) -> str:
        text = self._text
        kind = text.next()
        if kind in _FIXED:
            if kind == "b" and text.peek() == "{":
                text.refuse(r"\b{…} is not supported")
            return f"(?:{_FIXED[kind]})"
        if kind in ("G", "X"):
            text.refuse(f"\\{kind} is not supported")
        if kind in _DIGITS and kind != "0":
            return self._reference(int(kind))
        if kind == "k":
            return self._named_reference()
        named = named_set(text, kind, ignores_case=self._flags.ignores_case)
        if named is not None:
            return set_text(named[0], is_complement=named[1])
        return literal(text.escaped(kind))

    def _reference(self, number: int) -> str:
        """Translate a reference; of further digits as many count as there are groups."""
        text = self._text
        while text.peek() in _DIGITS and number * 10 + int(text.peek()) <= self._groups:
            number = number * 10 + int(text.next())
        if number > self._groups or number in self._open:
            return _NEVER
        return f"(?:\\{number})"

    def _named_reference(self) -> str:
        text = self._text
        if not text.accept("<"):
            text.refuse("\\k is not followed by '<' for named capturing group")
        name = self._name()
        if name not in self._names:
            text.refuse(f"named capturing group <{name}> does not exist")
        number = self._names[name]
        return _NEVER if number in self._open else f"(?:\\{number})"

    def _name(self) -> str:
        name = self._text.until(">", "named capturing group is missing trailing '>'")
        if not _NAME.match(name):
            self._text.refuse("capturing group name does not start with a Latin letter")
        return name

    def _group(self) -> str | None:
        """Translate a group that begins with ``(?``; None if it only sets flags."""
        text = self._text
        text.accept("(?")
        for kind in _LOOKAROUNDS:
            if text.accept(kind):
                inner = self._inner()
                # Python takes no quantifier behind a lookaround that is not in a group.
                return f"(?:(?{kind}{inner}))"
        if text.accept("<"):
            name = self._name()
            if name in self._names:
                text.refuse(f"Named capturing group <{name}> is already defined")
            self._names[name] = self._groups + 1
            return self._capture(f"(?P<{name}>")
        return self._flag_group()

    def _capture(self, opening: str) -> str:
        self._groups += 1
        number = self._groups
        self._open.add(number)
        inner = self._inner()
        self._open.discard(number)
        return f"{opening}{inner})"

    def _inner(self) -> str:
        inner = self._alternatives()
        if not self._text.accept(")"):
            self._text.refuse("Unclosed group")
        return inner

    def _flag_group(self) -> str | None:
        """Read ``(?i)``, which holds to the end of the group around it, or ``(?i:…)``."""
        text, before, sets = self._text, self._flags, True
        while (character := text.next()) not in (")", ":"):
            if character == "-":
                if not sets:
                    text.refuse("Unknown inline modifier")
                sets = False
            else:
                self._set_flag(character, sets=sets)
        if character == ")":
            return None
        opening = self._case_group(before)
        inner = self._inner()
        self._flags = before
        return f"{opening}{inner})"

    def _set_flag(self, character: str, *, sets: bool) -> None:
        if character == "i":
            self._flags = replace(self._flags, ignores_case=sets)
        elif character == "m":
            self._flags = replace(self._flags, by_line=sets)
        elif character == "s":
            self._flags = replace(self._flags, dot_is_any=sets)
        elif character and character in "dxuU":
            self._text.refuse(f"the flag {character} is not supported")
        else:
            self._text.refuse("Unknown inline modifier")

    def _repeated(self, atom: str) -> str:
        """Translate how often an atom comes.

        Python 3.11 restores no position in possessive repetitions: an atomic group stands for one.
        """
        text = self._text
        if text.peek() in ("?", "*", "+"):
            atom += text.next()
        elif text.accept("{"):
            atom += self._count()
        else:
            return atom
        if text.accept("+"):
            return f"(?>{atom})"
        return atom + text.next() if text.peek() == "?" else atom

    def _count(self) -> str:
        text = self._text
        least = text.take(_DIGITS, 20)
        if not least:
            text.refuse("Illegal repetition")
        most = least
        if text.accept(","):
            most = text.take(_DIGITS, 20)
        if not text.accept("}"):
            text.refuse("Unclosed counted closure")
        if int(least) > _MOST or (most and not int(least) <= int(most) <= _MOST):
            text.refuse("Illegal repetition range")
        return f"{{{least},{most}}}" if most != least else f"{{{least}}}"
