"""Checks of settings that several transforms have, worded as Kafka Connect words them."""

from __future__ import annotations

import re
from typing import Any

from connector.capture.selection import pattern
from connector.config import REQUIRED, invalid
from connector.data.java_patterns import java_replacement
from connector.errors import ConfigError


def empty_list(name: str, value: Any) -> str | None:
    """Refuse an empty list."""
    if value is None or value is REQUIRED or value:
        return None
    return str(invalid(name, "[]", "Empty list"))


def java_regex(name: str, value: Any) -> str | None:
    """Refuse a text that is no regular expression."""
    if value is None or value is REQUIRED:
        return None
    try:
        compile_regex(name, value)
    except ConfigError as error:
        return str(invalid(name, value, f"Invalid regex: {error.__cause__}"))
    return None


def compile_regex(name: str, text: str) -> re.Pattern[str]:
    """Compile a regular expression of Java; unlike names of tables it minds upper case."""
    return re.compile(pattern(name, text).pattern)


def compile_replacement(name: str, text: str, regex: re.Pattern[str]) -> str:
    """Turn a replacement of Java into Python's.

    :raises ConfigError: it names a group that the expression does not have.
    """
    replacement = java_replacement(text)
    try:
        regex.sub(replacement, "")
    except (re.error, IndexError) as error:
        raise invalid(name, text, str(error)) from error
    return replacement
