"""Runs connectors with converters of a registry on both sides and decodes what they wrote."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from typing import Any

from tests.conformance.avro_schemas import Schemas
from tests.conformance.chain import Chain
from tests.conformance.chain_run import ChainRun
from tests.conformance.normal import normal
from tests.fixtures.topics import Message, Topics
from tools.stack import ConnectClient, DatabaseServer, KafkaBroker, SchemaRegistry

CONFLUENT = "io.confluent.connect.avro.AvroConverter"
APICURIO = "io.apicurio.registry.utils.converter.AvroConverter"
EXT_JSON = "io.apicurio.registry.utils.converter.ExtJsonConverter"
CLOUD_EVENTS = "io.debezium.converters.CloudEventsConverter"
_AVRO_BELOW = "value.converter.avro.apicurio.registry."
_CLOCKS = ("ts_ms", "ts_us", "ts_ns", "iodebeziumtsms", "iodebeziumtsus", "iodebeziumtsns", "time")
_TEXT_CLOCK = re.compile(r'("ts_[mun]s":)\d+')


class AvroRun(ChainRun):
    """Chains whose keys and values are Avro; our side may have settings of its own."""

    def __init__(
        self,
        chains: Sequence[Chain],
        ours: dict[str, dict[str, str]],
        registry: SchemaRegistry,
        servers: tuple[DatabaseServer, KafkaBroker, Topics],
        clients: tuple[ConnectClient, ConnectClient],
    ) -> None:
        super().__init__(chains, *servers, *clients)
        self._schemas = Schemas(registry)
        for name, settings in ours.items():
            self.pairs[name].ours.extra = settings
        self._converters = {
            side.prefix: {**pair.chain.config, **side.extra}
            for pair in self.pairs.values()
            for side in pair.sides
        }

    def _read(self, prefix: str, **_: bool) -> dict[str, list[tuple[Any, ...]]]:
        names = [name for name in self._of(prefix) if not name.startswith("history")]
        return {
            name.replace(prefix, "PFX"): [self._comparable(one, prefix) for one in messages]
            for name, messages in self._topics.read_all(names).items()
        }

    def _comparable(self, message: Message, prefix: str) -> tuple[Any, ...]:
        config = self._converters[prefix]
        parts, headers = [], []
        for part, raw in (("key", message.key), ("value", message.value)):
            parts.append(raw and self._part(part, raw, message, config).replace(prefix, "PFX"))
        bare = Message(*message[:3], None, None, *message[5:])
        for name, value in normal(bare, prefix)[4]:
            own = name.startswith("apicurio.") and name.endswith("Id")
            headers.append((name, "ID" if own else value))
        return message.partition, *parts, None, tuple(headers)

    def _part(self, part: str, raw: bytes, message: Message, config: dict[str, str]) -> str:
        converter = config.get(f"{part}.converter")
        if converter is None:
            return raw.decode()
        if converter == EXT_JSON:
            return self._json_with_id(raw)
        if converter == CLOUD_EVENTS:
            return self._cloud_event(raw, config)
        if converter == CONFLUENT:
            return _to_text(*self._registered_by_confluent(raw))
        below = f"{part}.converter.apicurio.registry."
        kind = config.get(below + "use-id", "globalId")
        if config.get(below + "headers.enabled") == "false":
            size = 4 if config.get(below + "as-confluent") == "true" else 8
            return _to_text(*self._registered(raw[1 + size :], raw[1 : 1 + size], kind))
        identifier = dict(message.headers)[f"apicurio.{part}.{kind}"]
        assert identifier is not None
        return _to_text(*self._registered(raw, identifier, kind))

    def _registered_by_confluent(self, raw: bytes) -> tuple[str, Any]:
        assert raw[0] == 0
        path = f"/apis/ccompat/v7/schemas/ids/{int.from_bytes(raw[1:5], 'big')}"
        self._schemas.add(f"schema of {path}", json.loads(self._schemas.text(path))["schema"])
        return self._schemas.decoded(raw[5:], f"schema of {path}")

    def _registered(self, data: bytes, identifier: bytes, kind: str) -> tuple[str, Any]:
        path = f"/apis/registry/v2/ids/{kind}s/{int.from_bytes(identifier, 'big')}"
        whole = path + "?dereference=true" if kind == "globalId" else None
        return self._schemas.decoded(data, path, whole)

    def _json_with_id(self, raw: bytes) -> str:
        head, _, rest = raw.partition(b",")
        assert head.startswith(b'{"schemaId":')
        identifier = int(head.partition(b":")[2])
        schema = self._schemas.text(f"/apis/registry/v2/ids/globalIds/{identifier}")
        return schema + _TEXT_CLOCK.sub(r"\1T", rest.decode())

    def _cloud_event(self, raw: bytes, config: dict[str, str]) -> str:
        """Return an event in Avro, or in JSON with data in Avro, each with its schema."""
        size = 4 if config.get(f"{_AVRO_BELOW}as-confluent") == "true" else 8
        schema, event = "null", None
        if config.get("value.converter.serializer.type") == "avro":
            schema, event = self._registered(raw[1 + size :], raw[1 : 1 + size], "globalId")
        else:
            event = json.loads(raw)
            event["data"] = base64.b64decode(event["data"])
        data = event["data"]
        identifier = data[1 : 1 + size]
        # Debezium takes the first half of a long id for the whole.
        assert event["dataschema"].endswith(f"/{int.from_bytes(identifier[:4], 'big')}")
        event["dataschema"] = event["dataschema"].rpartition("/")[0]
        event["data"] = self._registered(data[1 + size :], identifier, "globalId")
        event["data"] = _to_text(*event["data"])
        return _to_text(schema, event)


def _to_text(schema: str, value: Any) -> str:
    return json.dumps([json.loads(schema), _without_clocks(value)], default=repr)


def _without_clocks(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: "T" if name in _CLOCKS and part is not None else _without_clocks(part)
            for name, part in value.items()
        }
    return value
