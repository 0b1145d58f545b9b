"""Converters that pass bytes on: Kafka Connect's and Debezium's.

Debezium's are made for outbox payloads that the application has serialized. They give what is not
binary to another converter, ``delegate.converter.type``.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Protocol, cast

from connector.config import ConfigDef, ConfigKey, invalid
from connector.data.java_types import java_class
from connector.data.schema import Schema
from connector.errors import ConfigError, ConversionError


class _Delegate(Protocol):
    def from_connect(self, topic: str, schema: Schema | None, value: Any, /) -> bytes | None: ...


_DELEGATE: Final = "delegate.converter.type"
_BYTE_BUFFER: Final = "java.nio.HeapByteBuffer"
_BYTE_ARRAY: Final = "[B"
_HERE: Final = "connector.converters."
_NUMBERS: Final = ("Boolean", "Double", "Float", "Integer", "Long", "Short")
_DELEGATES: Final = {
    "org.apache.kafka.connect.json.JsonConverter": ("json", "JsonConverter"),
    "org.apache.kafka.connect.storage.StringConverter": ("string", "StringConverter"),
    "org.apache.kafka.connect.converters.ByteArrayConverter": ("binary", "ByteArrayConverter"),
    **{
        f"org.apache.kafka.connect.converters.{name}Converter": ("numbers", f"{name}Converter")
        for name in _NUMBERS
    },
}


class ByteArrayConverter:
    """Kafka Connect's: writes bytes as they are and refuses everything else."""

    config_def = ConfigDef()

    def __init__(self, config: Mapping[str, str] | None = None) -> None:
        self.config_def.parse(config or {})

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:  # noqa: ARG002 - other converters need the topic
        """Return the bytes of a key or value, None for null."""
        if schema is not None and schema.type != "bytes":
            raise ConversionError(
                f"Invalid schema type for ByteArrayConverter: {schema.type.upper()}"
            )
        if value is not None and java_class(schema, value) not in (_BYTE_ARRAY, _BYTE_BUFFER):
            raise ConversionError(
                "ByteArrayConverter is not compatible with objects of type class "
                + java_class(schema, value)
            )
        return cast("bytes | None", value)

    def from_header(self, name: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a header's value, None for null."""
        return self.from_connect(name, schema, value)


class BinaryDataConverter:
    """Debezium's: writes binary columns as they are."""

    config_def = ConfigDef(
        [
            ConfigKey(
                _DELEGATE,
                "STRING",
                None,
                "LOW",
                "The class of the converter for what is not binary; settings below this key are "
                "its own.",
            )
        ]
    )
    binary_classes: ClassVar[tuple[str, ...]] = (_BYTE_ARRAY, _BYTE_BUFFER)

    def __init__(self, config: Mapping[str, str] | None = None) -> None:
        settings = dict(config or {})
        name: str | None = self.config_def.parse(settings)[_DELEGATE]
        # Debezium configures no delegate where the converter writes headers.
        use = name is not None and settings.get("converter.type") != "header"
        self._delegate = _delegate(name, settings) if name is not None and use else None

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a key or value, None for null."""
        binary = schema is None or schema.type == "bytes"
        if binary and (value is None or java_class(schema, value) in self.binary_classes):
            return cast("bytes | None", value)
        if self._delegate is None:
            raise ConversionError(
                f"A {topic} of type '{java_class(schema, value)}' requires a {_DELEGATE} to be "
                "configured"
            )
        return self._delegate.from_connect(topic, schema, value)

    def from_header(self, name: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a header's value, None for null."""
        return self.from_connect(name, schema, value)


class DebeziumByteArrayConverter(BinaryDataConverter):
    """Debezium's converter of byte arrays: binary columns are buffers, which it delegates."""

    binary_classes = (_BYTE_ARRAY,)


def _delegate(name: str, settings: Mapping[str, str]) -> _Delegate:
    if name not in _DELEGATES:
        choices = ", ".join(_DELEGATES)
        raise ConfigError(str(invalid(_DELEGATE, name, f"not supported: it can be {choices}")))
    module, attribute = _DELEGATES[name]
    below = {
        key.removeprefix(f"{_DELEGATE}."): text
        for key, text in settings.items()
        if key.startswith(f"{_DELEGATE}.")
    }
    built = getattr(importlib.import_module(_HERE + module), attribute)(below)
    return cast("_Delegate", built)
