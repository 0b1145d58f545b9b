r"""Replacements of regular expressions in Java's notation: ``$1``, ``${name}``, ``\\$``."""

from __future__ import annotations

import re
from collections.abc import Callable

_DIGITS = re.compile("[0-9]+")
_NAME = re.compile("[a-zA-Z0-9]*")

Replace = Callable[[re.Match[str]], str]


def compile_replacement(text: str, regex: re.Pattern[str]) -> Replace:
    """Return the function from a match to what a replacement makes of it.

    A group that takes no part in the match is empty.

    :raises ValueError: the replacement refers to a group that does not exist; in Java's words.
    """
    parts = _parts(text, regex)
    return lambda match: "".join(
        part if isinstance(part, str) else match[part] or "" for part in parts
    )


def _parts(text: str, regex: re.Pattern[str]) -> list[str | int]:
    """Split a replacement into texts and numbers of groups (``Matcher.appendReplacement``)."""
    parts: list[str | int] = []
    position = 0
    while position < len(text):
        if text[position] == "$":
            group, position = _group(text, position + 1, regex)
            parts.append(group)
            continue
        if text[position] == "\\":
            position += 1
            if position == len(text):
                raise ValueError("character to be escaped is missing")
        parts.append(text[position])
        position += 1
    return parts


def _group(text: str, start: int, regex: re.Pattern[str]) -> tuple[int, int]:
    """Return the number of the group that is named behind a $, and where the text goes on."""
    if start == len(text):
        raise ValueError("Illegal group reference: group index is missing")
    if text[start] == "{":
        return _named_group(text, start + 1, regex)
    digits = _DIGITS.match(text, start)
    if digits is None:
        raise ValueError("Illegal group reference")
    length = 1
    while length < len(digits[0]) and int(digits[0][: length + 1]) <= regex.groups:
        length += 1
    number = int(digits[0][:length])
    if number > regex.groups:
        raise ValueError(f"No group {number}")
    return number, start + length


def _named_group(text: str, start: int, regex: re.Pattern[str]) -> tuple[int, int]:
    match = _NAME.match(text, start)
    assert match is not None, "a name may be empty"
    name, end = match[0], match.end()
    if not name:
        raise ValueError("named capturing group has 0 length name")
    if text[end : end + 1] != "}":
        raise ValueError("named capturing group is missing trailing '}'")
    if name[0].isdigit():
        raise ValueError(f"capturing group name {{{name}}} starts with digit character")
    if name not in regex.groupindex:
        raise ValueError(f"No group with name {{{name}}}")
    return regex.groupindex[name], end + 1
