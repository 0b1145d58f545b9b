"""The examples of the pages on transforms, run as they are written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from struct import pack as struct_bytes
from typing import Any

import pytest

from connector.converters.json import JsonConverter
from connector.converters.simple_header import SimpleHeaderConverter
from connector.data.record import Header, Record
from connector.data.schema import (
    INT32,
    INT64,
    OPTIONAL_INT64,
    OPTIONAL_STRING,
    STRING,
    Schema,
    array,
    struct,
)
from connector.data.semantic import FLOAT_VECTOR, GEOMETRY, TIMESTAMP
from connector.plugin_table import ROWS, PluginTable
from connector.properties import parse_properties
from tests.unit.transforms.chains import build

DOCS = Path(__file__).parents[3] / "docs" / "transforms"
_EXAMPLE = re.compile(
    r"^## ([\w.]+)\n((?:(?!^## ).)*?)```properties\n(.*?)```\n```json *(\w*)\n(.*?)```",
    re.DOTALL | re.MULTILINE,
)
_BEFORE = re.compile(r"```json before\n(.*?)```", re.DOTALL)
_EVENT = re.compile(r"```json event\n(.*?)```", re.DOTALL)
_ROW = struct(
    "shop.db.customers.Value",
    ("id", INT32),
    ("name", OPTIONAL_STRING),
    ("email", OPTIONAL_STRING),
    ("spent", OPTIONAL_STRING),
    ("seen", TIMESTAMP.as_optional()),
    optional=True,
)
_SOURCE = struct("source", ("db", STRING), ("table", STRING), ("ts_ms", INT64))
_ENVELOPE = struct(
    "shop.db.customers.Envelope",
    ("before", _ROW),
    ("after", _ROW),
    ("source", _SOURCE),
    ("op", STRING),
    ("ts_ms", OPTIONAL_INT64),
    version=2,
)
_KEY = struct("shop.db.customers.Key", ("id", INT32))
EXAMPLES = [
    pytest.param(*match.groups()[1:], id=f"{page.stem}-{match[1]}")
    for page in sorted(DOCS.glob("*.md"))
    for match in _EXAMPLE.finditer(page.read_text("utf-8"))
]


PLACES = {
    "geometry": (GEOMETRY, {"wkb": struct_bytes("<BIdd", 1, 1, 1.0, 2.0), "srid": 4326}),
    "vector": (FLOAT_VECTOR, [1.0, 2.5]),
    "trace": (
        OPTIONAL_STRING,
        "traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ),
}


def _place(kind: str) -> Record:
    """Return the row of a place, or its event where the example unwraps it."""
    schema, value = PLACES[kind]
    row = struct("places.Value", ("id", INT32), ("place", schema))
    row = row.as_optional() if kind == "trace" else row
    return Record("shop.db.places", None, _KEY, {"id": 7}, row, {"id": 7, "place": value}, [])


def _columns() -> Record:
    """Return an event whose columns are described."""

    def column(name: str, schema: Schema, **about: str) -> tuple[str, Schema]:
        below = "__debezium.source.column."
        parameters = {below + key: text for key, text in {"name": name, **about}.items()}
        return name, schema.with_changes(parameters=parameters)

    price = column("price", OPTIONAL_STRING, type="DECIMAL", length="6", scale="2")
    row = struct("c.Value", column("id", INT32, type="INT"), price, optional=True)
    source = struct("source", ("table", STRING))
    envelope = struct(
        "c.Envelope", ("before", row), ("after", row), ("source", source), ("op", STRING), version=2
    )
    after = {"id": 7, "price": "12.00"}
    value = {"before": None, "after": after, "source": {"table": "customers"}, "op": "c"}
    return Record("shop.db.customers", None, _KEY, {"id": 7}, envelope, value, [])


def _truncation() -> Record:
    change = struct(None, ("type", STRING))
    schema = struct(
        "io.debezium.connector.mysql.SchemaChangeValue", ("tableChanges", array(change))
    )
    return Record("shop", None, None, None, schema, {"tableChanges": [{"type": "TRUNCATE"}]}, [])


def _start(kind: str) -> Record:
    """Return the record from which an example starts."""
    if kind == "trace":
        record = _place(kind)
        assert record.value_schema is not None
        envelope = struct(
            "p.Envelope", ("before", record.value_schema), ("after", record.value_schema)
        )
        record.value = {"before": None, "after": record.value}
        record.value_schema = envelope
        return record
    if kind in PLACES:
        return _place(kind)
    return {"columns": _columns, "truncate": _truncation}.get(kind, lambda: _event(kind))()


def _event(kind: str) -> Record:
    found = _EVENT.search((DOCS / "kafka.md").read_text("utf-8"))
    assert found is not None
    value = json.loads(found[1])
    if kind:
        value |= {"before": None, "op": kind[0].replace("i", "c")}
    headers = [Header("__debezium.context.taskId", STRING, "0")]
    return Record("shop.db.customers", None, _KEY, {"id": 7}, _ENVELOPE, value, headers)


def _describe(record: Record) -> dict[str, Any]:
    plain, headers = JsonConverter({"schemas.enable": "false"}), SimpleHeaderConverter()
    values = {
        "key": plain.from_connect("", record.key_schema, record.key),
        "value": plain.from_connect("", record.value_schema, record.value),
    }
    return {
        "topic": record.topic,
        "partition": record.partition,
        "key.schema": record.key_schema and record.key_schema.name,
        "headers": {
            header.name: (headers.from_header(*header) or b"").decode() for header in record.headers
        },
        **{name: None if data is None else json.loads(data) for name, data in values.items()},
    }


@pytest.mark.parametrize(("text", "config", "kind", "expected"), EXAMPLES)
def test_an_example(text: str, config: str, kind: str, expected: str) -> None:
    record: Record | None = _start(kind)
    before = _BEFORE.search(text)
    if before is not None:
        start = _place(kind) if kind == "trace" else _start(kind)
        assert _describe(start)["value"] == json.loads(before[1])
    for apply in build(parse_properties(config), PluginTable()):
        record = record and apply(record)
    shown_members = json.loads(expected)
    if record is None or shown_members is None:
        assert record is shown_members
        return
    shown = _describe(record)
    assert {name: shown[name] for name in shown_members} == shown_members


def test_each_transform_has_an_example() -> None:
    pages = [page.read_text("utf-8") for page in DOCS.glob("*.md")]
    named = {match[1] for page in pages for match in _EXAMPLE.finditer(page)}
    classes = {row.class_name for row in ROWS if row.kind == "transformation"}
    short = {re.sub(r"\$(Key|Value)$", "", name.partition("transforms.")[2]) for name in classes}
    assert short - named == set()
