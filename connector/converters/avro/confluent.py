"""Confluent's AvroConverter: a zero byte, the id of the schema and the value in Avro."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import orjson

from connector.converters.avro.confluent_config import CONFIG, connection
from connector.converters.avro.encoder import Encoder
from connector.converters.avro.fragments import AvroFragments
from connector.converters.avro.schemas import AvroSchemaWriter, Dialect, same_fields
from connector.converters.avro.subjects import subject_of
from connector.converters.registry import RegistryClient, RegistryRefusedError
from connector.data.schema import Schema
from connector.errors import ConversionError

_HEADERS: Final = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
_INCOMPATIBLE: Final = 409
_NOT_FOUND: Final = 404
_REMEDY: Final = (
    "Change the compatibility level of the subject, or the subject name strategy, then restart "
    "the task."
)


class AvroConverter(AvroFragments):
    """Writes values with the schemas of a registry. Schemas are compiled once."""

    config_def = CONFIG

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        is_key = config.get("converter.type") == "key"
        dialect = Dialect(
            metadata=options["connect.meta.data"],
            scrub=options["scrub.invalid.names"],
            optional_map_keys=options["allow.optional.map.keys"],
        )
        encoder = Encoder(dialect, defaults=not options["ignore.default.for.nullables"])
        super().__init__(encoder, options["schemas.cache.config"])
        strategy = options[f"{'key' if is_key else 'value'}.subject.name.strategy"]
        self._dialect = dialect
        self._options = options
        self._subject = subject_of(strategy, dialect, is_key=is_key)
        self._registry = RegistryClient(connection(options))

    def start_of(self, schema: Schema, topic: str) -> bytes:
        """Return the zero byte and the id of the schema, which is registered if so configured."""
        text = AvroSchemaWriter(self._dialect).text(schema)
        identifier = self._id(self._subject(topic, schema), text)
        return b"\x00" + identifier.to_bytes(4, "big")

    def encode_whole(self, schema: Schema, value: Any) -> bytes | None:
        """Return bytes as they are, as Confluent's does where they are not optional."""
        return value if schema.type == "bytes" and isinstance(value, bytes) else None

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
        body = orjson.dumps({"schema": text})
        try:
            found = self._registry.request("POST", path, content=body, headers=_HEADERS)
        except RegistryRefusedError as error:
            raise _refusal(subject, error) from None
        return _number(found, subject)

    def _get(self, path: str) -> Any:
        try:
            return self._registry.request("GET", path, headers=_HEADERS)
        except RegistryRefusedError as error:
            raise ConversionError(f"The schema registry has no answer to {path}: {error}") from None

    def _check(self, which: str, registered: str, text: str) -> None:
        if not same_fields(orjson.loads(registered), orjson.loads(text)):
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
