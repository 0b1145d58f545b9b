"""Parts of pipelines that tests share."""

from __future__ import annotations

from typing import Any

from connector.converters.json import JsonConverter
from connector.converters.protobuf.encoder import MessageEncoder
from connector.converters.protobuf.fragments import ProtobufFragments
from connector.converters.protobuf.schemas import ProtobufDialect
from connector.converters.string import StringConverter
from connector.data.schema import Schema
from connector.errors import RegistryUnavailableError
from tests.unit.converters.without_registry import AvroWithIds, PlainAvro


class _Protobuf(ProtobufFragments):
    """Protobuf without a registry: each schema has the same id."""

    def __init__(self) -> None:
        super().__init__(MessageEncoder(ProtobufDialect(optional=True)), 10)

    def start_of(self, schema: Schema, topic: str) -> bytes:  # noqa: ARG002 - one id for all
        return b"\0\0\0\0\7\0"


def _converter(name: str) -> Any:
    if name == "avro with ids":
        return AvroWithIds()
    if name in ("avro", "protobuf"):
        return PlainAvro() if name == "avro" else _Protobuf()
    if name == "string":
        return StringConverter()
    return JsonConverter({"schemas.enable": str(name == "json with schemas")})


def _plain(messages: Any) -> list[tuple[Any, ...]]:
    return [
        (m.topic, m.partition, m.key, m.value, list(m.headers or ()), m.timestamp) for m in messages
    ]


SOURCE_VALUES = ("3", "acme", "srv", 5, None, "shop", None, 5000, 5000000, "orders", 0, None)


class _Away(PlainAvro):
    """A registry that does not answer the first requests."""

    def __init__(self, refusals: int) -> None:
        super().__init__()
        self.refusals = refusals

    def start_of(self, schema: Schema, topic: str) -> bytes:
        self.refusals -= 1
        if self.refusals >= 0:
            raise RegistryUnavailableError("away")
        return super().start_of(schema, topic)
