"""Where the metadata of CloudEvents comes from: ``metadata.source`` of Debezium's converter.

The first member is where the event of a row is described: in the value, an envelope, or in the
headers ``source``, ``op`` and ``transaction``, when a transform has taken it apart. Further members
say for ``id``, ``type``, ``traceparent`` and ``dataSchemaName`` whether they are generated or stand
in a header of that name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from connector.config import ConfigKey, invalid
from connector.data.record import Header
from connector.data.schema import Schema
from connector.errors import ConfigError, ConversionError

KEY: Final = "metadata.source"
TRACING: Final = "opentelemetry.tracing.attributes.enable"
DATA_NAMES: Final = "schema.data.name.source.header.enable"
_DEFAULT: Final = "value,id:generate,type:generate,traceparent:header,dataSchemaName:generate"
_FIELDS: Final = ("id", "type", "traceparent", "dataSchemaName")
_VALUE, _HEADER, _GENERATE = "value", "header", "generate"


def _known_sources(name: str, value: list[str]) -> str | None:
    """Accept the sources that Debezium knows."""
    reason = _fault(value)
    return str(invalid(name, ",".join(value), reason)) if reason else None


def _fault(value: list[str]) -> str | None:
    if not value or value[0].strip().lower() not in (_VALUE, _HEADER):
        return f"it has to begin with {_VALUE} or {_HEADER}"
    for member in value[1:]:
        field, _, source = (part.strip() for part in member.partition(":"))
        if field not in _FIELDS:
            return f"Field `{field}` is not allowed to set custom source: use {', '.join(_FIELDS)}"
        if source.lower() not in (_HEADER, _GENERATE):
            return f"Field source `{source}` is not valid: use {_HEADER} or {_GENERATE}"
    return None


METADATA_KEYS: Final = (
    ConfigKey(
        TRACING, "BOOLEAN", False, "HIGH",
        "Write the attribute traceparent, which has to stand in a header of that name.",
    ),
    ConfigKey(
        DATA_NAMES, "BOOLEAN", False, "LOW",
        "Take the name of the data's schema from the header dataSchemaName, if metadata.source "
        "says so.",
    ),
    ConfigKey(
        KEY, "LIST", _DEFAULT.split(","), "HIGH",
        "Where the metadata of events comes from: value or header, and for id, type, traceparent "
        "and dataSchemaName generate or header.",
        validator=_known_sources,
    ),
)  # fmt: skip


class EventMetadata(NamedTuple):
    """What describes an event: source block, operation and transaction, with their schema."""

    source_schema: Schema
    source: Mapping[str, Any]
    operation: str
    transaction: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class MetadataSources:
    """Reads the metadata of one converter's events; the flags say what stands in headers."""

    described_by_headers: bool
    id: bool
    type: bool
    traceparent: bool
    data_name: bool

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> MetadataSources:
        """Read the settings.

        :raises ConfigError: a member has no value: from the row's value only a part can be read.
        """
        first, *members = (member.strip() for member in options[KEY])
        pairs = (member.partition(":") for member in members)
        sources = {name.strip(): source.strip().lower() for name, _, source in pairs}
        found = {name: sources.get(name, first.lower()) for name in _FIELDS}
        for name in _required(options):
            if found[name] == _VALUE or (name == "traceparent" and found[name] != _HEADER):
                other = "" if name == "traceparent" else f" or {name}:{_GENERATE}"
                raise ConfigError(
                    f"The attribute {name} cannot be read from the value: add "
                    f"{name}:{_HEADER}{other} to {KEY}."
                )
        return cls(
            first.lower() == _HEADER,
            id=found["id"] == _HEADER,
            type=found["type"] == _HEADER,
            traceparent=options[TRACING],
            data_name=found["dataSchemaName"] == _HEADER and options[DATA_NAMES],
        )

    def describe(
        self, schema: Schema, value: Mapping[str, Any], headers: Sequence[Header]
    ) -> EventMetadata | None:
        """Return what describes the event of a row; None for another message."""
        if not self.described_by_headers:
            if not (schema.name or "").endswith(".Envelope"):
                return None
            source = required_field(schema, "source")
            required_field(schema, "op")
            return EventMetadata(source, value["source"], value["op"], value.get("transaction"))
        found = {header.name: header for header in headers}
        if "source" not in found or "op" not in found:
            return None
        source_schema, block = found["source"].schema, found["source"].value
        if source_schema is None or source_schema.type != "struct" or block is None:
            raise ConversionError("The header source is not the source block of an event.")
        transaction = found["transaction"].value if "transaction" in found else None
        return EventMetadata(source_schema, block, text_of(headers, "op"), transaction)


def required_field(schema: Schema, name: str) -> Schema:
    """Return the schema of a field.

    :raises ConversionError: there is none.
    """
    field = schema.field(name)
    if field is None:
        raise ConversionError(
            f"A CloudEvent needs the field {name}, which {schema.name} does not have.",
            "Leave out the transform that removes it.",
        )
    return field.schema


def text_of(headers: Sequence[Header], name: str) -> str:
    """Return the text of the last header of a name.

    :raises ConversionError: there is none.
    """
    values = [header.value for header in headers if header.name == name]
    if not values:
        raise ConversionError(
            f"A CloudEvent needs the header {name}, which the record does not have.",
            f"Add it with a transform such as InsertHeader, or set {name}:{_GENERATE} in {KEY}.",
        )
    if not isinstance(values[-1], str):
        raise ConversionError(f"The header {name} is not a text: no CloudEvent can be written.")
    return values[-1]


def _required(options: Mapping[str, Any]) -> list[str]:
    return ["id", "type", *(["traceparent"] if options[TRACING] else [])]
