"""The names of message formats.

The *mark* of a message names its format: ``json:N`` for JSON with the N-th known schema,
``avro:ID`` for Avro with a schema of the registry, ``plain`` for JSON without a schema, ``none``
for an empty value, ``no rows`` for the end of an empty snapshot, ``garbage`` for anything else. A
suffix ``@N`` is the N-th schema version of the table, where versions are read differently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from sparksink.config.source import Source

PLAIN: Final = "plain"
EMPTY: Final = "none"
GARBAGE: Final = "garbage"
"""The mark of messages that are neither JSON nor Avro."""
NEW_SCHEMA: Final = "schema"
"""The mark of JSON with a schema that is not known yet."""

NO_ROWS: Final = "no rows"
"""The mark of messages that report a snapshot of an empty table."""

VERSION_SEPARATOR: Final = "@"
"""Separates a mark from the number of the table's schema version."""

FORMATS_WITHOUT_COLUMNS: Final = frozenset({EMPTY, GARBAGE, NO_ROWS})

_BEHIND_SCHEMA: Final = "startswith(value, X'7B22736368656D61223A')"
_FORMATS: Final = {
    "auto": "",
    "json": f"startswith(value, X'7B') AND NOT {_BEHIND_SCHEMA}",
    "json-schema": _BEHIND_SCHEMA,
    "avro": "startswith(value, X'00') AND length(value) > 5",
}
"""source.format → SQL condition of messages in this format."""


def in_version_order(marks: Iterable[str]) -> list[str]:
    """Sort marks by the numbers of their schemas and versions."""
    return sorted(marks, key=lambda mark: [
        (part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in re.split(r"(\d+)", mark)
    ])  # fmt: skip


def accepted_sql(source: Source) -> str:
    """Return the SQL condition of usable messages; empty if all are."""
    named = "" if source.route == "topic" else "NOT endswith(topic, '/')"
    return " AND ".join(filter(None, (_FORMATS[source.format], named)))


def is_garbage(mark: str) -> bool:
    """Return whether messages of a mark are unreadable."""
    return mark.partition(":")[0] == GARBAGE


def has_columns(mark: str) -> bool:
    """Return whether messages of a mark have columns."""
    return mark not in FORMATS_WITHOUT_COLUMNS and not is_garbage(mark)
