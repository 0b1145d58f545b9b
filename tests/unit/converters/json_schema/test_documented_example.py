"""The example of docs/json-schema.md is what the converter writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from connector.converters.json_schema.confluent import JsonSchemaConverter
from connector.data.schema import INT32, OPTIONAL_STRING, struct
from connector.data.semantic import decimal
from tests.fixtures.scripted_registry import scripted_registry

PAGE = Path(__file__).parents[4] / "docs" / "json-schema.md"
PRICE = decimal(2, 6).with_changes(optional=True, default=150)
ROW = struct("server.shop.orders.Value", ("id", INT32), ("price", PRICE), ("note", OPTIONAL_STRING))


def test_the_example() -> None:
    _, schema, value = re.findall(r"```json\n(.*?)\n```", PAGE.read_text("utf-8"), re.DOTALL)
    with scripted_registry() as registry:
        made = JsonSchemaConverter({"schema.registry.url": registry.url})
        written = made.from_connect("t", ROW, {"id": 7, "price": 1230, "note": None})
    sent = json.loads(json.loads(registry.requests[0][3])["schema"])
    assert json.dumps(sent) == json.dumps(json.loads(schema))  # the order counts
    assert (written or b"")[5:].decode() == value
