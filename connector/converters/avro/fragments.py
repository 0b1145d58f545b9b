"""What the Avro converters of all registries have in common: nulls, and parts of rows."""

from __future__ import annotations

from typing import Any, Final

from connector.converters.avro.encoder import Encoder, present
from connector.converters.binary_fragments import BinaryFragments
from connector.data.fragments import Encode
from connector.data.schema import Schema
from connector.data.semantic import is_geometry
from connector.errors import ConversionError
from connector.names import CONNECT_DECIMAL
from connector.native import part_writer

_PLAIN: Final = frozenset(("boolean", "int8", "int16", "int32", "int64", "string"))
_NATIVE: Final = _PLAIN | {"float32", "float64", "bytes"}


class AvroFragments(BinaryFragments[Encoder]):
    """Writes values in Avro behind the start that a registry needs."""

    format_name = "Avro"

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
        ready = self.compiled(schema, topic)
        if not ready.schema.optional:
            whole = self.encode_whole(ready.schema, value)
            if whole is not None:
                return ready.start + whole
        return ready.start + ready.encode(value)

    def part(self, schema: Schema, start: int, stop: int) -> Encode:
        """Return a function that writes some fields: the native core's for plain values."""
        python = super().part(schema, start, stop)
        schemas = [field.schema for field in schema.fields[start:stop]]
        if any(field.type not in _PLAIN or field.name == CONNECT_DECIMAL for field in schemas):
            return python
        fields = [(present(field), f"avro {field.type}", self._null(field)) for field in schemas]
        return part_writer(start, fields, python)

    def _null(self, schema: Schema) -> bytes | None:
        """Return what stands for null; None where it is an error."""
        try:
            return self.null(schema)
        except ConversionError:
            return None

    def null(self, schema: Schema) -> bytes:
        """Return the branch of null, or the default that replaces it."""
        return self._encoder.null(schema)

    def present(self, schema: Schema) -> bytes:
        """Return the branch of a value that is not null."""
        return present(schema)

    def native_write(self, schema: Schema) -> str | None:
        """Return how the native core writes a value; None for one that it does not know."""
        if schema.name == CONNECT_DECIMAL:
            return "avro unscaled"
        if schema.type == "struct":
            return "avro geometry" if is_geometry(schema) else None
        return f"avro {schema.type}" if schema.type in _NATIVE else None

    def nested(self, schema: Schema, index: int) -> None:
        """Return nothing: Avro's structs are written as they are."""
