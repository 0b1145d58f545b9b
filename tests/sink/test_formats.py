"""Messages are read however the connector writes them: five ways, the same table."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import fastavro
import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, frame, rows
from tests.unit.sparksink.test_row_schema import AVRO

pytestmark = pytest.mark.slow  # minutes of Spark

EXPECTED = [(1, "12.34"), (2, None)]
SOURCE = {"file": "bin.000001", "row": 0, "snapshot": "false", "ts_ms": 1}
DDL = {
    "ddl": "CREATE TABLE …",
    "tableChanges": [
        {
            "id": '"shop"."orders"',
            "table": {
                "primaryKeyColumnNames": ["id"],
                "columns": [
                    {"name": "id", "typeName": "INT"},
                    {"name": "price", "typeName": "DECIMAL", "length": 10, "scale": 2},
                ],
            },
        }
    ],
}


def values(sink: Any) -> list[tuple[Any, ...]]:
    return [
        (key, None if p is None else str(p)) for key, p in rows(sink, "shop__orders", "id", "price")
    ]


def envelopes() -> list[tuple[Any, Any, str, int]]:
    """Return before, after, operation and position of some changes."""
    one, two, gone = ({"id": n, "price": p} for n, p in ((1, "BNI="), (2, None), (3, "AQ==")))
    return [(None, gone, "c", 10), (None, one, "c", 20), (gone, None, "d", 30), (one, two, "c", 40)]


def write_statement(path: Path, value: Any) -> None:
    line = {"topic": "srv", "partition": 0, "offset": 0, "value": json.dumps(value)}
    (path / "in" / "ddl.json").write_text(json.dumps(line))


def test_json_without_schemas_takes_the_types_of_the_schema_change_topic(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    made = sink(source={"ddl.topic": "srv"})
    write_statement(tmp_path, DDL)
    topic = Topic()
    messages = [topic.change(op, pos, before, after) for before, after, op, pos in envelopes()]
    made.batches.apply(frame(spark, messages), "app", 0)
    assert values(made) == EXPECTED


def test_cloud_events_take_the_types_of_the_configuration(sink: MakeSink, spark: Any) -> None:
    made = sink(columns={"types": {"id": "int", "price": "decimal(10,2)"}})
    topic = Topic()
    messages = [
        topic.message(
            {"id": (after or before)["id"]},
            {
                "id": "x", "source": "/debezium", "specversion": "1.0", "iodebeziumop": op,
                "iodebeziumfile": "bin.000001", "iodebeziumpos": str(pos), "iodebeziumrow": "0",
                "iodebeziumtsms": "1", "data": {"before": before, "after": after},
            },
        )
        for before, after, op, pos in envelopes()
    ]  # fmt: skip
    made.batches.apply(frame(spark, messages), "app", 0)
    assert values(made) == EXPECTED


def test_unwrapped_rows_with_their_position(sink: MakeSink, spark: Any) -> None:
    made = sink(columns={"types": {"id": "int", "price": "decimal(10,2)"}})
    topic = Topic()
    messages = [
        topic.message(
            {"id": row["id"]},
            {**row, "__op": op, "__deleted": str(op == "d").lower(), "__source_file": "bin.000001",
             "__source_pos": pos, "__source_ts_ms": 1},
        )
        for before, after, op, pos in envelopes()
        for row in [after or before]
    ]  # fmt: skip
    made.batches.apply(frame(spark, messages), "app", 0)
    assert values(made) == EXPECTED
    assert list(made.lake.table("shop__orders").columns())[:2] == ["id", "price"]


def test_bare_rows_are_ordered_by_kafka(sink: MakeSink, spark: Any) -> None:
    made = sink(
        ordering={"mode": "kafka"},
        mirror={"truncate": "ignore", "sweep": False},
        columns={"types": {"id": "int", "price": "decimal(10,2)"}},
    )
    topic = Topic()
    messages = [
        topic.message({"id": (after or before)["id"]}, after) for before, after, _, _ in envelopes()
    ]
    made.batches.apply(frame(spark, messages), "app", 0)
    assert values(made) == EXPECTED
    made.batches.apply(frame(spark, messages), "app", 1)  # the topic is read again
    assert values(made) == EXPECTED


def with_source(schema: Any) -> Any:
    """Return the envelope's schema with a source block that has positions."""
    kinds = {"file": "string", "pos": "long", "row": "int", "snapshot": "string", "ts_ms": "long"}
    block = {"type": "record", "name": "Source",
             "fields": [{"name": n, "type": k} for n, k in kinds.items()]}  # fmt: skip
    fields = [{**f, "type": block} if f["name"] == "source" else f for f in schema["fields"]]
    return {**schema, "fields": fields}


class Registry(BaseHTTPRequestHandler):
    """Answers with one schema, as a schema registry does."""

    schemas = {  # noqa: RUF012 - never changed
        "/schemas/ids/7": with_source(AVRO),
        "/schemas/ids/8": {"type": "record", "name": "Key",
                           "fields": [{"name": "id", "type": "int"}]},
    }  # fmt: skip

    def do_GET(self) -> None:
        found = self.schemas.get(self.path)
        self.send_response(200 if found else 404)
        self.end_headers()
        self.wfile.write(json.dumps({"schema": json.dumps(found)}).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def registry() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def avro(schema: Any, identifier: int, value: Any) -> bytes:
    output = io.BytesIO(b"\0" + identifier.to_bytes(4, "big"))
    output.seek(5)
    fastavro.schemaless_writer(output, fastavro.parse_schema(json.loads(json.dumps(schema))), value)
    return output.getvalue()


def test_avro_with_a_registry(sink: MakeSink, spark: Any, registry: str) -> None:
    schema = Registry.schemas["/schemas/ids/7"]
    made = sink(source={"schema.registry": {"url": registry}})
    topic = Topic()

    def image(row: Any) -> Any:
        from decimal import Decimal  # noqa: PLC0415

        prices = {"BNI=": Decimal("12.34"), "AQ==": Decimal("0.01"), None: None}
        return None if row is None else {**row, "price": prices[row["price"]]}

    messages = []
    for before, after, op, pos in envelopes():
        value = {"before": image(before), "after": image(after), "op": op,
                 "source": {**SOURCE, "pos": pos}}  # fmt: skip
        key = avro(Registry.schemas["/schemas/ids/8"], 8, {"id": (after or before)["id"]})
        messages.append(topic.message(key, avro(schema, 7, value)))
    made.batches.apply(frame(spark, messages), "app", 0)
    assert values(made) == EXPECTED


def test_tombstones_with_avro_keys_are_deletes(sink: MakeSink, spark: Any, registry: str) -> None:
    """Their deletes were compacted away; a process that has seen no value reads them, too."""
    known = Registry.schemas
    header = {"source": {"schema.registry": {"url": registry}}, "ordering": {"epoch": "header"}}
    topic = Topic()

    def key(number: int) -> bytes:
        return avro(known["/schemas/ids/8"], 8, {"id": number})

    def at(pos: int) -> dict[str, str]:
        return {"position": f"0/bin.000001/{pos}/0"}

    changes = [
        topic.message(
            key(n),
            avro(known["/schemas/ids/7"], 7, {"before": None, "after": {"id": n, "price": None},
                                              "op": "c", "source": {**SOURCE, "pos": 10 + n}}),
            **at(10 + n),
        )
        for n in (1, 2, 3)
    ]  # fmt: skip
    made = sink(**header)
    first = [*changes, topic.message(key(1), None, **at(20))]
    made.batches.apply(frame(spark, first), "app", 0)
    assert values(made) == [(2, None), (3, None)]
    again = sink(**header)
    again.batches.apply(frame(spark, [topic.message(key(2), None, **at(30))]), "app", 1)
    assert values(again) == [(3, None)]
    assert again.state.parked_tables() == {}
    assert not again.state.lacks_messages
