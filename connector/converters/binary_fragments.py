"""What converters to binary formats have in common: ready schemas and parts of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from connector.converters.registry_frames import RegistryFrames
from connector.data.fragments import Encode
from connector.data.schema import Schema
from connector.errors import ConversionError


class BinaryEncoder(Protocol):
    """Compiles schemas to functions that write values."""

    def value(self, schema: Schema, /) -> Callable[[Any], bytes]:
        """Return the function for a whole value."""

    def row(self, schema: Schema, /) -> Encode:
        """Return the function that writes a struct from a row."""

    def part(self, schema: Schema, start: int, stop: int, /) -> Encode:
        """Return the function that writes some fields."""


E = TypeVar("E", bound=BinaryEncoder)


@dataclass(frozen=True, slots=True)
class CompiledSchema:
    """A compiled schema: kept, so that no other schema takes its identity."""

    schema: Schema
    start: bytes
    encode: Callable[[Any], bytes]


class BinaryFragments(RegistryFrames, Generic[E]):
    """Writes values behind the start that a registry needs; neither names nor ends are written."""

    format_name: ClassVar[str]

    def __init__(self, encoder: E, kept: int) -> None:
        super().__init__(kept)
        self._encoder = encoder
        self._ready: dict[tuple[int, str], CompiledSchema] = {}

    def compiled(self, schema: Schema | None, topic: str) -> CompiledSchema:
        """Return a schema that is compiled.

        :raises ConversionError: there is no schema.
        :raises RegistryUnavailableError: the registry does not answer.
        """
        if schema is None:
            raise ConversionError(
                f"A value without schema cannot be written as {self.format_name}.",
                "Use a converter for JSON, or leave out the transform that removes the schema.",
            )
        return self._ready.get((id(schema), topic)) or self._compile(schema, topic)

    def label(self, schema: Schema, index: int) -> bytes:  # noqa: ARG002 - other converters write names
        """Return nothing: names are not written."""
        return b""

    def close(self, schema: Schema) -> bytes:  # noqa: ARG002 - other converters mark the end
        """Return nothing: the end is not marked."""
        return b""

    def part(self, schema: Schema, start: int, stop: int) -> Encode:
        """Return a function that writes some fields."""
        return self._encoder.part(schema, start, stop)

    def row(self, schema: Schema) -> Encode:
        """Return a function that writes a whole struct from a row."""
        return self._encoder.row(schema)

    def _compile(self, schema: Schema, topic: str) -> CompiledSchema:
        """Compile a schema, in place of the one that was compiled first when there are many."""
        start, _ = self.frame(schema, topic)
        ready = CompiledSchema(schema, start, self._encoder.value(schema))
        if len(self._ready) >= self._kept:
            del self._ready[next(iter(self._ready))]
        self._ready[id(schema), topic] = ready
        return ready
