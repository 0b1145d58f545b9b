"""Confluent's JsonSchemaConverter: a zero byte, the id of the schema and the value in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.converters.confluent_keys import PASSED_ON, options_of
from connector.converters.confluent_registry import ConfluentRegistry
from connector.converters.json_frames import JsonFrames
from connector.converters.json_schema.config import CONFIG
from connector.converters.json_schema.payload import JsonPayload
from connector.converters.json_schema.registered import same_shape
from connector.converters.json_schema.schemas import JsonSchemaWriter
from connector.converters.subjects import subject_of
from connector.data.schema import Schema


class JsonSchemaConverter(JsonFrames):
    """Writes values as JSON with the schemas of a registry. Schemas are compiled once."""

    config_def = CONFIG
    passed_on = PASSED_ON

    def __init__(self, config: Mapping[str, str]) -> None:
        options = options_of(CONFIG, config)
        is_key = config.get("converter.type") == "key"
        numeric = options["decimal.format"].upper() == "NUMERIC"
        kept = options["schemas.cache.config"]
        payload = JsonPayload(
            numeric_decimals=numeric,
            defaults=not options["ignore.default.for.nullables"],
            kept=kept,
        )
        super().__init__(payload, kept)
        self._writer = JsonSchemaWriter(
            payload.default, numeric, options["object.additional.properties"]
        )
        strategy = options[f"{'key' if is_key else 'value'}.subject.name.strategy"]
        self._subject = subject_of(strategy, _title, is_key=is_key)
        self._registry = ConfluentRegistry(options, same_shape, kind="JSON")

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of a key or value, None for a null that the schema does not allow.

        :raises RegistryUnavailableError: the registry does not answer.
        """
        if value is None and schema is not None and schema.default is None and not schema.optional:
            return None
        return super().from_connect(topic, schema, value)

    def start_of(self, schema: Schema, topic: str) -> bytes:
        """Return the zero byte and the id of the schema, which is registered if so configured."""
        text = self._writer.text(schema)
        return self._registry.start(self._subject(topic, schema), text)


def _title(schema: Schema) -> str | None:
    """Return the title of the whole schema; one that allows null has none."""
    return None if schema.optional else schema.name
