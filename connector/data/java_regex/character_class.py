"""Character classes: unions, intersections and complements.

Python has classes of single characters, ranges and a few sets only; for the others lookaheads and
alternatives stand, which also match one character.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from connector.data.java_regex.named_sets import named_set
from connector.data.java_regex.regex_text import RegexText, literal

_ANY: Final = r"[\s\S]"


def character_class(text: RegexText, *, ignores_case: bool) -> str:
    """Return Python's expression for a class, whose bracket is read.

    :raises re.error: Java refuses it.
    """
    return _ClassReader(text, ignores_case=ignores_case).character_class()


def set_text(content: str, *, is_complement: bool) -> str:
    """Return the class that has some content, or what this content has not."""
    return f"[{'^' if is_complement else ''}{content}]"


@dataclass(slots=True)
class _Union:
    """Content of a class of Python, and classes beside it."""

    content: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.content or self.classes)

    def rendered(self, *, is_complement: bool = False) -> str:
        """Return what matches one character of the union, or one that it has not."""
        content = "".join(self.content)
        if not self.classes:
            return set_text(content, is_complement=is_complement)
        classes = [f"[{content}]", *self.classes] if content else self.classes
        union = f"(?:{'|'.join(classes)})"
        return f"(?:(?!{union}){_ANY})" if is_complement else union


class _ClassReader:
    def __init__(self, text: RegexText, *, ignores_case: bool) -> None:
        self._text = text
        self._ignores_case = ignores_case

    def character_class(self) -> str:
        is_complement = self._text.accept("^")
        inner = self._union()
        if not self._text.accept("]"):
            self._text.refuse("Unclosed character class")
        return inner.rendered(is_complement=is_complement)

    def _union(self) -> _Union:
        """Read members up to the closing bracket, which is left."""
        text, found = self._text, _Union()
        while character := text.peek():
            if character == "]" and found:
                break
            if text.accept("["):
                found.classes.append(self.character_class())
            elif text.accept("&&"):
                found = self._intersection(found)
            else:
                self._add_member(found)
        return found

    def _intersection(self, left: _Union) -> _Union:
        """Return what a union has in common with what follows; Java ignores an empty side."""
        while self._text.accept("&"):
            pass
        right = self._union() if self._text.peek() != "]" else _Union()
        if not left and not right:
            self._text.refuse("Bad class syntax")
        if not left or not right:
            return left or right
        return _Union(classes=[f"(?:(?={left.rendered()}){right.rendered()})"])

    def _add_member(self, found: _Union) -> None:
        """Read a character, a range or a named set."""
        text = self._text
        first = self._member(found)
        if first is None:
            return
        if text.peek() == "-" and text.peek(1) not in ("[", "]", ""):
            text.next()
            last = self._member(None)
            if last is None or last < first:
                text.refuse("Illegal character range")
            found.content.append(f"{literal(first)}-{literal(last)}")
        else:
            found.content.append(literal(first))

    def _member(self, found: _Union | None) -> str | None:
        """Return a character; a named set is added instead."""
        text = self._text
        character = text.next()
        if character != "\\":
            return character
        kind = text.next()
        named = named_set(text, kind, ignores_case=self._ignores_case)
        if named is None:
            return text.escaped(kind)
        content, is_complement = named
        if found is not None and is_complement:
            found.classes.append(set_text(content, is_complement=True))
        elif found is not None:
            found.content.append(content)
        return None
