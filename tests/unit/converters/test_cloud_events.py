"""CloudEvents in structured mode."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import fastavro
import pytest

from connector.converters.cloud_events import CloudEventsConverter
from connector.data.schema import INT32, STRING, Schema, struct
from connector.errors import ConfigError, ConversionError
from tests.fixtures.scripted_registry import ScriptedRegistry, scripted_registry
from tests.unit.converters.sample_events import ENVELOPE, EVENT, ROW


@pytest.fixture
def registry() -> Iterator[ScriptedRegistry]:
    with scripted_registry() as served:
        yield served


def written(config: dict[str, str], event: dict[str, Any] = EVENT) -> Any:
    return json.loads(CloudEventsConverter(config).from_connect("t", ENVELOPE, event) or b"")


def test_an_event_with_the_schema_of_its_data() -> None:
    event = written({})
    data = event.pop("data")
    assert event == {
        "id": "name:p;file:log.1;pos:5",
        "source": "/debezium/mysql/p",
        "specversion": "1.0",
        "type": "io.debezium.connector.mysql.DataChangeEvent",
        "time": "2023-11-14T22:13:20.123Z",
        "datacontenttype": "application/json",
        "iodebeziumop": "c",
        "iodebeziumversion": "3.6",
        "iodebeziumconnector": "mysql",
        "iodebeziumname": "p",
        "iodebeziumtsms": "1700000000123",
        "iodebeziumsnapshot": "false",
        "iodebeziumdb": "d",
        "iodebeziumfile": "log.1",
        "iodebeziumpos": "5",
        "iodebeziumrow": 0,
        "iodebeziumtxid": "tx",
        "iodebeziumtxtotalorder": "1",
        "iodebeziumtxdatacollectionorder": "2",
    }
    assert data["schema"]["name"] == "io.debezium.connector.mysql.Data"
    assert data["payload"] == {"before": None, "after": {"id": 1}}


def test_an_event_without_schema_and_attributes() -> None:
    config = {"json.schemas.enable": "false", "extension.attributes.enable": "false"}
    event = written(config, {**EVENT, "transaction": None})
    assert list(event)[-2:] == ["datacontenttype", "data"]
    assert event["data"] == {"before": None, "after": {"id": 1}}


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (-1, "1969-12-31T23:59:59.999Z"),
        (-12_219_292_800_001, "1582-10-04T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-03T00:00:00.000Z"),
        (-62_135_769_600_001, "0001-12-31T23:59:59.999Z"),
        (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
        ((1 << 63) - 1, "292278994-08-17T07:12:55.807Z"),
    ],
)
def test_the_time_is_that_of_java(milliseconds: int, text: str) -> None:
    source = {**EVENT["source"], "ts_ms": milliseconds}
    assert written({}, {**EVENT, "source": source})["time"] == text


@pytest.mark.parametrize("schema", [None, ROW, STRING, struct("p.SchemaChangeValue", ("a", INT32))])
def test_other_messages_become_nulls(schema: Schema | None) -> None:
    converter = CloudEventsConverter({})
    assert converter.from_connect("t", schema, {"id": 1}) is None
    assert converter.from_connect("t", ENVELOPE, None) is None


def test_data_in_avro(registry: ScriptedRegistry) -> None:
    url = registry.url.replace("http://", "http://me:secret@")
    config = {"data.serializer.type": "avro", "avro.schema.registry.url": url}
    event = written(config)
    assert event["datacontenttype"] == "application/avro"
    assert event["dataschema"] == f"{registry.url}/schemas/ids/7"
    assert event["data"] == "AAAAAAcAAgI="
    assert registry.requests[0][1].startswith("/subjects/t-value/")


def test_an_event_in_avro(registry: ScriptedRegistry) -> None:
    config = {
        "serializer.type": "avro",
        "data.serializer.type": "avro",
        "avro.schema.registry.url": registry.url,
    }
    data = CloudEventsConverter(config).from_connect("t", ENVELOPE, EVENT) or b""
    subjects = [path.split("/")[2] for _, path, _, _ in registry.requests]
    assert subjects == ["t-data-value", "t-value"]
    schema = json.loads(json.loads(registry.requests[1][3])["schema"])
    assert (schema["namespace"], schema["name"]) == ("p.d.CloudEvents", "Envelope")
    event: Any = fastavro.schemaless_reader(io.BytesIO(data[5:]), fastavro.parse_schema(schema))
    assert event["data"] == bytes.fromhex("00 00000007 00 02 02")
    assert event["iodebeziumtxid"] == "tx"


@pytest.mark.parametrize(
    "config",
    [
        {"serializer.type": "avro"},
        {"data.serializer.type": "avro"},
        {"data.serializer.type": "xml"},
        {"schema.name.adjustment.mode": "other"},
    ],
)
def test_settings_that_are_refused(config: dict[str, str]) -> None:
    with pytest.raises(ConfigError):
        CloudEventsConverter(config)


def test_events_of_other_connectors_are_refused() -> None:
    event = {**EVENT, "source": {**EVENT["source"], "connector": "postgresql"}}
    with pytest.raises(ConversionError, match="No usable CloudEvents converters"):
        CloudEventsConverter({}).from_connect("t", ENVELOPE, event)
