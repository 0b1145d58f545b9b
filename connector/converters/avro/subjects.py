"""Under which subject a schema is registered: Confluent's naming strategies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from connector.config import invalid
from connector.converters.avro.schemas import Dialect, checked_name, scrubbed, split_name
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


def subject_of(strategy: str, dialect: Dialect, *, is_key: bool) -> Subject:
    """Return how the subject of a schema is named."""
    if strategy == TOPIC_NAME:
        suffix = "-key" if is_key else "-value"
        return lambda topic, _: topic + suffix
    if strategy == RECORD_NAME:
        return lambda _, schema: record_name(schema, dialect, is_key=is_key)
    return lambda topic, schema: f"{topic}-{record_name(schema, dialect, is_key=is_key)}"


def record_name(schema: Schema, dialect: Dialect, *, is_key: bool) -> str:
    """Return the full name of a record in Avro.

    :raises ConversionError: the schema is not a record.
    """
    part = "key" if is_key else "value"
    if schema.type != "struct" or schema.optional:
        raise ConversionError(
            f"The message {part} must only be a record schema for the subject name strategy.",
            f"Use {TOPIC_NAME} for {part}s that are single values.",
        )
    if schema.name is None:
        return "io.confluent.connect.avro.ConnectDefault"
    simple, space = split_name(schema.name, _checked(dialect), scrub=dialect.scrub)
    return f"{space}.{simple}" if space else simple


def _checked(dialect: Dialect) -> Callable[[str], str]:
    return (lambda name: checked_name(scrubbed(name))) if dialect.scrub else checked_name
