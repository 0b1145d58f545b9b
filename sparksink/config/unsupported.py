"""Keys of other sinks that are not supported, with the alternative."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

UNSUPPORTED: Final[Mapping[tuple[str, str], str]] = {
    ("source", "notification.topic"): (
        "notifications have no binlog position, so removed rows could not be distinguished from"
        " newer ones; the sink recognizes the end of a snapshot by its last row, and for tables"
        " without rows by the header millrace.position"
    ),
}
"""Section and key → reason and alternative."""


def unsupported_keys(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield an error for each unsupported key of a configuration."""
    for (section, key), why in UNSUPPORTED.items():
        given = document.get(section)
        if isinstance(given, Mapping) and key in given:
            yield f"{section}.{key} is not supported: {why}"
