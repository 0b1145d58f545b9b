"""An event, its schema and its parts."""

from __future__ import annotations

from typing import Any

from connector.data.schema import INT32, INT64, STRING, struct

ROW = struct("p.d.t.Value", ("id", INT32))
SOURCE = struct(
    "io.debezium.connector.mysql.Source",
    ("version", STRING),
    ("connector", STRING),
    ("name", STRING),
    ("ts_ms", INT64),
    ("snapshot", STRING.as_optional().with_changes(default="false")),
    ("db", STRING),
    ("file", STRING),
    ("pos", INT64),
    ("row", INT32),
)
BLOCK = struct(
    "event.block",
    ("id", STRING),
    ("total_order", INT64),
    ("data_collection_order", INT64),
    optional=True,
)
ENVELOPE = struct(
    "p.d.t.Envelope",
    ("before", ROW.as_optional()),
    ("after", ROW.as_optional()),
    ("source", SOURCE),
    ("transaction", BLOCK),
    ("op", STRING),
)
EVENT: dict[str, Any] = {
    "before": None,
    "after": {"id": 1},
    "source": {
        "version": "3.6",
        "connector": "mysql",
        "name": "p",
        "ts_ms": 1_700_000_000_123,
        "snapshot": None,
        "db": "d",
        "file": "log.1",
        "pos": 5,
        "row": 0,
    },
    "transaction": {"id": "tx", "total_order": 1, "data_collection_order": 2},
    "op": "c",
}
