"""CloudEvents whose metadata stands in headers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from connector.converters.cloud_events import CloudEventsConverter
from connector.data.record import Header, Record
from connector.data.schema import INT32, STRING, Schema, struct
from connector.errors import ConfigError, ConversionError
from tests.unit.converters.sample_events import BLOCK, ENVELOPE, EVENT, ROW, SOURCE

BARE = {"json.schemas.enable": "false", "extension.attributes.enable": "false"}
DESCRIBED = (Header("source", SOURCE, EVENT["source"]), Header("op", STRING, "u"))
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def _record(schema: Schema | None, value: Any, *headers: Header) -> Record:
    return Record("t", None, None, None, schema, value, list(headers))


def _written(config: dict[str, str], record: Record) -> Any:
    return json.loads(CloudEventsConverter(config).from_record(record) or b"null")


def test_an_event_that_headers_describe() -> None:
    config = {"metadata.source": "HEADER, id:generate, type:generate"}
    transaction = Header("transaction", BLOCK, EVENT["transaction"])
    event = _written(config, _record(ROW, {"id": 3}, *DESCRIBED, transaction))
    assert event["id"] == "name:p;file:log.1;pos:5"
    assert (event["iodebeziumop"], event["iodebeziumrow"], event["iodebeziumtxid"]) == (
        "u",
        0,
        "tx",
    )
    assert event["data"]["schema"]["name"] == "io.debezium.connector.mysql.Data"
    assert event["data"]["payload"] == {"id": 3}
    without = _written(config, _record(ROW, {"id": 3}, *DESCRIBED))
    assert without["iodebeziumtxid"] is None
    assert without["iodebeziumsnapshot"] == "false"


def test_a_null_in_the_data_becomes_the_default_in_any_case() -> None:
    row = struct("p.d.t.Value", ("a", INT32.with_changes(optional=True, default=7)), ("b", ROW))
    config = {**BARE, "json.replace.null.with.default": "false"}
    config["metadata.source"] = "header,id:generate,type:generate"
    event = _written(config, _record(row, {"a": None, "b": {"id": 1}}, *DESCRIBED))
    assert event["data"] == {"a": 7, "b": {"id": 1}}


@pytest.mark.parametrize("missing", ["source", "op"])
def test_messages_that_no_header_describes_become_nulls(missing: str) -> None:
    headers = [header for header in DESCRIBED if header.name != missing]
    config = {"metadata.source": "header,id:generate,type:generate"}
    assert _written(config, _record(ENVELOPE, EVENT, *headers)) is None


def test_attributes_from_headers() -> None:
    config = {
        **BARE,
        "metadata.source": "value,id:header,type:header,traceparent:header,dataSchemaName:header",
        "opentelemetry.tracing.attributes.enable": "true",
        "schema.data.name.source.header.enable": "true",
        "json.schemas.enable": "true",
    }
    texts = {"id": "7", "type": "order.paid", "traceparent": TRACE, "dataSchemaName": "my.Data"}
    headers = [Header("id", STRING, "an earlier one")]
    headers += [Header(name, STRING, text) for name, text in texts.items()]
    event = _written(config, _record(ENVELOPE, EVENT, *headers))
    assert [event[name] for name in ("id", "type", "traceparent")] == ["7", "order.paid", TRACE]
    assert event["data"]["schema"]["name"] == "my.Data"
    assert list(event)[-2:] == ["traceparent", "data"]


def test_names_of_data_do_not_fill_the_memory() -> None:
    converter = CloudEventsConverter(
        {
            "metadata.source": "value,id:generate,type:generate,dataSchemaName:header",
            "schema.data.name.source.header.enable": "true",
        }
    )
    for number in range(1_000):
        name = f"name{number}"
        data = converter.from_record(
            _record(ENVELOPE, EVENT, Header("dataSchemaName", STRING, name))
        )
        assert json.loads(data or b"")["data"]["schema"]["name"] == name
    assert len(converter._schemas.of(ENVELOPE)) <= 100


@pytest.mark.parametrize(
    ("headers", "text"),
    [
        ([], "needs the header id, which the record does not have"),
        ([Header("id", INT32, 5)], "The header id is not a text"),
    ],
)
def test_an_attribute_without_its_header(headers: list[Header], text: str) -> None:
    config = {"metadata.source": "value,id:header,type:generate"}
    with pytest.raises(ConversionError, match=text):
        _written(config, _record(ENVELOPE, EVENT, *headers))


def _without(schema: Schema, name: str) -> Schema:
    fields = tuple(field for field in schema.fields if field.name != name)
    return schema.with_changes(fields=fields)


@pytest.mark.parametrize("name", ["source", "op", "before", "after"])
def test_an_event_without_a_field(name: str) -> None:
    record = _record(_without(ENVELOPE, name), EVENT)
    with pytest.raises(ConversionError, match=f"needs the field {name}, which p.d.t.Envelope"):
        CloudEventsConverter(BARE).from_record(record)


@pytest.mark.parametrize("name", ["connector", "name", "db", "ts_ms", "file", "pos"])
def test_a_source_block_without_a_field(name: str) -> None:
    block = {field: value for field, value in EVENT["source"].items() if field != name}
    source = Header("source", _without(SOURCE, name), block)
    record = _record(ROW, {"id": 3}, source, Header("op", STRING, "u"))
    config = {**BARE, "metadata.source": "header,id:generate,type:generate"}
    with pytest.raises(ConversionError, match=f"needs the field {name}, which io.debezium"):
        CloudEventsConverter(config).from_record(record)


def test_a_source_block_needs_no_position_beside_an_id() -> None:
    source = Header("source", _without(_without(SOURCE, "file"), "pos"), EVENT["source"])
    headers = [source, Header("op", STRING, "u"), Header("id", STRING, "x")]
    config = {**BARE, "metadata.source": "header,id:header,type:generate"}
    assert _written(config, _record(ROW, {"id": 3}, *headers))["id"] == "x"


def test_a_source_block_with_a_field_that_is_no_attribute() -> None:
    schema = struct("io.debezium.Source", *((f.name, f.schema) for f in SOURCE.fields), ("x", ROW))
    source = Header("source", schema, {**EVENT["source"], "x": {"id": 1}})
    record = _record(ROW, {"id": 3}, source, Header("op", STRING, "u"))
    config = {"metadata.source": "header,id:generate,type:generate"}
    with pytest.raises(ConversionError, match="Source field of type STRUCT cannot be converted"):
        CloudEventsConverter(config).from_record(record)


def test_a_header_that_is_no_source_block() -> None:
    headers = [Header("source", STRING, "mysql"), DESCRIBED[1]]
    config = {"metadata.source": "header,id:generate,type:generate"}
    with pytest.raises(ConversionError, match="not the source block"):
        _written(config, _record(ROW, {"id": 3}, *headers))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("generate", "has to begin with value or header"),
        ("value", "attribute id cannot be read from the value: add id:header or id:generate"),
        ("value,id:generate", "attribute type cannot be read"),
        ("value,id:value,type:generate", "Field source `value` is not valid"),
        ("value,id", "Field source `` is not valid"),
        ("value,time:header", "Field `time` is not allowed to set custom source"),
        ("value,id:generate,type:generate,traceparent:generate", "traceparent:header"),
        ("value,id:generate,type:generate", "traceparent cannot be read"),
    ],
)
def test_sources_that_are_refused(source: str, text: str) -> None:
    config = {"metadata.source": source}
    if "traceparent" in text:
        config["opentelemetry.tracing.attributes.enable"] = "true"
    with pytest.raises(ConfigError, match=text):
        CloudEventsConverter(config)
