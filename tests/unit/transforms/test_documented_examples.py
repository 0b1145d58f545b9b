"""The examples of the pages on transforms, run as they are written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from connector.converters.json import JsonConverter
from connector.converters.simple_header import SimpleHeaderConverter
from connector.data.record import Header, Record
from connector.data.schema import INT32, INT64, OPTIONAL_INT64, OPTIONAL_STRING, STRING, struct
from connector.data.semantic import TIMESTAMP
from connector.plugin_table import PluginTable
from connector.properties import parse_properties
from tests.unit.transforms.chains import build

DOCS = Path(__file__).parents[3] / "docs" / "transforms"
_EXAMPLE = re.compile(
    r"^## ([\w.]+)\n(?:(?!^## ).)*?```properties\n(.*?)```\n```json *(\w*)\n(.*?)```",
    re.DOTALL | re.MULTILINE,
)
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


@pytest.mark.parametrize(("config", "kind", "expected"), EXAMPLES)
def test_an_example(config: str, kind: str, expected: str) -> None:
    record: Record | None = _event(kind)
    for apply in build(parse_properties(config), PluginTable()):
        record = record and apply(record)
    shown_members = json.loads(expected)
    if record is None or shown_members is None:
        assert record is shown_members
        return
    shown = _describe(record)
    assert {name: shown[name] for name in shown_members} == shown_members
