"""Apicurio Registry's ExtJsonConverter: JSON with the id of its Connect schema.

A message is ``{"schemaId":…,"payload":…}``; the registry keeps the schema in the form that Kafka
Connect's JsonConverter writes into each message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from connector.config import ConfigDef, ConfigKey
from connector.converters.apicurio_keys import (
    PASSED_ON,
    REGISTRY_KEYS,
    accept_keys_of,
    connection,
    options_of,
)
from connector.converters.apicurio_registry import PREFIX, ApicurioRegistry
from connector.converters.json import JsonConverter
from connector.converters.json_frames import JsonFrames
from connector.converters.registry import RegistryClient
from connector.data.schema import Schema

_STRATEGY: Final = "io.apicurio.registry.serde.strategy."
_STRATEGIES: Final = {
    f"{_STRATEGY}TopicIdStrategy": "topic",
    f"{_STRATEGY}SimpleTopicIdStrategy": "simple topic",
}


class _ConnectSchemas(ApicurioRegistry):
    """The artifacts of Connect schemas."""

    kind = "KCONNECT"

    def __init__(
        self,
        client: RegistryClient,
        options: Mapping[str, Any],
        json: JsonConverter,
        *,
        is_key: bool,
    ) -> None:
        strategy = _STRATEGIES[options[f"{PREFIX}artifact-resolver-strategy"]]
        super().__init__(client, options, strategy, is_key=is_key)
        self._json = json

    def content(self, schema: Schema) -> Any:
        """Return the schema as JsonConverter writes it."""
        return self._json.description(schema)

    def same(self, registered: Any, content: Any) -> bool:
        """Whether two schemas are equal."""
        return bool(registered == orjson.loads(orjson.dumps(content)))


class ExtJsonConverter(JsonFrames):
    """Writes values as JSON with the ids of their schemas. Schemas are compiled once."""

    end = b"}"
    passed_on = PASSED_ON
    config_def = ConfigDef(
        [
            *REGISTRY_KEYS,
            ConfigKey(
                f"{PREFIX}artifact-resolver-strategy", "CLASS", next(iter(_STRATEGIES)), "MEDIUM",
                "How artifacts are named.", validator=accept_keys_of(_STRATEGIES),
            ),
            *(key for key in JsonConverter.config_def if key.name != "schemas.enable"),
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = options_of(self.config_def, config)
        json = JsonConverter({**config, "schemas.enable": "false"})
        super().__init__(json, options["schemas.cache.size"])
        client = RegistryClient(connection(options))
        is_key = config.get("converter.type") == "key"
        self._registry = _ConnectSchemas(client, options, json, is_key=is_key)

    def start_of(self, schema: Schema, topic: str) -> bytes:
        """Return the id of the schema, which is registered if so configured."""
        identifier = self._registry.artifact(schema, topic).global_id
        return b'{"schemaId":%d,"payload":' % identifier
