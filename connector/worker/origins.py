"""The sites whose pages may call the REST API from a browser: access.control.allow.origin."""

from __future__ import annotations

import re
from typing import Any, Final

from connector.config import invalid
from connector.errors import ConfigError

KEY: Final = "access.control.allow.origin"
ANY: Final = re.compile(".*")


def parse_origins(text: str) -> re.Pattern[str] | None:
    """Return the pattern that an allowed origin matches as a whole; None allows no origin.

    As in Kafka Connect, each entry is a regular expression in any case, and ``*`` is any origin.

    :raises ConfigError: an entry is no regular expression.
    """
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    if "*" in entries:
        return ANY
    try:
        return re.compile("|".join(f"(?i:{entry})" for entry in entries)) if entries else None
    except re.error as error:
        raise invalid(KEY, text, f"not a list of regular expressions: {error}.") from None


def are_origins(_: str, value: Any) -> str | None:
    """Accept what `parse_origins` can read."""
    try:
        parse_origins(value)
    except ConfigError as error:
        return str(error)
    return None
