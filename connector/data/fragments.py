"""The compiled way to bytes: a struct written in pieces that are joined.

Most of an event is the same for all rows of a table or of a transaction. A converter that can
write parts of a struct lets the events be put together from ready pieces, each encoded once.
What comes out must equal what the converter makes of the whole struct.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

from connector.data.schema import Schema

Encode = Callable[[Sequence[Any]], bytes]
EncodeValue = Callable[[Any], bytes]
Wrap = Callable[[bytes], bytes]


@runtime_checkable
class Fragments(Protocol):
    """Writes parts of structs. The functions returned are compiled: get them once, call often."""

    def frame(self, schema: Schema, topic: str) -> tuple[bytes, bytes]:
        """Return what stands before and behind a value of the schema in a message."""
        ...

    def label(self, schema: Schema, index: int) -> bytes:
        """Return what stands before the value of a struct's field."""
        ...

    def close(self, schema: Schema) -> bytes:
        """Return what stands behind the last field of a struct."""
        ...

    def null(self, schema: Schema) -> bytes:
        """Return the absent value of an optional schema."""
        ...

    def present(self, schema: Schema) -> bytes:
        """Return what stands before a value that is not absent."""
        ...

    def nested(self, schema: Schema, index: int) -> Wrap | None:
        """Return a function that makes a struct's field of the bytes of a struct in it.

        None: they stand as they are behind label and presence, which are empty otherwise.
        """
        ...

    def part(self, schema: Schema, start: int, stop: int) -> Encode:
        """Return a function that writes some fields, with labels, of a struct.

        It takes the values of *all* fields in order; a nested struct is a dict.
        """
        ...

    def row(self, schema: Schema) -> Encode:
        """Return a function that writes a whole struct from the values of its first fields.

        The sequence may be longer than the struct.
        """
        ...


@runtime_checkable
class NativeFragments(Fragments, Protocol):
    """Fragments that the native core can write: a label, a value, and so on for each field."""

    def native_write(self, schema: Schema) -> str | None:
        """Return how the core writes a value of the schema that is not null; None: it cannot."""
        ...
