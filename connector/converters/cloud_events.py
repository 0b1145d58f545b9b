"""Debezium's CloudEventsConverter: row events as CloudEvents in structured mode.

The envelope is JSON or Avro, and so is the data in it; only Avro in JSON, never JSON in Avro. Other
events, such as heartbeats and changes of schemas, become nulls. What describes an event stands in
its value or in headers (`connector.converters.cloud_events_metadata`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.parse import urlsplit, urlunsplit

from connector.config import ConfigDef, ConfigKey, one_of, settings_below
from connector.converters.cloud_events_metadata import (
    METADATA_KEYS,
    EventMetadata,
    MetadataSources,
    required_field,
    text_of,
)
from connector.converters.json import JsonConverter
from connector.data.avro_names import schema_names
from connector.data.record import Header, Record
from connector.data.schema import BOOLEAN, BYTES, INT32, STRING, Field, Schema, struct
from connector.data.schema_cache import SchemaCache
from connector.data.simple_date_format import SimpleDateFormat
from connector.errors import ConfigError, ConversionError

_CONTENT: Final = {"json": "application/json", "avro": "application/avro"}
_CONNECTORS: Final = ("mysql", "mariadb")
_ATTRIBUTES: Final = {
    "boolean": BOOLEAN,
    **dict.fromkeys(("int8", "int16", "int32"), INT32),
    **dict.fromkeys(("int64", "string"), STRING),
}
_TRANSACTION: Final = {"id": "string", "total_order": "int64", "data_collection_order": "int64"}
_TIME: Final = SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSSX")
_EMPTY: Final = struct(None)
_MAX_NAMES: Final = 100


class _DataConverter(Protocol):
    def from_connect(self, topic: str, schema: Schema | None, value: Any, /) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class _EventSchemas:
    """The schemas of the events of one table version; ``described_by`` is kept for its identity."""

    data: Schema
    event: Schema
    source: tuple[tuple[str, Field], ...]
    described_by: Schema


class CloudEventsConverter:
    """Writes row events as CloudEvents."""

    passed_on = ("json.", "avro.")
    config_def = ConfigDef(
        [
            ConfigKey(
                "serializer.type", "STRING", "json", "HIGH", "Format of the event: json or avro.",
                validator=one_of("json", "avro"),
            ),
            ConfigKey(
                "data.serializer.type", "STRING", "json", "HIGH",
                "Format of the data in the event: json or avro.", validator=one_of("json", "avro"),
            ),
            ConfigKey(
                "extension.attributes.enable", "BOOLEAN", True, "HIGH",
                "Write the fields of source and transaction as attributes of the event.",
            ),
            ConfigKey(
                "schema.name.adjustment.mode", "STRING", "avro", "LOW",
                "How the name of the event's schema is adjusted.",
                validator=one_of("none", "avro", "avro_unicode"),
            ),
            ConfigKey(
                "schema.cloudevents.name", "STRING", None, "LOW", "The name of the event's schema.",
            ),
            *METADATA_KEYS,
        ]
    )  # fmt: skip

    def __init__(self, config: Mapping[str, str]) -> None:
        options = self.config_def.parse(config)
        self._in_avro = options["serializer.type"].lower() == "avro"
        self._data_type: str = options["data.serializer.type"].lower()
        if self._in_avro and self._data_type == "json":
            raise ConfigError(
                "Cannot use 'application/json' data content type within Avro events",
                "Set data.serializer.type=avro, too.",
            )
        below = settings_below(config, "json.")
        self._data_with_schema = below.get("schemas.enable", "true").strip().lower() == "true"
        self._json = JsonConverter({**below, "schemas.enable": "false"})
        self._json_data = JsonConverter(below)
        self._avro, self._registry = (
            _avro_converter(settings_below(config, "avro."))
            if self._in_avro or self._data_type == "avro"
            else (self._json, "")
        )
        self._extensions: bool = options["extension.attributes.enable"]
        self._name: str | None = options["schema.cloudevents.name"]
        self._adjust = schema_names(options["schema.name.adjustment.mode"].lower())
        self._metadata = MetadataSources.of(options)
        self._needs = ["connector", "name", "ts_ms"]
        self._needs += [] if self._name else ["db"]
        self._needs += [] if self._metadata.id else ["file", "pos"]
        self._schemas = SchemaCache(_schemas_by_source)

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of an event without headers; None for anything but a row's event."""
        return self._write(topic, schema, value, ())

    def from_record(self, record: Record) -> bytes | None:
        """Return the bytes of the event in a record; None for anything but a row's event."""
        return self._write(record.topic, record.value_schema, record.value, record.headers)

    def _write(
        self, topic: str, schema: Schema | None, value: Any, headers: Sequence[Header]
    ) -> bytes | None:
        if value is None or schema is None:
            return None
        described = self._metadata.describe(schema, value, headers)
        if described is None:
            return None
        if schema.type != "struct":
            raise ConversionError("Mismatching schema")
        schemas = self._schemas_for(schema, described, headers)
        event = self._attributes(schemas, described, headers)
        data = {field.name: _member(field, value) for field in schemas.data.fields}
        if self._data_type == "avro":
            return self._with_avro(topic, schemas, event, data)
        if not self._data_with_schema:
            return self._json.from_connect(topic, schemas.event, {**event, "data": data})
        # The event has no schema but its data has, which JsonConverter cannot write at once.
        whole = self._json.from_connect(topic, schemas.event, {**event, "data": {}}) or b""
        written = self._json_data.from_connect(topic, schemas.data, data) or b""
        return whole[:-3] + written + b"}"

    def _with_avro(
        self, topic: str, schemas: _EventSchemas, event: dict[str, Any], data: dict[str, Any]
    ) -> bytes | None:
        below = f"{topic}-data" if self._in_avro else topic
        written = self._avro.from_connect(below, schemas.data, data) or b""
        identifier = int.from_bytes(written[1:5], "big", signed=True)
        event |= {"dataschema": f"{self._registry}/schemas/ids/{identifier}", "data": written}
        writer = self._avro if self._in_avro else self._json
        return writer.from_connect(topic, schemas.event, event)

    def _attributes(
        self, schemas: _EventSchemas, described: EventMetadata, headers: Sequence[Header]
    ) -> dict[str, Any]:
        source, metadata = described.source, self._metadata
        connector = source["connector"]
        kind = f"io.debezium.connector.{connector}.DataChangeEvent"
        event = {
            "id": text_of(headers, "id") if metadata.id else _generated_id(source),
            "source": f"/debezium/{connector}/{source['name']}",
            "specversion": "1.0",
            "type": text_of(headers, "type") if metadata.type else kind,
            "time": _TIME.format(source["ts_ms"]),
            "datacontenttype": _CONTENT[self._data_type],
        }
        if metadata.traceparent:
            event["traceparent"] = text_of(headers, "traceparent")
        if self._extensions:
            event["iodebeziumop"] = described.operation
            for name, field in schemas.source:
                event[name] = _attribute(field.schema.type, _member(field, source))
            block = described.transaction or {}
            for name, member in _TRANSACTION.items():
                event[_extension(f"tx{name}")] = _attribute(member, block.get(name))
        return event

    def _schemas_for(
        self, schema: Schema, described: EventMetadata, headers: Sequence[Header]
    ) -> _EventSchemas:
        """Return the schemas for values of a schema, by what names and describes their events."""
        connector = described.source.get("connector")
        name = f"io.debezium.connector.{connector}.Data"
        if self._metadata.data_name:
            name = text_of(headers, "dataSchemaName")
        known = self._schemas.of(schema)
        key = name, id(described.source_schema)
        if key not in known:
            for field in self._needs:
                required_field(described.source_schema, field)
            if connector not in _CONNECTORS:
                raise ConversionError(
                    f'No usable CloudEvents converters for connector type "{connector}"'
                )
            if len(known) >= _MAX_NAMES:
                known.clear()
            known[key] = self._schemas_of(schema, described, name)
        return known[key]

    def _schemas_of(
        self, schema: Schema, described: EventMetadata, data_name: str
    ) -> _EventSchemas:
        source = described.source
        members = ["before", "after"]
        if self._metadata.described_by_headers:
            members = [field.name for field in schema.fields]
        data = struct(data_name, *((member, required_field(schema, member)) for member in members))
        names = ["id", "source", "specversion", "type", "time", "datacontenttype"]
        if self._data_type == "avro":
            names.append("dataschema")
        if self._metadata.traceparent:
            names.append("traceparent")
        fields = [(name, STRING) for name in names]
        named = tuple((_extension(field.name), field) for field in described.source_schema.fields)
        if self._extensions:
            fields.append(("iodebeziumop", STRING))
            fields += [(name, _attribute_schema(field.schema)) for name, field in named]
            fields += [(_extension(f"tx{name}"), STRING.as_optional()) for name in _TRANSACTION]
        if self._data_type == "avro":
            fields.append(("data", BYTES))
        else:
            fields.append(("data", _EMPTY if self._data_with_schema else data))
        name = self._name or f"{source['name']}.{source['db']}.CloudEvents.Envelope"
        event = struct(self._adjust(name), *fields)
        return _EventSchemas(data, event, named, described.source_schema)


def _schemas_by_source(_: Schema) -> dict[tuple[str, int], _EventSchemas]:
    return {}


def _member(field: Field, block: Mapping[str, Any]) -> Any:
    value = block.get(field.name)
    return field.schema.default if value is None else value


def _generated_id(source: Mapping[str, Any]) -> str:
    return f"name:{source['name']};file:{source['file']};pos:{source['pos']}"


def _extension(name: str) -> str:
    """Return the name of an attribute, of letters and digits only."""
    return "iodebezium" + "".join(c for c in name if c.isascii() and c.isalnum())


def _attribute(kind: str, value: Any) -> Any:
    """Return a value as the attribute has it: CloudEvents know no numbers of 64 bits."""
    return str(value) if kind == "int64" and value is not None else value


def _attribute_schema(schema: Schema) -> Schema:
    found = _ATTRIBUTES.get(schema.type)
    if found is None:
        raise ConversionError(
            f"Source field of type {schema.type.upper()} cannot be converted into CloudEvents "
            "extension attribute.",
            "Leave out the transform that adds it, or set extension.attributes.enable=false.",
        )
    return found.as_optional() if schema.optional else found


def _avro_converter(config: dict[str, str]) -> tuple[_DataConverter, str]:
    """Return the converter of the registry that is configured, and the address of its schemas."""
    from connector.converters.avro.apicurio import (  # noqa: PLC0415 - JSON needs no Avro
        ApicurioAvroConverter,
    )
    from connector.converters.avro.confluent import AvroConverter  # noqa: PLC0415 - as above

    config["converter.type"] = "value"
    if config.get("apicurio.registry.url"):
        own = {**config, "apicurio.registry.headers.enabled": "false"}
        return ApicurioAvroConverter(own), _address(config["apicurio.registry.url"])
    if config.get("schema.registry.url"):
        return AvroConverter(config), _address(config["schema.registry.url"])
    raise ConfigError(
        "Need URL(s) for schema registry instances for CloudEvents when using Apache Avro",
        "Set avro.schema.registry.url or avro.apicurio.registry.url.",
    )


def _address(urls: str) -> str:
    """Return addresses without logins: they become part of each event."""
    parts = [urlsplit(url.strip()) for url in urls.split(",")]
    bare = [part._replace(netloc=part.netloc.rpartition("@")[2]) for part in parts]
    return ",".join(map(urlunsplit, bare))
