"""The JSON of a value behind the id of its schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from connector.converters.json import JsonConverter
from connector.data.schema import Schema


class JsonPayload(JsonConverter):
    """Writes values as Confluent's converter: a map without texts as keys is a list of objects."""

    def __init__(self, *, numeric_decimals: bool, defaults: bool, kept: int) -> None:
        super().__init__(
            {
                "schemas.enable": "false",
                "decimal.format": "NUMERIC" if numeric_decimals else "BASE64",
                "replace.null.with.default": str(defaults),
                "schemas.cache.size": str(kept),
            }
        )

    def default(self, schema: Schema, value: Any) -> Any:
        """Prepare the default of a schema for orjson."""
        return self._conversion(schema)(value)

    def _map(self, schema: Schema) -> Callable[[Any], Any]:
        assert schema.keys is not None
        assert schema.items is not None
        if schema.keys.type == "string" and not schema.keys.optional:
            return super()._map(schema)
        keys, items = self.native(schema.keys), self.native(schema.items)
        return lambda pairs: [
            {"key": keys(key), "value": items(value)} for key, value in pairs.items()
        ]
