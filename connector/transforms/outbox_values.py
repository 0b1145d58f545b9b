"""The values of messages that Debezium's EventRouter makes."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from connector.data.schema import Field, Schema
from connector.data.schema_cache import SchemaCache
from connector.errors import TransformError
from connector.transforms.json_payload import JsonSchemas, fit, parse_json
from connector.transforms.outbox_keys import Placed
from connector.transforms.part import struct_like

log = logging.getLogger(__name__)

_MAX_SCHEMAS: Final = 10_000


class EnvelopeSchemas:
    """Schemas of values that hold the payload and columns beside it."""

    def __init__(self, placed: Sequence[Placed], *, ignores_missing: bool) -> None:
        self._placed = placed
        self._ignores_missing = ignores_missing
        self._by_payload = SchemaCache(self._of_content)
        self._by_content: dict[tuple[Any, ...], Schema] = {}
        self._by_version: dict[int | None, Schema] = {}

    def of(self, payload: Schema, row: Schema, routed: str | None) -> Schema:
        """Return the schema; as in Debezium the first event of a payload's schema names it."""
        return self._by_payload.of(payload, row, routed)

    def versioned(
        self, payload: Schema, row: Schema, routed: str | None, version: int | None
    ) -> Schema:
        """Return the schema of a version; the first event of that version decides on it."""
        if version not in self._by_version:
            built = self._build(payload, row, routed)
            self._by_version[version] = built.with_changes(version=version)
        return self._by_version[version]

    def _of_content(self, payload: Schema, row: Schema, routed: str | None) -> Schema:
        """Return the schema of the first event whose payload has an equal schema."""
        parts = payload.parts()
        if parts not in self._by_content:
            if len(self._by_content) >= _MAX_SCHEMAS:
                self._by_content.clear()
            self._by_content[parts] = self._build(payload, row, routed)
        return self._by_content[parts]

    def _build(self, payload: Schema, row: Schema, routed: str | None) -> Schema:
        fields = [Field("payload", payload)]
        for placed in self._placed:
            column = row.field(placed.column)
            if column is not None:
                fields.append(Field(placed.name, column.schema))
            elif not self._ignores_missing:
                raise TransformError(f"Unable to find field {placed.column} in event")
        return struct_like(Schema("struct", name=_name(row.name, routed)), fields)


def _name(row: str | None, routed: str | None) -> str:
    """Put the routed value before the last part of the name of the row's schema."""
    text = "null" if routed is None else routed
    if row is None:
        return text
    above, dot, last = row.rpartition(".")
    return f"{above}{dot}{text}.{last}"


class PayloadExpansion:
    """Turns payloads that are JSON texts into structs, if so configured."""

    def __init__(self, column: str, options: Mapping[str, Any]) -> None:
        self._column = column
        self._expands: bool = options["table.expand.json.payload"]
        nulls = options["table.json.payload.null.behavior"].strip().lower() == "optional_bytes"
        self._schemas = JsonSchemas(nulls=nulls)
        self._known: dict[tuple[Any, ...], Schema] = {}

    def expand(self, schema: Schema, payload: Any) -> tuple[Schema | None, Any]:
        """Return the schema and value of the payload."""
        if not self._expands or payload is None:
            return schema, payload
        if not isinstance(payload, str):
            log.warning("Expand JSON payload is turned on but a payload is not a string")
            return schema, payload
        try:
            value = parse_json(payload)
            derived = self._schemas.of(self._column, value)
        except ValueError as error:
            log.warning("JSON expansion failed: %s", error)
            return schema, payload
        if derived is None:
            return None, payload
        if derived.type != "struct":
            raise TransformError(
                "A payload that is a JSON array cannot be expanded; store an object, or set "
                "table.expand.json.payload=false."
            )
        known = self._same(derived)
        return known, fit(known, value)

    def _same(self, schema: Schema) -> Schema:
        """Return the first schema of this content, so that converters know it."""
        parts = schema.parts()
        if len(self._known) >= _MAX_SCHEMAS:
            self._known.clear()
        return self._known.setdefault(parts, schema)
