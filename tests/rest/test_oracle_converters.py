"""Converters in the REST API: classes, definitions and validation as in Kafka Connect."""

from __future__ import annotations

from typing import Any

import pytest

from connector.plugin_table import ROWS
from tests.fixtures.worker import WorkerProcess
from tools.stack import ConnectWorker
from tools.stack.http import http

MYSQL = "io.debezium.connector.mysql.MySqlConnector"
KAFKA = "org.apache.kafka.connect."
JSON = f"{KAFKA}json.JsonConverter"
KINDS = ("converter", "header_converter")
OLD = "io.debezium.converters.ByteBufferConverter"  # before Debezium 2.0
CLASSES = sorted(
    {
        row.class_name
        for row in ROWS
        if row.kind in KINDS
        and row.class_name.startswith((KAFKA, "io.debezium."))
        and row.class_name != OLD
    }
)


def _both(connect_worker: ConnectWorker, worker: WorkerProcess, path: str) -> tuple[Any, Any]:
    theirs, ours = (http.get(url + path, timeout=60) for url in (connect_worker.url, worker.url))
    return theirs.json(), ours.json()


def _definition(definition: dict[str, Any]) -> dict[str, Any]:
    """Return a definition without its text, which is our own."""
    left_out = ("documentation", "order")
    return {name: text for name, text in definition.items() if name not in left_out}


# Debezium's class does not report its keys to Kafka Connect; ours are checked by validation.
SILENT = "io.debezium.converters.CloudEventsConverter"


@pytest.mark.parametrize("class_name", [name for name in CLASSES if name != SILENT])
def test_the_keys_of_a_class(
    connect_worker: ConnectWorker, worker: WorkerProcess, class_name: str
) -> None:
    theirs, ours = _both(connect_worker, worker, f"/connector-plugins/{class_name}/config")
    assert list(map(_definition, ours)) == list(map(_definition, theirs))


def test_the_classes_are_listed_with_their_versions(
    connect_worker: ConnectWorker, worker: WorkerProcess
) -> None:
    theirs, ours = _both(connect_worker, worker, "/connector-plugins?connectorsOnly=false")
    mine = [row for row in ours if row["class"] in CLASSES]
    assert [row for row in mine if row not in theirs] == []
    names = {row["class"] for row in theirs if row["type"] in KINDS}
    assert names >= set(CLASSES)


CONFIGS = [
    {},
    {"value.converter": JSON},
    {"value.converter": JSON, "value.converter.schemas.cache.size": "x"},
    {"value.converter": JSON, "value.converter.decimal.format": "hex"},
    {"value.converter": JSON, "value.converter.schema.content": "{"},
    {"key.converter": f"{KAFKA}converters.IntegerConverter"},
    {"header.converter": f"{KAFKA}converters.BooleanConverter"},
    {"header.converter": JSON, "header.converter.schemas.enable": "maybe"},
    {"value.converter": "io.debezium.converters.BinaryDataConverter"},
    {"value.converter": "IntegerConverter"},
    {"value.converter": JSON, "value.converter.converter.type": "key"},
    {"value.converter": JSON, "value.converter.converter.type": "x"},
    {"value.converter": JSON, "value.converter.plugin.version": "[1"},
    {"value.converter.plugin.version": "[9,)"},
    {"header.converter": f"{KAFKA}storage.SimpleHeaderConverter"},
    dict.fromkeys(("key.converter", "value.converter", "header.converter"), JSON),
]


def _answer(url: str, config: dict[str, str]) -> tuple[list[str], dict[str, Any]]:
    body = {"name": "x", "connector.class": MYSQL, **config}
    path = f"/connector-plugins/{MYSQL}/config/validate"
    found = http.put(url + path, json=body, timeout=60).json()
    groups = [name for name in found["groups"] if "onverter" in name or name[0] == "S"]
    values = {
        entry["value"]["name"]: (
            entry["definition"] and _definition(entry["definition"]),
            {**entry["value"], "recommended_values": []},
        )
        for entry in found["configs"]
        if entry["value"] and ".converter" in entry["value"]["name"]
    }
    return sorted(groups), values  # Kafka's have the order of a hash set


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: "-".join(config.values())[-60:])
def test_the_answer_to_a_validation(
    connect_worker: ConnectWorker, worker: WorkerProcess, config: dict[str, str]
) -> None:
    theirs, ours = _answer(connect_worker.url, config), _answer(worker.url, config)
    assert list(ours[1]) == list(theirs[1])
    assert ours == theirs
