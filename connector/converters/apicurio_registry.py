"""Finds and registers schemas through Apicurio Registry's own API."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import quote

import orjson

from connector.converters.jackson_text import with_upper_escapes
from connector.converters.registry import RegistryClient, RegistryRefusedError
from connector.data.schema import Schema
from connector.errors import ConversionError

_JSON: Final = {"Content-Type": "application/json"}
_EXTENDED: Final = {"Content-Type": "application/create.extended+json"}
PREFIX: Final = "apicurio.registry."


@dataclass(frozen=True, slots=True)
class Artifact:
    """A version of an artifact in the registry."""

    group: str | None
    identifier: str
    version: str
    global_id: int
    content_id: int


class ApicurioRegistry(ABC):
    """The artifacts of schemas, by the settings of a converter; ``kind`` is their type."""

    kind: Literal["AVRO", "KCONNECT"]

    def __init__(
        self, client: RegistryClient, options: Mapping[str, Any], strategy: str, *, is_key: bool
    ) -> None:
        self._client = client
        self._options = options
        self._strategy = strategy
        self._part = "key" if is_key else "value"

    @abstractmethod
    def content(self, schema: Schema) -> Any:
        """Return a schema as it is registered, to be written as JSON."""

    @abstractmethod
    def same(self, registered: Any, content: Any) -> bool:
        """Whether values that are written by one schema can be read by the other."""

    def artifact(self, schema: Schema, topic: str) -> Artifact:
        """Return the artifact of a schema, which is registered if so configured.

        :raises ConversionError: it is not registered, or has other fields.
        """
        group, identifier = self._coordinates(schema, topic)
        content = self.content(schema)
        try:
            if self._options[f"{PREFIX}auto-register"]:
                return self.register(group, identifier, content)
            version = self._options[f"{PREFIX}artifact.version"]
            if self._options[f"{PREFIX}find-latest"] or version:
                return self._find(group, identifier, version, content)
            return self._search(group, identifier, content)
        except RegistryRefusedError as error:
            raise ConversionError(
                f"The registry refuses the schema of artifact {identifier}: {error}.",
                "Register the schema, set apicurio.registry.auto-register=true, or change the "
                "rules of the artifact; then restart the task.",
            ) from None

    def register(self, group: str | None, identifier: str, content: Any) -> Artifact:
        """Register a schema."""
        return self.create(group, identifier, content, ())

    def names_by_strategy(self, schema: Schema, topic: str) -> tuple[str | None, str]:  # noqa: ARG002 - others name artifacts by the schema
        """Return group and id of the artifact of a schema."""
        if self._strategy == "simple topic":
            return None, topic
        return None, f"{topic}-{self._part}"

    def _coordinates(self, schema: Schema, topic: str) -> tuple[str | None, str]:
        group, identifier = self.names_by_strategy(schema, topic)
        return (
            self._options[f"{PREFIX}artifact.group-id"] or group,
            self._options[f"{PREFIX}artifact.artifact-id"] or identifier,
        )

    def create(
        self,
        group: str | None,
        identifier: str,
        content: Any,
        references: Sequence[tuple[str, Artifact]],
    ) -> Artifact:
        """Register a schema with references to others, by their names."""
        written = with_upper_escapes(orjson.dumps(content))
        headers = {
            "X-Registry-ArtifactId": _header_value(identifier),
            "X-Registry-ArtifactType": self.kind,
            **(_EXTENDED if references else _JSON),
        }
        version = self._options[f"{PREFIX}artifact.version"]
        if version:
            headers["X-Registry-Version"] = _header_value(version)
        if references:
            written = orjson.dumps(
                {
                    "content": written.decode(),
                    "references": [_reference(name, found) for name, found in references],
                }
            )
        exists = self._options[f"{PREFIX}auto-register.if-exists"]
        path = f"{_group_path(group)}/artifacts?ifExists={exists}&canonical=false"
        return _artifact(self._client.request("POST", path, content=written, headers=headers))

    def _search(self, group: str | None, identifier: str, content: Any) -> Artifact:
        """Find the version that has this schema."""
        path = f"{_group_path(group)}/artifacts/{quote(identifier, safe='')}/meta?canonical=true"
        written = with_upper_escapes(orjson.dumps(content))
        return _artifact(self._client.request("POST", path, content=written, headers=_JSON))

    def _find(
        self, group: str | None, identifier: str, version: str | None, content: Any
    ) -> Artifact:
        """Find the latest version, or the one that is configured."""
        path = f"{_group_path(group)}/artifacts/{quote(identifier, safe='')}"
        if version:
            path += f"/versions/{quote(version, safe='')}"
        found = _artifact(self._client.request("GET", f"{path}/meta"))
        registered = self._client.request(
            "GET", f"/ids/globalIds/{found.global_id}?dereference=true"
        )
        try:
            same = self.same(registered, content)
        except (AttributeError, KeyError, TypeError):  # of another kind
            same = False
        if not same:
            raise ConversionError(
                f"Version {found.version} of artifact {identifier} does not have the fields of the "
                "table.",
                "Register a schema with the present columns, or set "
                "apicurio.registry.auto-register=true.",
            )
        return found


def _group_path(group: str | None) -> str:
    return f"/groups/{quote(group or 'default', safe='')}"


def _header_value(text: str) -> str:
    """Return an id or version, which stands in an HTTP header.

    :raises ConversionError: it cannot.
    """
    if not text.isascii() or not text.isprintable():
        raise ConversionError(
            f"Artifact {text!a} cannot be registered: its id and version may have ASCII characters "
            "only.",
            "Set schema.name.adjustment.mode to avro or avro_unicode in the connector, or "
            "apicurio.registry.artifact.artifact-id.",
        )
    return text


def _artifact(answer: Any) -> Artifact:
    found = answer if isinstance(answer, dict) else {}
    return Artifact(
        found.get("groupId"),
        str(found.get("id", "")),
        str(found.get("version", "")),
        _number(found, "globalId"),
        _number(found, "contentId"),
    )


def _number(found: Mapping[str, Any], name: str) -> int:
    number = found.get(name)
    if type(number) is not int or not 0 <= number < 1 << 63:
        raise ConversionError(
            f"Apicurio Registry answers without a {name}.",
            "Check that apicurio.registry.url is the address of Apicurio Registry 2.",
        )
    return number


def _reference(name: str, found: Artifact) -> dict[str, Any]:
    return {
        "groupId": found.group,
        "artifactId": found.identifier,
        "version": found.version,
        "name": name,
    }
