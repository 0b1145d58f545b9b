"""JSON whose schemas are in a registry: what its converters have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from connector.converters.json import JsonConverter
from connector.converters.registry_frames import RegistryFrames
from connector.data.fragments import Encode
from connector.data.schema import Schema
from connector.errors import ConversionError


class JsonFrames(RegistryFrames):
    """Writes values as JSON between what a registry needs; ``end`` stands behind them."""

    end: ClassVar[bytes] = b""

    def __init__(self, json: JsonConverter, kept: int) -> None:
        super().__init__(max(1, kept))
        self._json = json

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a key or value, None for a null without schema.

        :raises RegistryUnavailableError: the registry does not answer.
        """
        if schema is None:
            if value is None:
                return None
            raise ConversionError(
                "A value without schema cannot be written with a schema registry.",
                "Use JsonConverter, or leave out the transform that removes the schema.",
            )
        written = self._json.from_connect(topic, schema, value)
        assert written is not None
        return self.ready_start(schema, topic) + written + self.end

    def frame(self, schema: Schema, topic: str) -> tuple[bytes, bytes]:
        """Return what stands before and behind a value; asks the registry once for a schema."""
        start, _ = super().frame(schema, topic)
        return start, self.end

    def label(self, schema: Schema, index: int) -> bytes:
        """Return the name of a field with what separates it."""
        return self._json.label(schema, index)

    def close(self, schema: Schema) -> bytes:
        """Return the end of an object."""
        return self._json.close(schema)

    def null(self, schema: Schema) -> bytes:
        """Return null, or the default that replaces it."""
        return self._json.null(schema)

    def present(self, schema: Schema) -> bytes:
        """Return nothing: JSON does not mark presence."""
        return self._json.present(schema)

    def native_write(self, schema: Schema) -> str | None:
        """Return how the native core writes a value; None for one that it does not know."""
        return self._json.native_write(schema)

    def nested(self, schema: Schema, index: int) -> None:
        """Return nothing: JSON's structs are written as they are."""

    def part(self, schema: Schema, start: int, stop: int) -> Encode:
        """Return a function that writes the members of some fields, separators included."""
        return self._json.part(schema, start, stop)

    def row(self, schema: Schema) -> Encode:
        """Return a function that writes a whole object from a row."""
        return self._json.row(schema)
