"""Schemas and values equal those of Apicurio's converters in Kafka Connect, and of CloudEvents.

Confluent's converter is not available as a Java library here: ours is compared with Apicurio's,
whose schemas come from the same source.
"""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.conformance.avro_run import APICURIO, CLOUD_EVENTS, CONFLUENT, EXT_JSON, AvroRun
from tests.conformance.chain import Chain, Step
from tests.conformance.chain_run import Pair
from tests.conformance.equal import assert_equal
from tests.fixtures.topics import Topics
from tools.stack import (
    ConnectClient,
    ConnectWorker,
    KafkaBroker,
    MillraceWorker,
    MySql97,
    SchemaRegistry,
)

_AT_ONCE = 12
_UNWRAP = Step("io.debezium.transforms.ExtractNewRecordState", {})
_KEY_FIELD = Step("org.apache.kafka.connect.transforms.ExtractField$Key", {"field": "id"})
_SOURCE_IN_HEADERS = Step(
    "org.apache.kafka.connect.transforms.HeaderFrom$Value",
    {
        "fields": "source,op,transaction",
        "headers": "source,op,transaction",
        "operation": "copy",
    },
    "tombstone",
    negate=True,
)
_NO_HEADERS = {"headers.enabled": "false"}
_ALL = ["types", "pairs", "nokey", "vectors", "shapes", "texts", "plain", "outbox", "changing"]

# Settings of Apicurio's converter and of the connector, transforms; whether ours is Confluent's.
CASES: dict[str, tuple[dict[str, str], dict[str, str], list[Step], bool]] = {
    "headers": ({}, {}, [], False),
    "content_ids": (
        {"use-id": "contentId", "serializer.dereference-schema": "true"},
        {},
        [],
        False,
    ),
    "references": ({"dereference-schema": "false"}, {}, [], False),
    "ids_before": (_NO_HEADERS, {}, [], False),
    "four_bytes": ({**_NO_HEADERS, "as-confluent": "true", "use-id": "contentId"}, {}, [], False),
    "unwrapped": (_NO_HEADERS, {}, [_UNWRAP], False),
    "single_values": (_NO_HEADERS, {"table.include.list": "chains.types"}, [_KEY_FIELD], False),
    "other_topics": (
        _NO_HEADERS,
        {"include.schema.changes": "true", "provide.transaction.metadata": "true"},
        [],
        False,
    ),
    "names": (
        _NO_HEADERS,
        {
            "schema.name.adjustment.mode": "avro",
            "time.precision.mode": "connect",
            "decimal.handling.mode": "precise",
            "binary.handling.mode": "base64",
        },
        [],
        False,
    ),
    "nanoseconds": (
        _NO_HEADERS,
        {"time.precision.mode": "nanoseconds", "decimal.handling.mode": "double"},
        [_UNWRAP],
        False,
    ),
    "enhanced": ({**_NO_HEADERS, "enhanced.avro.schema.support": "true"}, {}, [], False),
    "without_metadata": ({**_NO_HEADERS, "connect.meta.data": "false"}, {}, [], False),
    "confluent": (_NO_HEADERS, {}, [], True),
    "confluent_unwrapped": (_NO_HEADERS, {}, [_UNWRAP], True),
}

_IN_AVRO = {"serializer.type": "avro", "data.serializer.type": "avro"}
_FROM_HEADERS = {
    "header.converter": "org.apache.kafka.connect.json.JsonConverter",
    "header.converter.schemas.enable": "true",
}

# Settings of CloudEventsConverter and of the connector, and transforms before it.
EVENTS: dict[str, tuple[dict[str, str], dict[str, str], list[Step]]] = {
    "events": (_IN_AVRO, {}, []),
    "events_with_short_ids": ({**_IN_AVRO, "avro.apicurio.registry.as-confluent": "true"}, {}, []),
    "events_with_a_name": (
        {**_IN_AVRO, "schema.cloudevents.name": "my.Event", "extension.attributes.enable": "false"},
        {"include.schema.changes": "true", "provide.transaction.metadata": "true"},
        [],
    ),
    "data_in_json_events": ({"data.serializer.type": "avro"}, {}, []),
    "unwrapped_events": (
        {**_IN_AVRO, "metadata.source": "header,id:generate,type:generate"},
        _FROM_HEADERS,
        [_SOURCE_IN_HEADERS, _UNWRAP],
    ),
    "unwrapped_data_in_json_events": (
        {"data.serializer.type": "avro", "metadata.source": "header,id:generate,type:generate"},
        _FROM_HEADERS,
        [_SOURCE_IN_HEADERS, _UNWRAP],
    ),
}
# Settings of the connector with ExtJsonConverter, and transforms before it.
JSON: dict[str, tuple[dict[str, str], list[Step]]] = {
    "json": ({"include.schema.changes": "true"}, []),
    # For a deletion that is a null with a schema Java's class fails.
    "unwrapped_json": ({}, [Step(_UNWRAP.class_name, {"delete.tombstone.handling.mode": "drop"})]),
    "single_values_in_json": ({"table.include.list": "chains.types"}, [_KEY_FIELD]),
}
_EVENT_TABLES = ["types", "pairs", "nokey", "vectors", "shapes"]


def _events(registry: SchemaRegistry, options: dict[str, str]) -> dict[str, str]:
    address = {
        "avro.apicurio.registry.url": registry.apicurio_url,
        "avro.apicurio.registry.auto-register": "true",
    }
    found = {f"value.converter.{name}": text for name, text in {**address, **options}.items()}
    return {"value.converter": CLOUD_EVENTS, **found}


def _converters(registry: SchemaRegistry, options: dict[str, str]) -> dict[str, str]:
    found = {}
    for part in ("key.converter", "value.converter"):
        found[part] = APICURIO
        below = f"{part}.apicurio.registry."
        found[below + "url"] = registry.apicurio_url
        found[below + "auto-register"] = "true"
        for name, text in options.items():
            own = name in ("connect.meta.data", "enhanced.avro.schema.support")
            found[f"{part}.{name}" if own else below + name] = text
    return found


def _ext_json(registry: SchemaRegistry) -> dict[str, str]:
    return {
        key: EXT_JSON if text == APICURIO else text
        for key, text in _converters(registry, {}).items()
    }


def _confluent(registry: SchemaRegistry) -> dict[str, str]:
    return {
        key: text
        for part in ("key.converter", "value.converter")
        for key, text in ((part, CONFLUENT), (f"{part}.schema.registry.url", registry.url))
    }


@pytest.fixture(scope="module")
def pairs(
    broker: KafkaBroker,
    mysql: MySql97,
    topics: Topics,
    schema_registry: SchemaRegistry,
    connect_worker: ConnectWorker,
    millrace: MillraceWorker,
) -> dict[str, Pair]:
    chains, ours = [], {}
    for name, (options, config, steps, confluent) in CASES.items():
        settings = {**_converters(schema_registry, options), **config}
        # Apicurio's converter drops the values of columns that are added when it uses references.
        tables = [table for table in _ALL if name != "references" or table != "pairs"]
        chains.append(Chain(name, tables=tables, config=settings, steps=steps))
        if confluent:
            ours[name] = _confluent(schema_registry)
    for name, (config, steps) in JSON.items():
        settings = {**_ext_json(schema_registry), **config}
        chains.append(Chain(name, tables=_ALL, config=settings, steps=steps))
    for name, (options, config, steps) in EVENTS.items():
        settings = {**_events(schema_registry, options), **config}
        chains.append(Chain(name, tables=_EVENT_TABLES, config=settings, steps=steps))
    found: dict[str, Pair] = {}
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as client,
    ):
        for start in range(0, len(chains), _AT_ONCE):
            some = chains[start : start + _AT_ONCE]
            own = {chain.name: ours[chain.name] for chain in some if chain.name in ours}
            run = AvroRun(some, own, schema_registry, (mysql, broker, topics), (oracle, client))
            run.play()
            found |= run.pairs
    return found


@pytest.mark.parametrize("name", [*CASES, *JSON, *EVENTS])
def test_a_converter(pairs: dict[str, Pair], name: str) -> None:
    pair = pairs[name]
    assert not pair.refused
    assert not pair.theirs.failure.rpartition("Caused by: ")[2]
    assert not pair.ours.failure
    assert sorted(pair.ours.topics) == sorted(pair.theirs.topics)
    assert pair.theirs.topics
    assert_equal(pair.ours, pair.theirs, pair.theirs.topics)
