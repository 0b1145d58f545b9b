"""The converters by their Java class names: where each is, and what it can do.

The modules are imported when a converter is first used: a worker that writes JSON never imports
Avro.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Final, Literal

Project = Literal["connect", "debezium", "confluent", "apicurio"]


@dataclass(frozen=True, slots=True)
class ConverterClass:
    """A converter: its module and class here, and whose Java class it replaces.

    ``delegate`` says whether Debezium's binary converters may hand values to it, ``avro`` whether
    connectors adjust the names of their schemas for it.
    """

    module: str
    name: str
    project: Project
    headers: bool = True
    delegate: bool = False
    avro: bool = False

    @property
    def place(self) -> str:
        """The class as ``module:attribute``."""
        return f"connector.converters.{self.module}:{self.name}"

    def load(self) -> Any:
        """Import the module and return the class."""
        return getattr(importlib.import_module(f"connector.converters.{self.module}"), self.name)


_CONNECT: Final = "org.apache.kafka.connect."
_NUMBERS: Final = ("Boolean", "Double", "Float", "Integer", "Long", "Short")


def _connect(module: str, name: str) -> ConverterClass:
    return ConverterClass(module, name, "connect", delegate=True)


CONVERTERS: Final = {
    f"{_CONNECT}json.JsonConverter": _connect("json", "JsonConverter"),
    f"{_CONNECT}storage.StringConverter": _connect("string", "StringConverter"),
    f"{_CONNECT}converters.ByteArrayConverter": _connect("binary", "ByteArrayConverter"),
    **{
        f"{_CONNECT}converters.{name}Converter": _connect("numbers", f"{name}Converter")
        for name in _NUMBERS
    },
    "io.apicurio.registry.utils.converter.AvroConverter": ConverterClass(
        "avro.apicurio", "ApicurioAvroConverter", "apicurio", headers=False, avro=True
    ),
    "io.apicurio.registry.utils.converter.ExtJsonConverter": ConverterClass(
        "apicurio_json", "ExtJsonConverter", "apicurio", headers=False
    ),
    "io.confluent.connect.avro.AvroConverter": ConverterClass(
        "avro.confluent", "AvroConverter", "confluent", headers=False, avro=True
    ),
    "io.confluent.connect.json.JsonSchemaConverter": ConverterClass(
        "json_schema.confluent", "JsonSchemaConverter", "confluent", headers=False
    ),
    "io.confluent.connect.protobuf.ProtobufConverter": ConverterClass(
        "protobuf.confluent", "ProtobufConverter", "confluent", headers=False
    ),
    "io.debezium.converters.BinaryDataConverter": ConverterClass(
        "binary", "BinaryDataConverter", "debezium"
    ),
    "io.debezium.converters.CloudEventsConverter": ConverterClass(
        "cloud_events", "CloudEventsConverter", "debezium", headers=False
    ),
    # the name of BinaryDataConverter before Debezium 2.0
    "io.debezium.converters.ByteBufferConverter": ConverterClass(
        "binary", "BinaryDataConverter", "debezium"
    ),
    "io.debezium.converters.ByteArrayConverter": ConverterClass(
        "binary", "DebeziumByteArrayConverter", "debezium"
    ),
}
AVRO_CONVERTERS: Final = frozenset(name for name, found in CONVERTERS.items() if found.avro)
