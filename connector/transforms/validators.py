"""Checks of settings that several transforms have, worded as Kafka Connect words them."""

from __future__ import annotations

import re
from typing import Any

from connector.config import REQUIRED, Validator, compile_regex, invalid
from connector.data.java_regex import replacement
from connector.data.java_regex.replacement import Replace
from connector.errors import ConfigError, TransformError


def empty_list(name: str, value: Any) -> str | None:
    """Refuse an empty list."""
    if value is None or value is REQUIRED or value:
        return None
    return str(invalid(name, "[]", "Empty list"))


def distinct(name: str, value: Any) -> str | None:
    """Refuse a list that is empty, names something twice or has an empty name."""
    if value is None or value is REQUIRED:
        return None
    if not value:
        return (
            f"Configuration '{name}' must not be empty. Valid values include: any non-empty value"
        )
    return distinct_or_empty(name, value)


def distinct_or_empty(name: str, value: Any) -> str | None:
    """Refuse a list that names something twice or has an empty name (Kafka's ``ValidList``)."""
    if len(set(value)) < len(value):
        return f"Configuration '{name}' values must not be duplicated."
    if "" in value:
        return f"Configuration '{name}' values must not be empty."
    return None


def any_case_of(*allowed: str) -> Validator:
    """Accept the given values in any case."""

    def check(name: str, value: Any) -> str | None:
        if str(value).upper() in allowed:
            return None
        reason = f"String must be one of (case insensitive): {', '.join(allowed)}"
        return str(invalid(name, value, reason))

    return check


def java_regex(name: str, value: Any) -> str | None:
    """Refuse a text that is no regular expression."""
    if value is None or value is REQUIRED:
        return None
    try:
        compile_regex(name, value)
    except ConfigError as error:
        return str(invalid(name, value, f"Invalid regex: {error.__cause__}"))
    return None


def compile_replacement(text: str, regex: re.Pattern[str]) -> Replace:
    """Return the function from a match to what a replacement of Java makes of it.

    One that names a group that there is not fails at the first match, as in Java.
    """
    try:
        return replacement.compile_replacement(text, regex)
    except ValueError as error:
        return _failing(str(error))


def _failing(message: str) -> Replace:
    def fail(_: re.Match[str]) -> str:
        raise TransformError(message)

    return fail
