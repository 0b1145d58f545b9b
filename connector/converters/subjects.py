"""Under which subject a schema is registered: Confluent's naming strategies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from connector.config import invalid
from connector.data.schema import Schema
from connector.errors import ConversionError

Subject = Callable[[str, Schema], str]
_PACKAGE: Final = "io.confluent.kafka.serializers.subject."
TOPIC_NAME: Final = _PACKAGE + "TopicNameStrategy"
RECORD_NAME: Final = _PACKAGE + "RecordNameStrategy"
TOPIC_RECORD_NAME: Final = _PACKAGE + "TopicRecordNameStrategy"
STRATEGIES: Final = (TOPIC_NAME, RECORD_NAME, TOPIC_RECORD_NAME)


def known_strategy(name: str, value: str) -> str | None:
    """Accept the strategies of Confluent's registry."""
    if value in STRATEGIES:
        return None
    return str(invalid(name, value, f"not supported: it can be {', '.join(STRATEGIES)}"))


def subject_of(strategy: str, name: Callable[[Schema], str | None], *, is_key: bool) -> Subject:
    """Return how the subject of a schema is named; ``name`` gives None for what is no record."""
    part = "key" if is_key else "value"
    if strategy == TOPIC_NAME:
        return lambda topic, _: f"{topic}-{part}"
    if strategy == RECORD_NAME:
        return lambda _, schema: required_name(name(schema), part)
    return lambda topic, schema: f"{topic}-{required_name(name(schema), part)}"


def required_name(name: str | None, part: str) -> str:
    """Return the name of a record.

    :raises ConversionError: there is none.
    """
    if name is None:
        raise ConversionError(
            f"The message {part} must only be a record schema for the subject name strategy.",
            f"Use {TOPIC_NAME} for {part}s that are single values.",
        )
    return name
