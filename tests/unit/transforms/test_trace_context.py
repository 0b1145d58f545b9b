"""The trace context of an application in the headers of its messages."""

from __future__ import annotations

from typing import Any

import pytest

from connector.data.record import Header, Record
from connector.data.schema import INT32, OPTIONAL_STRING, STRING, struct
from connector.plugin_table import PluginTable

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
ROW = struct(
    "s.d.outbox.Value",
    ("id", INT32),
    ("aggregatetype", STRING),
    ("aggregateid", STRING),
    ("payload", STRING),
    ("tracingspancontext", OPTIONAL_STRING),
    optional=True,
)
ENVELOPE = struct("s.d.outbox.Envelope", ("before", ROW), ("after", ROW), ("op", STRING))


def _record(context: Any, *headers: Header) -> Record:
    row = {"id": 1, "aggregatetype": "o", "aggregateid": "a", "payload": "p"}
    value = {"before": None, "after": {**row, "tracingspancontext": context}, "op": "c"}
    return Record("s.d.outbox", None, None, None, ENVELOPE, value, list(headers))


def _headers(class_name: str, record: Record, **config: str) -> list[tuple[str, Any]]:
    transform = PluginTable().component(f"io.debezium.transforms.{class_name}", "transformation")
    settings = {name.replace("_", "."): text for name, text in config.items()}
    found = transform(settings).apply(record)  # type: ignore[attr-defined]
    return [(header.name, header.value) for header in found.headers]


def test_a_row_with_a_trace_context() -> None:
    context = f"#Tue Nov 24\ntraceparent={PARENT}\ntracestate=a\\=1,b\\=2\nbaggage=user\\=7\nx=y\n"
    trace = [("traceparent", PARENT), ("tracestate", "a=1,b=2"), ("baggage", "user=7")]
    span = "tracing.ActivateTracingSpan"
    assert _headers(span, _record(context)) == trace
    assert _headers("outbox.EventRouter", _record(context)) == [*trace, ("id", 1)]
    kept = Header("other", STRING, "1")
    record = _record(context, Header("traceparent", STRING, "old"), kept)
    assert _headers(span, record) == [("other", "1"), *trace]


@pytest.mark.parametrize(
    "context",
    [
        "",
        "traceparent=1",
        f"traceparent={PARENT.upper()}",
        f"traceparent=ff{PARENT[2:]}",
        f"traceparent=00-{'0' * 32}-b7ad6b7169203331-01",
        f"traceparent=00-0af7651916cd43dd8448eb211c80319c-{'0' * 16}-01",
        "traceparent=\\u00x",
        "tracestate=a",
    ],
)
def test_a_row_without_a_valid_trace_context(
    context: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert _headers("tracing.ActivateTracingSpan", _record(context)) == []
    assert len(caplog.messages) == 1
    assert not context or context not in caplog.messages[0]


def test_rows_without_the_column_and_other_messages_pass() -> None:
    span = "tracing.ActivateTracingSpan"
    assert _headers(span, _record(None)) == []
    assert _headers(span, _record(PARENT), tracing_span_context_field="other") == []
    heartbeat = struct("io.debezium.connector.common.Heartbeat", ("ts_ms", INT32))
    assert _headers(span, Record("h", None, None, None, heartbeat, {"ts_ms": 1})) == []
    assert _headers(span, Record("h", None, None, None, None, None)) == []


def test_the_column_may_have_another_name() -> None:
    record = _record(None)
    record.value["after"]["payload"] = f"traceparent={PARENT}"
    found = _headers("tracing.ActivateTracingSpan", record, tracing_span_context_field="payload")
    assert found == [("traceparent", PARENT)]
