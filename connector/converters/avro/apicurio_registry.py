"""Finds and registers schemas through Apicurio Registry's own API.

With ``dereference-schema=false`` each record inside a schema is registered as an artifact of its
own: the schema then has the names of these records, and references to their artifacts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import orjson

from connector.converters.avro.apicurio_config import STRATEGIES
from connector.converters.avro.schemas import AvroSchemaWriter, Dialect, same_fields
from connector.converters.avro.subjects import record_name
from connector.converters.registry import RegistryClient, RegistryRefusedError
from connector.data.schema import Schema
from connector.errors import ConversionError

_JSON: Final = {"Content-Type": "application/json"}
_EXTENDED: Final = {"Content-Type": "application/create.extended+json"}
_PREFIX: Final = "apicurio.registry."


@dataclass(frozen=True, slots=True)
class Artifact:
    """A version of an artifact in the registry."""

    group: str | None
    identifier: str
    version: str
    global_id: int
    content_id: int


class ApicurioRegistry:
    """The artifacts of schemas, by the settings of a converter."""

    def __init__(
        self, client: RegistryClient, options: Mapping[str, Any], dialect: Dialect, *, is_key: bool
    ) -> None:
        self._client = client
        self._options = options
        self._dialect = dialect
        self._is_key = is_key
        self._strategy = STRATEGIES[options[f"{_PREFIX}artifact-resolver-strategy"]]

    def artifact(self, schema: Schema, topic: str) -> Artifact:
        """Return the artifact of a schema, which is registered if so configured.

        :raises ConversionError: it is not registered, or has other fields.
        """
        group, identifier = self._coordinates(schema, topic)
        writer = AvroSchemaWriter(self._dialect)
        avro = writer.write(schema, None)
        try:
            if self._options[f"{_PREFIX}auto-register"]:
                if self._options[f"{_PREFIX}dereference-schema"]:
                    return self._create(group, identifier, avro, ())
                return self._create_with_references(group, identifier, avro)
            version = self._options[f"{_PREFIX}artifact.version"]
            if self._options[f"{_PREFIX}find-latest"] or version:
                return self._find(group, identifier, version, avro)
            return self._search(group, identifier, avro)
        except RegistryRefusedError as error:
            raise ConversionError(
                f"The registry refuses the schema of artifact {identifier}: {error}.",
                "Register the schema, set apicurio.registry.auto-register=true, or change the "
                "rules of the artifact; then restart the task.",
            ) from None

    def _coordinates(self, schema: Schema, topic: str) -> tuple[str | None, str]:
        group, identifier = self._names_by_strategy(schema, topic)
        return (
            self._options[f"{_PREFIX}artifact.group-id"] or group,
            self._options[f"{_PREFIX}artifact.artifact-id"] or identifier,
        )

    def _names_by_strategy(self, schema: Schema, topic: str) -> tuple[str | None, str]:
        if self._strategy == "topic":
            return None, f"{topic}-{'key' if self._is_key else 'value'}"
        if self._strategy == "simple topic":
            return None, topic
        full = record_name(schema, self._dialect, is_key=self._is_key)
        if self._strategy == "qualified record":
            return None, full
        group, _, name = full.rpartition(".")
        return group or None, name if self._strategy == "record" else f"{topic}-{name}"

    def _create_with_references(self, group: str | None, identifier: str, avro: Any) -> Artifact:
        """Register the records inside first."""
        references = []
        for name, inner in _records_inside(avro, None):
            found = self._create_with_references(self._reference_group(group), name, inner)
            references.append((name, found))
        return self._create(group, identifier, _without_records(avro, None), references)

    def _reference_group(self, group: str | None) -> str | None:
        return self._options[f"{_PREFIX}artifact.group-id"] or group

    def _create(self, group: str | None, identifier: str, avro: Any, references: Any) -> Artifact:
        content = orjson.dumps(avro)
        headers = {
            "X-Registry-ArtifactId": identifier,
            "X-Registry-ArtifactType": "AVRO",
            **(_EXTENDED if references else _JSON),
        }
        version = self._options[f"{_PREFIX}artifact.version"]
        if version:
            headers["X-Registry-Version"] = version
        if references:
            content = orjson.dumps(
                {
                    "content": content.decode(),
                    "references": [_reference(name, found) for name, found in references],
                }
            )
        exists = self._options[f"{_PREFIX}auto-register.if-exists"]
        path = f"{_group_path(group)}/artifacts?ifExists={exists}&canonical=false"
        answer = self._client.request("POST", path, content=content, headers=headers)
        return _artifact(answer)

    def _search(self, group: str | None, identifier: str, avro: Any) -> Artifact:
        """Find the version that has this schema."""
        path = f"{_group_path(group)}/artifacts/{quote(identifier, safe='')}/meta?canonical=true"
        answer = self._client.request("POST", path, content=orjson.dumps(avro), headers=_JSON)
        return _artifact(answer)

    def _find(self, group: str | None, identifier: str, version: str | None, avro: Any) -> Artifact:
        """Find the latest version, or the one that is configured."""
        path = f"{_group_path(group)}/artifacts/{quote(identifier, safe='')}"
        if version:
            path += f"/versions/{quote(version, safe='')}"
        found = _artifact(self._client.request("GET", f"{path}/meta"))
        registered = self._client.request(
            "GET", f"/ids/globalIds/{found.global_id}?dereference=true"
        )
        if not same_fields(registered, avro):
            raise ConversionError(
                f"Version {found.version} of artifact {identifier} does not have the fields of the "
                "table.",
                "Register a schema with the present columns, or set "
                "apicurio.registry.auto-register=true.",
            )
        return found


def _group_path(group: str | None) -> str:
    return f"/groups/{quote(group or 'default', safe='')}"


def _artifact(answer: Mapping[str, Any]) -> Artifact:
    return Artifact(
        answer.get("groupId"),
        str(answer.get("id", "")),
        str(answer.get("version", "")),
        int(answer["globalId"]),
        int(answer["contentId"]),
    )


def _reference(name: str, found: Artifact) -> dict[str, Any]:
    return {
        "groupId": found.group,
        "artifactId": found.identifier,
        "version": found.version,
        "name": name,
    }


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
            yield (f"{own}.{avro['name']}" if own else avro["name"]), _moved(avro, space)
        elif avro["type"] in ("array", "map"):
            yield from _outermost(avro.get("items", avro.get("values")), space)


def _moved(avro: dict[str, Any], space: str | None) -> dict[str, Any]:
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
