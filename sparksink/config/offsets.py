"""Start and end of what is read, as users write it: a word, offsets or a timestamp."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator

TIMESTAMP_PREFIX: Final = "timestamp:"
"""Prefix of a timestamp, as in ``timestamp:2026-01-01T00:00:00Z``."""
_FORMS: Final = (
    "earliest, latest, timestamp:2026-01-01T00:00:00Z,"
    ' or Spark\'s offsets as {"topic": {"0": 42}}, where -2 is the earliest and -1 the latest'
)


def millis(timestamp: str) -> int:
    """Return the milliseconds since 1970 of a timestamp with a time zone.

    :raises ValueError: the text is no such timestamp.
    """
    found = datetime.fromisoformat(timestamp)
    if found.tzinfo is None:
        raise ValueError("a timestamp needs a zone: end it with Z")
    return int(found.timestamp() * 1000)


def parse_bound(text: str) -> str:
    """Validate one end of what is read, and return it unchanged.

    :raises ValueError: it is invalid.
    """
    if text in ("earliest", "latest"):
        return text
    if text.startswith(TIMESTAMP_PREFIX):
        millis(text.removeprefix(TIMESTAMP_PREFIX))
        return text
    if not _are_offsets(text):
        raise ValueError(f"write {_FORMS}")
    return text


def _are_offsets(text: str) -> bool:
    try:
        topics = json.loads(text)
    except ValueError:
        return False
    return (
        isinstance(topics, dict)
        and bool(topics)
        and all(isinstance(parts, dict) and parts for parts in topics.values())
        and all(key.isdecimal() for parts in topics.values() for key in parts)
        and all(type(one) is int for parts in topics.values() for one in parts.values())
    )


def _text(value: object) -> object:
    return json.dumps(value) if isinstance(value, dict) else value


Bound = Annotated[str, BeforeValidator(_text), AfterValidator(parse_bound)]
"""Start or end of what is read; in YAML offsets may also be a mapping."""
