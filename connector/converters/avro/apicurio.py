"""Apicurio Registry's AvroConverter: the id of the schema in headers, or before the value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from connector.converters.apicurio_keys import PASSED_ON, connection, options_of
from connector.converters.apicurio_registry import Artifact
from connector.converters.avro.apicurio_config import CONFIG
from connector.converters.avro.apicurio_registry import AvroArtifacts
from connector.converters.avro.encoder import Encoder
from connector.converters.avro.fragments import AvroFragments
from connector.converters.avro.schemas import AvroDialect
from connector.converters.registry import RegistryClient
from connector.data.schema import Schema
from connector.errors import ConversionError

_ID_BYTES: Final = 8
_CONFLUENT_ID_BYTES: Final = 4


class ApicurioAvroConverter(AvroFragments):
    """Writes values with the schemas of Apicurio Registry. Schemas are compiled once.

    With ``writes_headers`` the messages carry the ids, and nothing stands before values.
    """

    config_def = CONFIG
    passed_on = PASSED_ON

    def __init__(self, config: Mapping[str, str]) -> None:
        options = options_of(CONFIG, config)
        is_key = config.get("converter.type") == "key"
        dialect = AvroDialect(metadata=options["connect.meta.data"])
        super().__init__(Encoder(dialect), options["schemas.cache.config"])
        self.writes_headers: bool = options["apicurio.registry.headers.enabled"]
        part = "key" if is_key else "value"
        self._use_id: str = options["apicurio.registry.use-id"]
        self._size = _CONFLUENT_ID_BYTES if _is_short(options) else _ID_BYTES
        name = f"apicurio.registry.headers.{part}.{self._use_id}.name"
        self._id_header: str = options[name]
        self._encoding_header = f"apicurio.{part}.encoding"
        client = RegistryClient(connection(options))
        self._registry = AvroArtifacts(client, options, dialect, is_key=is_key)

    def start_of(self, schema: Schema, topic: str) -> bytes:
        """Return the id of the schema, behind a zero byte or alone for a header."""
        artifact = self._registry.artifact(schema, topic)
        identifier = self._id(artifact)
        if self.writes_headers:
            return identifier.to_bytes(_ID_BYTES, "big")
        if identifier >= 1 << 8 * self._size - 1:
            raise ConversionError(
                f"The id {identifier} of a schema does not fit into {self._size} bytes.",
                "Write ids of eight bytes: without as-confluent and Legacy4ByteIdHandler.",
            )
        return b"\x00" + identifier.to_bytes(self._size, "big")

    def frame(self, schema: Schema, topic: str) -> tuple[bytes, bytes]:
        """Return what stands before and behind a value; asks the registry once for a schema."""
        start, end = super().frame(schema, topic)
        return b"" if self.writes_headers else start, end

    def schema_headers(self, topic: str, schema: Schema) -> list[tuple[str, bytes | None]]:
        """Return the headers that go with a key or value that is not null."""
        if not self.writes_headers:
            return []
        identifier = self.ready_start(schema, topic)
        return [(self._id_header, identifier), (self._encoding_header, b"BINARY")]

    def _id(self, artifact: Artifact) -> int:
        return artifact.content_id if self._use_id == "contentId" else artifact.global_id


def _is_short(options: Mapping[str, Any]) -> bool:
    handler: str = options["apicurio.registry.id-handler"]
    return options["apicurio.registry.as-confluent"] or handler.endswith("Legacy4ByteIdHandler")
