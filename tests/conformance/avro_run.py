"""Runs connectors with Avro converters on both sides and decodes what they wrote."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

import fastavro
import httpx

from tests.conformance.chain import Chain
from tests.conformance.chain_run import ChainRun
from tests.conformance.normal import normal
from tests.fixtures.topics import Message, Topics
from tools.stack import ConnectClient, DatabaseServer, KafkaBroker, SchemaRegistry

CONFLUENT = "io.confluent.connect.avro.AvroConverter"
APICURIO = "io.apicurio.registry.utils.converter.AvroConverter"
_CLOCKS = ("ts_ms", "ts_us", "ts_ns")


class Schemas:
    """The schemas of a registry, by the ids in messages."""

    def __init__(self, registry: SchemaRegistry) -> None:
        self._registry = registry
        self._texts: dict[str, str] = {}

    def decoded(self, raw: bytes, path: str, references: str | None = None) -> tuple[str, Any]:
        """Return the schema as registered, and the value: all of the bytes."""
        text = self.text(path)
        whole = self.text(references) if references else text
        stream = io.BytesIO(raw)
        value = fastavro.schemaless_reader(stream, fastavro.parse_schema(json.loads(whole)))
        assert stream.tell() == len(raw)
        return text, value

    def text(self, path: str) -> str:
        if path not in self._texts:
            answer = httpx.get(f"http://{self._registry.address}{path}", timeout=30)
            assert answer.is_success, answer.text
            self._texts[path] = answer.text
        return self._texts[path]


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
        if config[f"{part}.converter"] == CONFLUENT:
            assert raw[0] == 0
            path = f"/apis/ccompat/v7/schemas/ids/{int.from_bytes(raw[1:5], 'big')}"
            answer = json.loads(self._schemas.text(path))["schema"]
            self._schemas._texts[f"schema of {path}"] = answer
            return _to_text(*self._schemas.decoded(raw[5:], f"schema of {path}"))
        below = f"{part}.converter.apicurio.registry."
        if config.get(below + "headers.enabled") == "false":
            size = 4 if config.get(below + "as-confluent") == "true" else 8
            identifier, rest = int.from_bytes(raw[1 : 1 + size], "big"), raw[1 + size :]
        else:
            found = dict(message.headers)
            header = found[f"apicurio.{part}.{config.get(below + 'use-id', 'globalId')}"]
            assert header is not None
            identifier, rest = int.from_bytes(header, "big"), raw
        kind = config.get(below + "use-id", "globalId")
        path = f"/apis/registry/v2/ids/{kind}s/{identifier}"
        whole = path + "?dereference=true" if kind == "globalId" else None
        return _to_text(*self._schemas.decoded(rest, path, whole))


def _to_text(schema: str, value: Any) -> str:
    """Return schema and value; Confluent's converter has another order of some properties."""
    return json.dumps([_sorted_decimals(json.loads(schema)), _without_clocks(value)], default=repr)


def _sorted_decimals(avro: Any) -> Any:
    if isinstance(avro, list):
        return [_sorted_decimals(part) for part in avro]
    if isinstance(avro, dict):
        names = sorted(avro) if avro.get("logicalType") == "decimal" else list(avro)
        return {name: _sorted_decimals(avro[name]) for name in names}
    return avro


def _without_clocks(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: "T" if name in _CLOCKS and part is not None else _without_clocks(part)
            for name, part in value.items()
        }
    return value
