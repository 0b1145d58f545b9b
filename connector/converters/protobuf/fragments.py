"""Ready schemas and parts of rows in Protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from connector.converters.protobuf.encoder import MessageEncoder
from connector.converters.protobuf.wire import EncodeValue, sized, tag
from connector.converters.registry_frames import RegistryFrames
from connector.data.fragments import Encode, Wrap
from connector.data.schema import Schema
from connector.errors import ConversionError


@dataclass(frozen=True, slots=True)
class _CompiledMessage:
    """A compiled schema: kept, so that no other schema takes its identity."""

    schema: Schema
    start: bytes
    encode: EncodeValue


class ProtobufFragments(RegistryFrames):
    """Writes values in Protobuf behind the start that a registry needs."""

    def __init__(self, encoder: MessageEncoder, kept: int) -> None:
        super().__init__(kept)
        self._encoder = encoder
        self._ready: dict[tuple[int, str], _CompiledMessage] = {}

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a key or value, None for a null.

        :raises RegistryUnavailableError: the registry does not answer.
        """
        if value is None:
            return None
        if schema is None:
            raise ConversionError(
                "A value without schema cannot be written as Protobuf.",
                "Use a converter for JSON, or leave out the transform that removes the schema.",
            )
        ready = self._ready.get((id(schema), topic)) or self._prepare(schema, topic)
        return ready.start + ready.encode(value)

    def label(self, schema: Schema, index: int) -> bytes:  # noqa: ARG002 - other converters write names
        """Return nothing: tags are written with values."""
        return b""

    def close(self, schema: Schema) -> bytes:  # noqa: ARG002 - other converters mark the end
        """Return nothing: Protobuf does not mark the end."""
        return b""

    def null(self, schema: Schema) -> bytes:  # noqa: ARG002 - other converters write nulls
        """Return nothing: a null is not written."""
        return b""

    def present(self, schema: Schema) -> bytes:  # noqa: ARG002 - other converters mark presence
        """Return nothing: what is written is present."""
        return b""

    def nested(self, schema: Schema, index: int) -> Wrap:  # noqa: ARG002 - other converters write names
        """Return a function that writes tag and length of a message in another one."""
        return partial(sized, tag(index + 1, "struct"))

    def part(self, schema: Schema, start: int, stop: int) -> Encode:
        """Return a function that writes some fields."""
        return self._encoder.part(schema, start, stop)

    def row(self, schema: Schema) -> Encode:
        """Return a function that writes a whole struct from a row."""
        return self._encoder.row(schema)

    def _prepare(self, schema: Schema, topic: str) -> _CompiledMessage:
        """Compile a schema, in place of the one that was compiled first when there are many."""
        start, _ = self.frame(schema, topic)
        ready = _CompiledMessage(schema, start, self._encoder.value(schema))
        if len(self._ready) >= self._kept:
            del self._ready[next(iter(self._ready))]
        self._ready[id(schema), topic] = ready
        return ready
