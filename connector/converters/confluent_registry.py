"""Finds and registers schemas in a registry with Confluent's API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal
from urllib.parse import quote

import orjson

from connector.converters.confluent_keys import connection
from connector.converters.registry import RegistryClient, RegistryRefusedError
from connector.errors import ConversionError

_HEADERS: Final = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
_INCOMPATIBLE: Final = 409
_NOT_FOUND: Final = 404
_REMEDY: Final = (
    "Change the compatibility level of the subject, or the subject name strategy, then restart "
    "the task."
)


class ConfluentRegistry:
    """The ids of schemas; ``same`` says whether a registered schema gives the same bytes."""

    def __init__(
        self,
        options: Mapping[str, Any],
        same: Callable[[str, str], bool],
        *,
        kind: Literal["AVRO", "JSON"],
    ) -> None:
        self._options = options
        self._same = same
        # Registries know Avro by no type; those of before 2020 know no types at all.
        self._kind = {} if kind == "AVRO" else {"schemaType": kind}
        self._client = RegistryClient(connection(options))

    def start(self, subject: str, text: str) -> bytes:
        """Return what stands before values of a schema: a zero byte and the schema's id.

        :raises ConversionError: the schema is not registered, incompatible, or has other fields.
        """
        return b"\x00" + self._id(subject, text).to_bytes(4, "big")

    def _id(self, subject: str, text: str) -> int:
        options = self._options
        if options["auto.register.schemas"]:
            return self._post(subject, "/versions", text)
        if options["use.schema.id"] >= 0:
            found = self._get(f"/schemas/ids/{options['use.schema.id']}")
            self._check(f"with id {options['use.schema.id']}", found["schema"], text)
            return int(options["use.schema.id"])
        if options["use.latest.version"]:
            found = self._get(f"/subjects/{quote(subject, safe='')}/versions/latest")
            self._check(f"that is the latest of subject {subject}", found["schema"], text)
            return _number(found, subject)
        return self._post(subject, "", text)

    def _post(self, subject: str, path: str, text: str) -> int:
        """Register or find a schema."""
        normalize = str(self._options["normalize.schemas"]).lower()
        path = f"/subjects/{quote(subject, safe='')}{path}?normalize={normalize}"
        body = orjson.dumps({**self._kind, "schema": text})
        try:
            found = self._client.request("POST", path, content=body, headers=_HEADERS)
        except RegistryRefusedError as error:
            raise _refusal(subject, error) from None
        return _number(found, subject)

    def _get(self, path: str) -> Any:
        try:
            return self._client.request("GET", path, headers=_HEADERS)
        except RegistryRefusedError as error:
            raise ConversionError(f"The schema registry has no answer to {path}: {error}") from None

    def _check(self, which: str, registered: str, text: str) -> None:
        if not self._same(registered, text):
            raise ConversionError(
                f"The schema {which} does not have the fields of the table.",
                "Register a schema with the present columns, or set auto.register.schemas=true.",
            )


def _number(found: Any, subject: str) -> int:
    """Return the id in an answer."""
    try:
        return int(found["id"])
    except (KeyError, TypeError, ValueError):
        raise ConversionError(
            f"The schema registry answers without an id for subject {subject}.",
            "Check that schema.registry.url is the address of a schema registry.",
        ) from None


def _refusal(subject: str, error: RegistryRefusedError) -> ConversionError:
    if error.status == _INCOMPATIBLE:
        return ConversionError(
            f"The schema of subject {subject} is incompatible with an earlier version: {error}.",
            _REMEDY,
        )
    if error.status == _NOT_FOUND:
        return ConversionError(
            f"The schema of subject {subject} is not registered: {error}.",
            "Register it, or set auto.register.schemas=true.",
        )
    return ConversionError(f"The registry refuses the schema of subject {subject}: {error}.")
