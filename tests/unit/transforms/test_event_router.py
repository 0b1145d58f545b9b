"""EventRouter: events that share the schema of an envelope."""

from __future__ import annotations

import pytest

from connector.data.record import Record
from connector.data.schema import INT32, INT64, STRING, struct
from connector.errors import TransformError
from connector.transforms.event_router import EventRouter

ROW = struct(
    "srv.shop.outbox.Value",
    ("id", STRING),
    ("aggregateid", STRING),
    ("aggregatetype", STRING),
    ("type", STRING),
    ("payload", STRING),
    ("version", INT32),
    optional=True,
)
ENVELOPE = struct(
    "srv.shop.outbox.Envelope", ("before", ROW), ("after", ROW), ("op", STRING), ("ts_ms", INT64)
)
VERSIONED = {
    "table.expand.json.payload": "true",
    "table.fields.additional.placement": "type:envelope",
    "table.field.event.schema.version": "version",
}


def insert(payload: str, version: int = 1) -> Record:
    row = {
        "id": "1",
        "aggregateid": "7",
        "aggregatetype": "Order",
        "type": "Created",
        "payload": payload,
        "version": version,
    }
    value = {"before": None, "after": row, "op": "c", "ts_ms": 5}
    return Record("srv.shop.outbox", None, None, None, ENVELOPE, value)


def routed(router: EventRouter, payload: str, version: int = 1) -> Record:
    record = router.apply(insert(payload, version))
    assert record is not None
    return record


@pytest.mark.parametrize("other", ['{"b": 2}', '{"a": "text"}', "no JSON"])
def test_an_event_with_the_version_of_another_payload_is_refused(other: str) -> None:
    router = EventRouter(VERSIONED)
    assert routed(router, '{"a": 1}').value == {"payload": {"a": 1}, "type": "Created"}
    with pytest.raises(TransformError):
        router.apply(insert(other))
    assert routed(router, '{"a": 2}').value["payload"] == {"a": 2}
    assert routed(router, '{"b": 2}', version=2).value["payload"] == {"b": 2}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": NaN}',
        '{"a": [1, -Infinity]}',
        '{"": 1}',
        '{"a": {"": "x"}}',
        '{"a": ' * 101 + "1" + "}" * 101,
        "[" * 100_000,
    ],
)
def test_a_text_that_jackson_or_connect_refuses_stays_a_text(text: str) -> None:
    record = routed(EventRouter({"table.expand.json.payload": "true"}), text)
    assert (record.value_schema, record.value) == (STRING, text)


@pytest.mark.parametrize("text", ['{"a": 1}x', '{"a": 1} {"b": 2}', '{"a": 1, "": null}'])
def test_what_stands_behind_the_json_is_ignored(text: str) -> None:
    assert routed(EventRouter({"table.expand.json.payload": "true"}), text).value == {"a": 1}


def test_a_warning_shows_nothing_of_the_payload(caplog: pytest.LogCaptureFixture) -> None:
    routed(EventRouter({"table.expand.json.payload": "true"}), "§ecret")
    assert "it is no JSON object or array" in caplog.text
    assert "§" not in caplog.text
