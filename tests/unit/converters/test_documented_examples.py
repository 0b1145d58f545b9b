"""The examples of the page on converters, run as they are written."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from connector.config import settings_below
from connector.data.record import Record
from connector.data.schema import (
    BOOLEAN,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT16,
    INT32,
    INT64,
    OPTIONAL_STRING,
    STRING,
    struct,
)
from connector.data.semantic import decimal
from connector.debezium.encoder import DebeziumEncoder
from connector.debezium.events import EventOptions
from connector.plugin import TaskConverters
from connector.plugin_table import PluginTable
from connector.properties import parse_properties
from connector.task.pipeline import Pipeline
from tests.fixtures.random_changes import NAMING, ROW_SLOT, SOURCE
from tests.unit.transforms.chains import build

PAGE = (Path(__file__).parents[3] / "docs" / "converters.md").read_text("utf-8")
EXAMPLES = re.findall(r"```properties\n(.*?)```\n```(\w+ ?\w*)\n(.*?)\n```", PAGE, re.DOTALL)
_ROW = struct(
    "shop.db.customers.Value",
    ("id", INT32),
    ("name", OPTIONAL_STRING),
    ("spent", decimal(2, 6)),
    ("photo", BYTES),
    optional=True,
)
_KEY = struct("shop.db.customers.Key", ("id", INT32))
_BLOCK = struct(
    "io.debezium.connector.mysql.Source",
    *((name, STRING) for name in ("version", "connector", "name", "db", "table", "file")),
    ("ts_ms", INT64),
    ("pos", INT64),
)
_ENVELOPE = struct(
    "shop.db.customers.Envelope",
    ("before", _ROW),
    ("after", _ROW),
    ("source", _BLOCK),
    ("op", STRING),
)
_SOURCE_VALUES = {
    "version": "3.6.1.Final",
    "connector": "mysql",
    "name": "shop",
    "db": "db",
    "table": "customers",
    "file": "binlog.000002",
    "ts_ms": 1_767_323_045_000,
    "pos": 1234,
}
_SCHEMAS = {
    "Short": INT16,
    "Integer": INT32,
    "Long": INT64,
    "Float": FLOAT32,
    "Double": FLOAT64,
    "Boolean": BOOLEAN,
}


def _record(*, whole: bool) -> Record:
    found = re.search(r"```json row\n(.*)\n```", PAGE)
    assert found is not None
    row = json.loads(found[1])
    row["photo"] = b64decode(row["photo"])
    event = {"before": None, "after": row, "source": _SOURCE_VALUES, "op": "c"}
    schema, value = (_ENVELOPE, event) if whole else (_ROW.with_changes(optional=False), row)
    return Record("shop.db.customers", None, _KEY, {"id": 7}, schema, value, [])


def _converter(role: str, config: dict[str, str], default: str) -> Any:
    kind: Any = "header_converter" if role == "header" else "converter"
    name = config.get(f"{role}.converter", default)
    settings = settings_below(config, f"{role}.converter.")
    return PluginTable().component(name, kind)({**settings, "converter.type": role})


@pytest.mark.parametrize(("text", "form", "expected"), EXAMPLES)
def test_an_example(text: str, form: str, expected: str) -> None:
    config = parse_properties(text)
    record: Record | None = _record(whole=form == "json event")
    for apply in build(config, PluginTable()):
        record = record and apply(record)
    assert record is not None
    key, value = (_converter(role, config, "JsonConverter") for role in ("key", "value"))
    header = _converter("header", config, "org.apache.kafka.connect.storage.SimpleHeaderConverter")
    encoder = DebeziumEncoder(EventOptions("mysql", NAMING, SOURCE, ROW_SLOT))
    message = Pipeline(encoder, TaskConverters(key, value, header)).message(record)
    written = message.key if "key.converter" in config else message.value
    if form == "text header":
        assert message.headers is not None
        written = message.headers[-1][1]
    assert written is not None
    if form == "hex":
        assert written == bytes.fromhex(expected)
    elif form == "json event":
        shown, whole = json.loads(expected), json.loads(written)
        assert {name: whole[name] for name in shown} == shown
    else:
        assert written.decode() == expected


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 7


def test_single_values() -> None:
    rows = re.findall(r"^\| `(\w+)Converter` \| (\S+) \| `([0-9a-f ]+)` \|$", PAGE, re.MULTILINE)
    assert {name for name, _, _ in rows} == set(_SCHEMAS)
    for name, value, written in rows:
        class_name = f"org.apache.kafka.connect.converters.{name}Converter"
        converter = _converter("value", {"value.converter": class_name}, "")
        found = converter.from_connect("t", _SCHEMAS[name], json.loads(value))
        assert found == bytes.fromhex(written)
