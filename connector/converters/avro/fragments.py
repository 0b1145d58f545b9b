"""What the Avro converters of all registries have in common: ready schemas and parts of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from connector.converters.avro.encoder import Encoder, EncodeValue, present
from connector.converters.registry_frames import RegistryFrames
from connector.data.fragments import Encode
from connector.data.schema import Schema
from connector.errors import ConversionError


@dataclass(frozen=True, slots=True)
class _CompiledSchema:
    """A compiled schema: kept, so that no other schema takes its identity."""

    schema: Schema
    start: bytes
    encode: EncodeValue


class AvroFragments(RegistryFrames):
    """Writes values in Avro behind the start that a registry needs."""

    def __init__(self, encoder: Encoder, kept: int) -> None:
        super().__init__(kept)
        self._encoder = encoder
        self._ready: dict[tuple[int, str], _CompiledSchema] = {}

    def encode_whole(self, schema: Schema, value: Any) -> bytes | None:  # noqa: ARG002 - for converters that write some values in another way
        """Return the bytes of a value that is not written in Avro, else None."""
        return None

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a key or value, None for a null.

        :raises RegistryUnavailableError: the registry does not answer.
        """
        if value is None:
            if schema is not None and not schema.optional:
                raise ConversionError("Found null value for non-optional schema")
            return None
        if schema is None:
            raise ConversionError(
                "A value without schema cannot be written as Avro.",
                "Use a converter for JSON, or leave out the transform that removes the schema.",
            )
        ready = self._ready.get((id(schema), topic)) or self._prepare(schema, topic)
        if not schema.optional:
            whole = self.encode_whole(schema, value)
            if whole is not None:
                return ready.start + whole
        return ready.start + ready.encode(value)

    def label(self, schema: Schema, index: int) -> bytes:  # noqa: ARG002 - other converters write names
        """Return nothing: Avro writes no names."""
        return b""

    def close(self, schema: Schema) -> bytes:  # noqa: ARG002 - other converters mark the end
        """Return nothing: Avro does not mark the end."""
        return b""

    def null(self, schema: Schema) -> bytes:
        """Return the branch of null, or the default that replaces it."""
        return self._encoder.null(schema)

    def present(self, schema: Schema) -> bytes:
        """Return the branch of a value that is not null."""
        return present(schema)

    def nested(self, schema: Schema, index: int) -> None:
        """Return nothing: Avro's structs are written as they are."""

    def part(self, schema: Schema, start: int, stop: int) -> Encode:
        """Return a function that writes some fields."""
        return self._encoder.part(schema, start, stop)

    def row(self, schema: Schema) -> Encode:
        """Return a function that writes a whole struct from a row."""
        return self._encoder.row(schema)

    def _prepare(self, schema: Schema, topic: str) -> _CompiledSchema:
        """Compile a schema, in place of the one that was compiled first when there are many."""
        start, _ = self.frame(schema, topic)
        ready = _CompiledSchema(schema, start, self._encoder.value(schema))
        if len(self._ready) >= self._kept:
            del self._ready[next(iter(self._ready))]
        self._ready[id(schema), topic] = ready
        return ready
