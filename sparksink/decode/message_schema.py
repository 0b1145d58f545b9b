"""The schema of messages of one format, parsed from a sample or a registry's answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final, Literal

from sparksink.errors import TableError
from sparksink.schemas.row_schema import (
    Form,
    RowSchema,
    from_avro,
    from_connect,
    plain_avro,
    split_value_schema,
)
from sparksink.schemas.spark_types import check

WireForm = Literal["envelope", "row", "cloudevents"]

_SCHEMA_START: Final = '{"schema":'
_BETWEEN: Final = re.compile(r'\s*,\s*"payload"\s*:\s*')


@dataclass(frozen=True, slots=True)
class MessageSchema:
    """How to read messages of one mark: ``prefix`` is removed, ``avro`` is the writer's schema.

    ``members`` are the fields of Avro messages, nested ones as ``outer.inner``.
    """

    mark: str
    form: WireForm
    shape: RowSchema
    prefix: bytes = b""
    avro: str = ""
    members: frozenset[str] = frozenset()

    def has(self, value: str) -> bool:
        """Return whether messages can have the field ``__v.…``; JSON can have any."""
        return not self.avro or value.removeprefix("__v.") in self.members


@dataclass(frozen=True, slots=True)
class PlainFields:
    """The fields of messages without a schema: ``known`` ones are defined or left out.

    ``undefined`` are the others, if the settings name all columns to keep; otherwise None.
    """

    topic: str
    mark: str
    form: WireForm
    known: frozenset[str]
    undefined: frozenset[str] | None


def parse_json_schema(mark: str, sample: bytes) -> MessageSchema:
    """Parse the schema that precedes a JSON message, and check that it fits the message.

    :raises TableError: it is no schema of Connect's JSON converter, or does not fit.
    """
    try:
        text = sample.decode(errors="replace")
        schema, end = json.JSONDecoder().raw_decode(text, len(_SCHEMA_START))
        form, shape = split_value_schema(from_connect(schema))
        check(shape)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise TableError("a schema that cannot be read") from error
    between = _BETWEEN.match(text, end)
    if between is None:
        raise TableError('something else than "payload" after the schema')
    prefix = text[: between.end()].encode()
    if not sample.startswith(prefix):
        raise TableError("a schema that is not UTF-8")
    if _contradicts(text[between.end() : -1], form, shape):
        raise TableError("a schema that is not the message's")
    return MessageSchema(mark, form, shape, prefix=prefix)


def _contradicts(payload: str, form: Form, shape: RowSchema) -> bool:
    """Return whether a message has other fields than its schema, or is unreadable."""
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return True
    if not isinstance(value, dict):
        return True
    images = [value] if form == "row" else [value.get("before"), value.get("after")]
    return any(isinstance(image, dict) and image.keys() != set(shape.names) for image in images)


def parse_avro_schema(mark: str, text: str) -> MessageSchema:
    """Parse the schema with which Avro messages were written.

    :raises TableError: the sink cannot read such messages.
    """
    schema = json.loads(text)
    value = from_avro(schema)
    form, shape = split_value_schema(value)
    check(shape)
    members = {one.name for one in value.fields}
    members |= {f"{one.name}.{inner.name}" for one in value.fields for inner in one.fields}
    avro = json.dumps(plain_avro(schema))
    return MessageSchema(mark, form, shape, avro=avro, members=frozenset(members))


def wire_form_of(sample: bytes) -> WireForm | None:
    """Return the form of a message; None if it is unreadable."""
    try:
        value: Any = json.loads(sample)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    if "specversion" in value:
        return "cloudevents"
    return "envelope" if {"after", "op", "source"} <= value.keys() else "row"
