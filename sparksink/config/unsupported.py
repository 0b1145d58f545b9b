"""Keys that are known from elsewhere and not built here, each with what to do instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

UNSUPPORTED: Final[Mapping[tuple[str, str], str]] = {
    ("source", "notification.topic"): (
        "notifications tell no position of the log, by which rows that are gone could be told from"
        " newer ones; the rows of a snapshot tell where it ends, as does the header"
        " millrace.position of tables without rows"
    ),
}
"""Section and key → why, and what there is in its place."""


def unsupported(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a configuration that asks for such a key."""
    for (section, key), why in UNSUPPORTED.items():
        given = document.get(section)
        if isinstance(given, Mapping) and key in given:
            yield f"{section}.{key} is not supported: {why}"
