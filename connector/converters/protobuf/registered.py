"""Compares files with those that a registry holds, and finds messages in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from connector.converters.protobuf.parser import (
    ParsedFile,
    ParsedMessage,
    UnreadableFileError,
    parse_file,
)


def same_messages(registered: str, own: str, references: Mapping[str, str]) -> bool:  # noqa: ARG001 - imported types are compared by name
    """Whether the messages of a file are in another one, which may have more of all."""
    try:
        ours, theirs = parse_file(own), parse_file(registered)
    except UnreadableFileError:
        return False
    if (ours.syntax, ours.package) != (theirs.syntax, theirs.package):
        return False
    here, there = _MessageScope(ours, (ours.top,)), _MessageScope(theirs, (theirs.top,))
    return all(
        _fits(here.inner(message), there.inner(theirs.top.nested[name]))
        if name in theirs.top.nested
        else False
        for name, message in ours.top.nested.items()
    )


def message_index(text: str, name: str) -> int:
    """Return the position of a message, given by its full name, among those of a file."""
    file = parse_file(text)
    return list(file.top.nested).index(name.rpartition(".")[2])


@dataclass(frozen=True, slots=True)
class _MessageScope:
    """A message with those around it, in which names of types are resolved."""

    file: ParsedFile
    messages: tuple[ParsedMessage, ...]

    def inner(self, message: ParsedMessage) -> _MessageScope:
        return _MessageScope(self.file, (*self.messages, message))

    def resolve(self, name: str) -> _MessageScope | None:
        """Return the message of that name, None for a single value and for other files."""
        if not name.startswith("."):
            for depth in range(len(self.messages), 0, -1):
                found = self._below(self.messages[:depth], name)
                if found is not None:
                    return found
        local = name.removeprefix(".").removeprefix(f"{self.file.package}.")
        return self._below(self.messages[:1], local)

    def _below(self, messages: tuple[ParsedMessage, ...], name: str) -> _MessageScope | None:
        for part in name.split("."):
            message = messages[-1].nested.get(part)
            if message is None:
                return None
            messages = (*messages, message)
        return _MessageScope(self.file, messages)


def _fits(ours: _MessageScope, theirs: _MessageScope) -> bool:
    """Whether the fields of a message are those of another one: their bytes are the same."""
    for number, field in ours.messages[-1].fields.items():
        other = theirs.messages[-1].fields.get(number)
        if other is None or (other.label, other.name) != (field.label, field.name):
            return False
        inner, their_inner = ours.resolve(field.type), theirs.resolve(other.type)
        if inner is None or their_inner is None:
            if inner is not their_inner or field.type.lstrip(".") != other.type.lstrip("."):
                return False
        elif not _fits(inner, their_inner):
            return False
    return True
