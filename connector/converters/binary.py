"""Converters that pass bytes on: Kafka Connect's and Debezium's.

Debezium's are made for outbox payloads that the application has serialized. They give what is not
binary to another converter, ``delegate.converter.type``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Protocol, cast

from connector.config import ConfigDef, ConfigKey, invalid, settings_below
from connector.converters.header_values import HeaderValues
from connector.converters.table import CONVERTERS
from connector.data.java_types import java_class
from connector.data.schema import Schema
from connector.errors import ConfigError, ConversionError


class _Delegate(Protocol):
    def from_connect(self, topic: str, schema: Schema | None, value: Any, /) -> bytes | None: ...


_DELEGATE: Final = "delegate.converter.type"
_BYTE_BUFFER: Final = "java.nio.HeapByteBuffer"
_BYTE_ARRAY: Final = "[B"


class ByteArrayConverter(HeaderValues):
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


class BinaryDataConverter(HeaderValues):
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
    passed_on: ClassVar[tuple[str, ...]] = (f"{_DELEGATE}.",)
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


class DebeziumByteArrayConverter(BinaryDataConverter):
    """Debezium's converter of byte arrays: binary columns are buffers, which it delegates."""

    binary_classes = (_BYTE_ARRAY,)


def _delegate(name: str, settings: Mapping[str, str]) -> _Delegate:
    found = CONVERTERS.get(name)
    if found is None or not found.delegate:
        choices = ", ".join(name for name, entry in CONVERTERS.items() if entry.delegate)
        raise ConfigError(str(invalid(_DELEGATE, name, f"not supported: it can be {choices}")))
    return cast("_Delegate", found.load()(settings_below(settings, f"{_DELEGATE}.")))
