"""Names that settings of transforms had in earlier versions."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.record import Record
from connector.data.schema import INT32, STRING, struct
from connector.errors import TransformError
from connector.plugin_table import PluginTable

ROW = struct("v", ("id", INT32), ("a", STRING), ("b", STRING), optional=True)
VALUE = {"id": 1, "a": "x", "b": "y"}
REPLACE = "org.apache.kafka.connect.transforms.ReplaceField$Value"
ROUTER = "io.debezium.transforms.outbox.EventRouter"
OUTBOX = {
    "table.field.event.payload": "a",
    "route.by.field": "b",
}


def _transform(class_name: str, config: dict[str, str]) -> Any:
    return PluginTable().component(class_name, "transformation")(config)


@pytest.mark.parametrize(
    ("config", "kept"),
    [
        ({"blacklist": "a"}, ["id", "b"]),
        ({"whitelist": "a,b"}, ["a", "b"]),
        ({"whitelist": "a,b", "blacklist": "b"}, ["a"]),
        ({"blacklist": "a", "exclude": "b"}, ["id", "a"]),
        ({"whitelist": "a", "include": "b"}, ["b"]),
    ],
)
def test_lists_of_fields_before_kafka_4(config: dict[str, str], kept: list[str]) -> None:
    record = Record("t", None, None, None, ROW, VALUE)
    assert list(_transform(REPLACE, config).apply(record).value) == kept


def _event(op: str) -> Record:
    envelope = struct("s.Envelope", ("before", ROW), ("after", ROW), ("op", STRING))
    return Record("t", None, None, None, envelope, {"before": None, "after": VALUE, "op": op})


def test_settings_of_the_outbox_in_debezium_1() -> None:
    fatal = {**OUTBOX, "debezium.op.invalid.behavior": "fatal"}
    with pytest.raises(TransformError, match="Unexpected update"):
        _transform(ROUTER, fatal).apply(_event("u"))
    today = {**fatal, "table.op.invalid.behavior": "warn"}
    assert _transform(ROUTER, today).apply(_event("u")) is None
    by_id = {**OUTBOX, "table.field.event.payload.id": "id"}
    assert _transform(ROUTER, by_id).apply(_event("c")).key == 1
    both = {**by_id, "table.field.event.key": "b"}
    assert _transform(ROUTER, both).apply(_event("c")).key == "y"
