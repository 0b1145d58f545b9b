"""Reads the Protobuf files of a registry, as far as it matters for the bytes of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from connector.converters.protobuf.names import camel_case

_TOKEN: Final = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.+-]+|[^\w\s]""",
    re.DOTALL,
)
_LABELS: Final = frozenset(["optional", "required", "repeated"])
_CLOSING: Final = {"{": "}", "[": "]"}


class UnreadableFileError(ValueError):
    """A file is not Protobuf, or uses what is not known here."""


@dataclass(slots=True)
class ParsedField:
    """A field: its label (``oneof`` for a member of one), type and name."""

    label: str
    type: str
    name: str


@dataclass(slots=True)
class ParsedMessage:
    """A message: its fields by number, and those in it in order."""

    fields: dict[int, ParsedField] = field(default_factory=dict)
    nested: dict[str, ParsedMessage] = field(default_factory=dict)


@dataclass(slots=True)
class ParsedFile:
    """A file; ``top`` holds its messages."""

    syntax: str = "proto2"
    package: str = ""
    top: ParsedMessage = field(default_factory=ParsedMessage)


def parse_file(text: str) -> ParsedFile:
    """Return what a file consists of.

    :raises UnreadableFileError: it is not Protobuf, or has groups.
    """
    return _ProtoParser(text).file()


class _ProtoParser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)

    def file(self) -> ParsedFile:
        found = ParsedFile()
        for word in self._tokens:
            if word in ("syntax", "edition"):
                self._expect("=")
                found.syntax = self._next()[1:-1]
                self._expect(";")
            elif word == "package":
                found.package = self._next()
                self._expect(";")
            elif word == "message":
                name = self._next()
                found.top.nested[name] = self._message()
            elif word != ";":
                self._skip_statement()
        return found

    def _message(self) -> ParsedMessage:
        found = ParsedMessage()
        self._expect("{")
        self._members(found, "")
        return found

    def _members(self, found: ParsedMessage, label: str) -> None:
        """Read until the closing brace."""
        while (word := self._next()) != "}":
            if word == "message":
                name = self._next()
                found.nested[name] = self._message()
            elif word == "oneof":
                self._next()
                self._expect("{")
                self._members(found, "oneof")
            elif word in ("enum", "option", "reserved", "extensions", "extend"):
                self._skip_statement()
            elif word == "map":
                self._map(found)
            elif word != ";":
                own = word if word in _LABELS else label
                self._field(found, own, self._next() if word in _LABELS else word)

    def _field(self, found: ParsedMessage, label: str, kind: str) -> None:
        if kind == "group":
            raise UnreadableFileError("groups are not supported")
        name = self._next()
        self._expect("=")
        number = self._next()
        if not number.isdecimal():
            raise UnreadableFileError(f"the number of field {name}")
        found.fields[int(number)] = ParsedField(label, kind, name)
        self._skip_statement()

    def _map(self, found: ParsedMessage) -> None:
        self._expect("<")
        key = ParsedField("", self._next(), "key")
        self._expect(",")
        value = ParsedField("", self._next(), "value")
        self._expect(">")
        before = set(found.fields)
        self._field(found, "repeated", "")
        [number] = set(found.fields) - before
        entry = found.fields[number]
        entry.type = f"{camel_case(entry.name)}Entry"
        found.nested[entry.type] = ParsedMessage({1: key, 2: value})

    def _skip_statement(self) -> None:
        """Skip to the end of a statement: a semicolon or a block."""
        while (word := self._next()) != ";":
            if word in _CLOSING:
                self._skip_block(_CLOSING[word])
                if word == "{":  # an option goes on behind its value
                    return

    def _skip_block(self, closing: str) -> None:
        while (word := self._next()) != closing:
            if word in _CLOSING:
                self._skip_block(_CLOSING[word])

    def _next(self) -> str:
        for word in self._tokens:
            return word
        raise UnreadableFileError("it ends early")

    def _expect(self, word: str) -> None:
        found = self._next()
        if found != word:
            raise UnreadableFileError(f"{found} in place of {word}")


def _tokens(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise UnreadableFileError(f"the character {position}")
        position = match.end()
        if match["skip"] is None:
            yield match[0]
