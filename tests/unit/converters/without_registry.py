"""Converters of schema registries that need none: all schemas have the same id."""

from __future__ import annotations

from connector.converters.avro.encoder import Encoder
from connector.converters.avro.fragments import AvroFragments
from connector.converters.avro.schemas import AvroDialect
from connector.converters.json_frames import JsonFrames
from connector.converters.json_schema.payload import JsonPayload
from connector.data.schema import Schema

_ID = b"\0\0\0\0\7"


class PlainAvro(AvroFragments):
    """Avro behind an id."""

    def __init__(self, *, defaults: bool = True) -> None:
        super().__init__(Encoder(AvroDialect(), defaults=defaults), 10)

    def start_of(self, schema: Schema, topic: str) -> bytes:  # noqa: ARG002 - one id for all
        return _ID


class PlainJsonSchema(JsonFrames):
    """JSON behind an id."""

    def __init__(self, *, numeric: bool, defaults: bool) -> None:
        super().__init__(JsonPayload(numeric_decimals=numeric, defaults=defaults, kept=10), 10)

    def start_of(self, schema: Schema, topic: str) -> bytes:  # noqa: ARG002 - as above
        return _ID


class AvroWithIds(PlainAvro):
    """Avro with the ids of schemas in headers."""

    writes_headers = True

    def schema_headers(self, topic: str, schema: Schema) -> list[tuple[str, bytes | None]]:
        return [("id", f"{topic} {schema.name}".encode())]
