"""Kafka Connect's converters of single numbers: the bytes of Kafka's serializers, big-endian."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Any, ClassVar, Final

from connector.config import ConfigDef
from connector.converters.header_values import HeaderValues
from connector.data.java_types import java_class
from connector.data.schema import Schema
from connector.errors import ConversionError


class _NumberConverter(HeaderValues):
    """Writes values of one Java class, whatever their schema says of them otherwise."""

    config_def = ConfigDef()
    java_name: ClassVar[str]
    type_name: ClassVar[str]
    layout: ClassVar[Struct]

    def __init__(self, config: Mapping[str, str] | None = None) -> None:
        self.config_def.parse(config or {})

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:  # noqa: ARG002 - other converters need the topic
        """Return the bytes of a key or value, None for null."""
        if value is None:
            return None
        found = java_class(schema, value)
        if found != self.java_name:
            raise ConversionError(f"Failed to serialize to {self.type_name} (was class {found})")
        return self.layout.pack(value)


class ShortConverter(_NumberConverter):
    """Writes 16-bit integers."""

    java_name, type_name, layout = "java.lang.Short", "short", Struct(">h")


class IntegerConverter(_NumberConverter):
    """Writes 32-bit integers."""

    java_name, type_name, layout = "java.lang.Integer", "integer", Struct(">i")


class LongConverter(_NumberConverter):
    """Writes 64-bit integers."""

    java_name, type_name, layout = "java.lang.Long", "long", Struct(">q")


class FloatConverter(_NumberConverter):
    """Writes 32-bit floating point numbers."""

    java_name, type_name, layout = "java.lang.Float", "float", Struct(">f")


class DoubleConverter(_NumberConverter):
    """Writes 64-bit floating point numbers."""

    java_name, type_name, layout = "java.lang.Double", "double", Struct(">d")


_BOOLEANS: Final = {False: b"\x00", True: b"\x01"}


class BooleanConverter(HeaderValues):
    """Writes booleans as one byte."""

    config_def = ConfigDef()

    def __init__(self, config: Mapping[str, str] | None = None) -> None:
        self.config_def.parse(config or {})

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:  # noqa: ARG002 - other converters need the topic
        """Return the byte of a key or value, None for null."""
        if schema is not None and schema.type != "boolean":
            raise ConversionError(
                f"Invalid schema type for BooleanConverter: {schema.type.upper()}"
            )
        if value is None:
            return None
        if not isinstance(value, bool):
            found = java_class(schema, value)
            raise ConversionError(
                f"BooleanConverter is not compatible with objects of type class {found}"
            )
        return _BOOLEANS[value]

    def from_header(self, name: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the byte of a header's value, None for null."""
        return self.from_connect(name, schema, value)
