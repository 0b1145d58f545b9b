"""Messages as a connector writes them, and rows as a mirror should hold them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

FIELDS = "topic partition offset timestamp key value key64 value64 position headers".split()

Row = dict[str, Any]
MakeSink = Callable[..., Any]
"""The fixture ``sink``: builds a sink from sections of its configuration."""


def field(name: str, kind: str, semantic: str | None = None, **more: Any) -> Row:
    given = {"type": kind, "optional": more.pop("optional", True), "field": name, **more}
    return {**given, **({"name": semantic, "version": 1} if semantic else {})}


def envelope_schema(columns: Sequence[Row]) -> Row:
    source = [
        field("file", "string"), field("pos", "int64"), field("row", "int32"),
        field("snapshot", "string"), field("ts_ms", "int64"),
    ]  # fmt: skip
    images = [
        {"type": "struct", "fields": list(columns), "optional": True, "field": image}
        for image in ("before", "after")
    ]
    block = {"type": "struct", "fields": source, "optional": False, "field": "source"}
    return {"type": "struct", "fields": [*images, block, field("op", "string")], "name": "E"}


class Topic:
    """Writes the messages of one topic. With ``columns`` they carry a schema."""

    def __init__(
        self,
        name: str = "srv.shop.orders",
        columns: Sequence[Row] = (),
        keys: Sequence[str] = ("id",),
    ) -> None:
        self.name = name
        self.columns = columns
        self.keys = keys
        self.offset = 0

    def change(
        self, op: str, pos: int, before: Row | None = None, after: Row | None = None, **more: Any
    ) -> Row:
        """Make the message of a change; ``more`` goes into the source block."""
        source = {"file": "bin.000001", "pos": pos, "row": 0, "snapshot": "false",
                  "ts_ms": 1_700_000_000_000 + pos, **more}  # fmt: skip
        value: Any = {"before": before, "after": after, "source": source, "op": op}
        if self.columns:
            value = {"schema": envelope_schema(self.columns), "payload": value}
        row = after or before
        key = None if row is None or not self.keys else {name: row[name] for name in self.keys}
        return self.message(key, value)

    def message(self, key: Any, value: Any, **more: Any) -> Row:
        """Make a message; keys and values that are not bytes become JSON."""
        self.offset += 1
        return {
            "topic": self.name,
            "partition": 0,
            "offset": self.offset,
            "timestamp": self.offset,
            "key64": _base64(key),
            "value64": _base64(value),
            **more,
        }


def _base64(value: Any) -> str | None:
    if value is None:
        return None
    data = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
    return base64.b64encode(data).decode()


def frame(spark: Any, messages: Iterable[Mapping[str, Any]]) -> Any:
    """Return recorded messages as the frame that the sink works on."""
    from sparksink.source.messages import RECORDED, parse_recorded  # noqa: PLC0415 - needs Spark

    rows = [tuple(message.get(name) for name in FIELDS) for message in messages]
    return parse_recorded(spark.createDataFrame(rows, RECORDED))


def rows(sink: Any, name: str, *columns: str) -> list[tuple[Any, ...]]:
    """Return some columns of a table, sorted as text."""
    found = sink.lake.table(name).read().select(*columns).collect()
    return sorted((tuple(row) for row in found), key=repr)
