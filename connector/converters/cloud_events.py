"""Debezium's CloudEventsConverter: row events as CloudEvents in structured mode.

The envelope is JSON or Avro, and so is the data in it; only Avro in JSON, never JSON in Avro. Other
events, such as heartbeats and changes of schemas, become nulls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol
from urllib.parse import urlsplit, urlunsplit

from connector.config import ConfigDef, ConfigKey, invalid, one_of, only, settings_below
from connector.converters.json import JsonConverter
from connector.data.avro_names import schema_names
from connector.data.schema import BYTES, STRING, Field, Schema, struct
from connector.data.schema_cache import SchemaCache
from connector.errors import ConfigError, ConversionError

_CONTENT: Final = {"json": "application/json", "avro": "application/avro"}
_CONNECTORS: Final = ("mysql", "mariadb")
_TRANSACTION: Final = {"id": "string", "total_order": "int64", "data_collection_order": "int64"}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EMPTY: Final = struct(None)
_FROM_HEADERS: Final = "headers of the message are not available to converters here"
_SOURCES: Final = "value,id:generate,type:generate,traceparent:header,dataSchemaName:generate"


def _from_value(name: str, value: list[str]) -> str | None:
    """Accept metadata that comes from the value, or is generated."""
    wrong = [item for item in value[1:] if item.split(":")[0] in ("id", "type")]
    wrong = [item for item in wrong if not item.endswith(":generate")]
    if value[:1] == ["value"] and not wrong:
        return None
    return str(invalid(name, ",".join(value), f"not supported: {_FROM_HEADERS}"))


class _DataConverter(Protocol):
    def from_connect(self, topic: str, schema: Schema | None, value: Any, /) -> bytes | None: ...


@dataclass(frozen=True, slots=True)
class _EventSchemas:
    """The schemas of the events of one table version."""

    data: Schema
    event: Schema
    source: tuple[tuple[str, Field], ...]


class CloudEventsConverter:
    """Writes row events as CloudEvents."""

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
                "opentelemetry.tracing.attributes.enable", "BOOLEAN", False, "HIGH",
                "Write traceparent, from a header.", validator=only(False, because=_FROM_HEADERS),
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
            ConfigKey(
                "schema.data.name.source.header.enable", "BOOLEAN", False, "LOW",
                "Take the name of the data's schema from a header.",
                validator=only(False, because=_FROM_HEADERS),
            ),
            ConfigKey(
                "metadata.source", "LIST", _SOURCES.split(","), "HIGH",
                "Where the metadata of events comes from.", validator=_from_value,
            ),
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
        self._schemas = SchemaCache(self._schemas_of)

    def from_connect(self, topic: str, schema: Schema | None, value: Any) -> bytes | None:
        """Return the bytes of an event; None for anything but the event of a row."""
        if value is None or schema is None or not (schema.name or "").endswith(".Envelope"):
            return None
        schemas = self._schemas.of(schema, value["source"])
        data = {name: value.get(name) for name in ("before", "after")}
        event = self._attributes(schemas, value)
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

    def _attributes(self, schemas: _EventSchemas, value: Mapping[str, Any]) -> dict[str, Any]:
        source = value["source"]
        connector = source["connector"]
        event = {
            "id": f"name:{source['name']};file:{source['file']};pos:{source['pos']}",
            "source": f"/debezium/{connector}/{source['name']}",
            "specversion": "1.0",
            "type": f"io.debezium.connector.{connector}.DataChangeEvent",
            "time": _time(source["ts_ms"]),
            "datacontenttype": _CONTENT[self._data_type],
        }
        if self._extensions:
            event["iodebeziumop"] = value["op"]
            for name, field in schemas.source:
                event[name] = _attribute(field.schema.type, _member(field, source))
            block = value.get("transaction") or {}
            for name, kind in _TRANSACTION.items():
                event[_extension(f"tx{name}")] = _attribute(kind, block.get(name))
        return event

    def _schemas_of(self, envelope: Schema, source: Mapping[str, Any]) -> _EventSchemas:
        connector = source["connector"]
        if connector not in _CONNECTORS:
            raise ConversionError(
                f'No usable CloudEvents converters for connector type "{connector}"'
            )
        members = [(name, _field(envelope, name)) for name in ("before", "after")]
        data = struct(f"io.debezium.connector.{connector}.Data", *members)
        fields = [
            (name, STRING)
            for name in ("id", "source", "specversion", "type", "time", "datacontenttype")
        ]
        if self._data_type == "avro":
            fields.append(("dataschema", STRING))
        named = tuple(
            (_extension(field.name), field) for field in _field(envelope, "source").fields
        )
        if self._extensions:
            fields.append(("iodebeziumop", STRING))
            fields += [(name, _attribute_schema(field.schema)) for name, field in named]
            fields += [(_extension(f"tx{name}"), STRING.as_optional()) for name in _TRANSACTION]
        if self._data_type == "avro":
            fields.append(("data", BYTES))
        else:
            fields.append(("data", _EMPTY if self._data_with_schema else data))
        name = self._name or f"{source['name']}.{source['db']}.CloudEvents.Envelope"
        return _EventSchemas(data, struct(self._adjust(name), *fields), named)


def _field(schema: Schema, name: str) -> Schema:
    field = schema.field(name)
    assert field is not None
    return field.schema


def _member(field: Field, block: Mapping[str, Any]) -> Any:
    value = block.get(field.name)
    return field.schema.default if value is None else value


def _extension(name: str) -> str:
    """Return the name of an attribute, of letters and digits only."""
    return "iodebezium" + "".join(c for c in name if c.isascii() and c.isalnum())


def _attribute(kind: str, value: Any) -> Any:
    """Return a value as the attribute has it: CloudEvents know no numbers of 64 bits."""
    return str(value) if kind == "int64" and value is not None else value


def _attribute_schema(schema: Schema) -> Schema:
    kinds: dict[str, Schema] = {
        "boolean": Schema("boolean"),
        "int8": Schema("int32"),
        "int16": Schema("int32"),
        "int32": Schema("int32"),
        "int64": STRING,
        "string": STRING,
    }
    found = kinds[schema.type]
    return found.as_optional() if schema.optional else found


def _time(milliseconds: int) -> str:
    time = _EPOCH + timedelta(milliseconds=milliseconds)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03d}Z"


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
