"""What flows behind the events: a Record (values) becomes a Message (bytes)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from connector.data.schema import Schema


class Header(NamedTuple):
    """A record header: its value is described by a schema like any other value."""

    name: str
    schema: Schema | None
    value: Any


Headers = list[tuple[str, bytes | None]]
EncodeHeader = Callable[[Header], tuple[str, bytes | None]]
SchemaHeadersOf = Callable[[str, Schema | None], Headers]
"""Returns the headers that a topic's messages have for their schema, such as its id."""


@dataclass(slots=True)
class Record:
    """One Kafka record before conversion to bytes.

    A transform may change the record that it gets, but not the values in it, which other records
    share. A delete and its tombstone share their list of headers: to add a header to this record
    alone, put another list into it.
    """

    topic: str
    partition: int | None
    key_schema: Schema | None
    key: Any
    value_schema: Schema | None
    value: Any
    headers: list[Header] = field(default_factory=list)
    timestamp: int | None = None  # milliseconds; None = the producer's clock


ApplyTransform = Callable[[Record], Record | None]
"""Returns the changed record, None to drop it."""


class Message(NamedTuple):
    """One Kafka record as bytes. A partition of None is chosen from the key."""

    topic: str
    partition: int | None
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]] | None = None
    timestamp: int | None = None


WriteBatch = Callable[[int], tuple[Sequence[Message], int]]
"""Writes the events of a batch from a number on; returns the messages and where they end."""
