"""Avro: schemas and values equal those of Apicurio's converter in Kafka Connect.

Confluent's converter is not available as a Java library here: ours is compared with Apicurio's,
whose schemas come from the same source.
"""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.conformance.avro_run import APICURIO, CONFLUENT, AvroRun
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

_UNWRAP = Step("io.debezium.transforms.ExtractNewRecordState", {})
_KEY_FIELD = Step("org.apache.kafka.connect.transforms.ExtractField$Key", {"field": "id"})
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
    "without_metadata": ({**_NO_HEADERS, "connect.meta.data": "false"}, {}, [], False),
    "confluent": (_NO_HEADERS, {}, [], True),
    "confluent_unwrapped": (_NO_HEADERS, {}, [_UNWRAP], True),
}


def _converters(registry: SchemaRegistry, options: dict[str, str]) -> dict[str, str]:
    found = {}
    for part in ("key.converter", "value.converter"):
        found[part] = APICURIO
        below = f"{part}.apicurio.registry."
        found[below + "url"] = registry.apicurio_url
        found[below + "auto-register"] = "true"
        for name, text in options.items():
            found[f"{part}.{name}" if name == "connect.meta.data" else below + name] = text
    return found


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
    with (
        closing(ConnectClient(connect_worker.url)) as oracle,
        closing(ConnectClient(millrace.url)) as client,
    ):
        run = AvroRun(chains, ours, schema_registry, (mysql, broker, topics), (oracle, client))
        run.play()
    return run.pairs


@pytest.mark.parametrize("name", CASES)
def test_a_converter(pairs: dict[str, Pair], name: str) -> None:
    pair = pairs[name]
    assert not pair.refused
    assert not pair.theirs.failure
    assert not pair.ours.failure
    assert sorted(pair.ours.topics) == sorted(pair.theirs.topics)
    assert pair.theirs.topics
    assert_equal(pair.ours, pair.theirs, pair.theirs.topics)
