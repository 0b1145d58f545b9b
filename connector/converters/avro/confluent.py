"""Confluent's AvroConverter: a zero byte, the id of the schema and the value in Avro."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from connector.converters.avro.confluent_config import CONFIG
from connector.converters.avro.encoder import Encoder
from connector.converters.avro.fragments import AvroFragments
from connector.converters.avro.registered import same_fields
from connector.converters.avro.schemas import (
    AvroDialect,
    AvroSchemaWriter,
    record_name,
)
from connector.converters.confluent_keys import PASSED_ON, options_of
from connector.converters.confluent_registry import ConfluentRegistry
from connector.converters.subjects import subject_of
from connector.data.decimals import unscaled_bytes
from connector.data.schema import Schema
from connector.names import CONNECT_DECIMAL


class AvroConverter(AvroFragments):
    """Writes values with the schemas of a registry. Schemas are compiled once."""

    config_def = CONFIG
    passed_on = PASSED_ON

    def __init__(self, config: Mapping[str, str]) -> None:
        options = options_of(CONFIG, config)
        is_key = config.get("converter.type") == "key"
        dialect = AvroDialect(
            metadata=options["connect.meta.data"],
            scrub=options["scrub.invalid.names"],
            optional_map_keys=options["allow.optional.map.keys"],
        )
        encoder = Encoder(dialect, defaults=not options["ignore.default.for.nullables"])
        super().__init__(encoder, options["schemas.cache.config"])
        strategy = options[f"{'key' if is_key else 'value'}.subject.name.strategy"]
        self._dialect = dialect
        self._subject = subject_of(
            strategy, lambda schema: record_name(schema, dialect), is_key=is_key
        )
        self._registry = ConfluentRegistry(options, _same, kind="AVRO")

    def start_of(self, schema: Schema, topic: str) -> bytes:
        """Return the zero byte and the id of the schema, which is registered if so configured."""
        text = AvroSchemaWriter(self._dialect).text(schema)
        return self._registry.start(self._subject(topic, schema), text)

    def encode_whole(self, schema: Schema, value: Any) -> bytes | None:
        """Return bytes, and those of a decimal, without length: Confluent's does so.

        They have one where the schema is optional, and thus a union.
        """
        if schema.name == CONNECT_DECIMAL and isinstance(value, int):
            return unscaled_bytes(value)
        return value if schema.type == "bytes" and isinstance(value, bytes) else None


def _same(registered: str, text: str, references: Mapping[str, str]) -> bool:
    others = [orjson.loads(other) for other in references.values()]
    return same_fields(orjson.loads(registered), orjson.loads(text), others)
