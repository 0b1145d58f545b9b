"""Avro schemas in Apicurio Registry.

With ``dereference-schema=false`` each record inside a schema is registered as an artifact of its
own: the schema then has the names of these records, and references to their artifacts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from connector.converters.apicurio_registry import PREFIX, ApicurioRegistry, Artifact
from connector.converters.avro.apicurio_config import STRATEGIES
from connector.converters.avro.registered import same_fields
from connector.converters.avro.schemas import (
    AvroDialect,
    AvroSchemaWriter,
    record_name,
)
from connector.converters.registry import RegistryClient
from connector.converters.subjects import required_name
from connector.data.schema import Schema


class AvroArtifacts(ApicurioRegistry):
    """The artifacts of Avro schemas."""

    kind = "AVRO"

    def __init__(
        self,
        client: RegistryClient,
        options: Mapping[str, Any],
        dialect: AvroDialect,
        *,
        is_key: bool,
    ) -> None:
        strategy = STRATEGIES[options[f"{PREFIX}artifact-resolver-strategy"]]
        super().__init__(client, options, strategy, is_key=is_key)
        self._dialect = dialect

    def content(self, schema: Schema) -> Any:
        """Return the Avro schema."""
        return AvroSchemaWriter(self._dialect).write(schema, None)

    def same(self, registered: Any, content: Any) -> bool:
        """Whether two schemas have the same fields, types and names."""
        return same_fields(registered, content)

    def register(self, group: str | None, identifier: str, content: Any) -> Artifact:
        """Register a schema: as a whole, or after the records inside."""
        if self._options[f"{PREFIX}dereference-schema"]:
            return super().register(group, identifier, content)
        references = []
        for name, inner in _records_inside(content, None):
            own = self._options[f"{PREFIX}artifact.group-id"] or group
            references.append((name, self.register(own, name, inner)))
        return self.create(group, identifier, _without_records(content, None), references)

    def names_by_strategy(self, schema: Schema, topic: str) -> tuple[str | None, str]:
        """Return group and id of the artifact of a schema."""
        if self._strategy in ("topic", "simple topic"):
            return super().names_by_strategy(schema, topic)
        full = required_name(record_name(schema, self._dialect), self._part)
        if self._strategy == "qualified record":
            return None, full
        group, _, name = full.rpartition(".")
        return group or None, name if self._strategy == "record" else f"{topic}-{name}"


def _records_inside(avro: Any, space: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the full names and schemas of the records inside a record, not those inside them."""
    if isinstance(avro, dict) and avro["type"] == "record":
        own = avro.get("namespace", space)
        for field in avro["fields"]:
            yield from _outermost(field["type"], own)
    else:
        yield from _outermost(avro, space)


def _outermost(avro: Any, space: str | None) -> Iterator[tuple[str, Any]]:
    if isinstance(avro, list):
        for branch in avro:
            yield from _outermost(branch, space)
    elif isinstance(avro, dict):
        if avro["type"] == "record":
            own = avro.get("namespace", space)
            yield (f"{own}.{avro['name']}" if own else avro["name"]), _add_namespace(avro, space)
        elif avro["type"] in ("array", "map"):
            yield from _outermost(avro.get("items", avro.get("values")), space)


def _add_namespace(avro: dict[str, Any], space: str | None) -> dict[str, Any]:
    """Return a record's schema that stands alone: with its namespace."""
    if "namespace" in avro or not space:
        return avro
    head = {"type": "record", "name": avro["name"], "namespace": space}
    return head | avro


def _without_records(avro: Any, space: str | None) -> Any:
    """Return a schema with names in place of the records inside."""
    if isinstance(avro, dict) and avro["type"] == "record":
        own = avro.get("namespace", space)
        fields = [
            {key: _use_names(part, own) if key == "type" else part for key, part in field.items()}
            for field in avro["fields"]
        ]
        return {key: fields if key == "fields" else part for key, part in avro.items()}
    return _use_names(avro, space)


def _use_names(avro: Any, space: str | None) -> Any:
    if isinstance(avro, list):
        return [_use_names(branch, space) for branch in avro]
    if not isinstance(avro, dict):
        return avro
    if avro["type"] == "record":
        own = avro.get("namespace", space)
        return avro["name"] if own == space or not own else f"{own}.{avro['name']}"
    inner = "items" if avro["type"] == "array" else "values"
    if inner in avro:
        return {
            key: _use_names(part, space) if key == inner else part for key, part in avro.items()
        }
    return avro
