"""The example of docs/protobuf.md is what the converter writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from connector.converters.protobuf.confluent import ProtobufConverter
from connector.data.schema import INT32, OPTIONAL_STRING, struct
from connector.data.semantic import decimal
from tests.fixtures.scripted_registry import scripted_registry

PAGE = Path(__file__).parents[4] / "docs" / "protobuf.md"
PRICE = decimal(2, 6).with_changes(optional=True, default=150)
ROW = struct("server.shop.orders.Value", ("id", INT32), ("price", PRICE), ("note", OPTIONAL_STRING))


def test_the_example() -> None:
    page = PAGE.read_text("utf-8")
    [schema] = re.findall(r"```protobuf\n(.*?)```", page, re.DOTALL)
    [value] = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    with scripted_registry() as registry:
        options = {"schema.registry.url": registry.url, "optional.for.nullables": "true"}
        made = ProtobufConverter(options)
        written = made.from_connect("t", ROW, {"id": 7, "price": 1230, "note": None})
    assert json.loads(registry.requests[0][3])["schema"] == schema
    assert (written or b"")[5:] == bytes.fromhex(value)
