"""Columns of messages in Avro get the names that they have now, as those of JSON do."""

from __future__ import annotations

import json
from typing import Any

from sparksink.config.ordering import Ordering
from sparksink.schemas.spark_types import ColumnConversion
from tests.fixtures.sink.recorded import Topic, frame
from tests.sink.test_formats import avro

COLUMNS = {"id": "int", "c": ["null", "string"]}


def record(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    given = [{"name": member, "type": kind} for member, kind in fields.items()]
    return {"type": "record", "name": name, "fields": given}


def test_a_renamed_column_is_found_in_a_message_of_before(spark: Any) -> None:
    """With this the table was set aside: no such struct field."""

    from sparksink.decode.changes import changes  # noqa: PLC0415 - needs Spark
    from sparksink.decode.message_schemas import MessageSchemas  # noqa: PLC0415 - needs Spark
    from sparksink.decode.reading import TableReading  # noqa: PLC0415 - needs Spark

    block = record("Source", {"file": "string", "pos": "long", "row": "int", "snapshot": "string",
                              "ts_ms": "long"})  # fmt: skip
    images = {"before": ["null", record("Value", COLUMNS)], "after": ["null", "Value"]}
    schema = record("Envelope", {**images, "source": block, "op": "string"})
    source = {"file": "bin.000001", "pos": 4, "row": 0, "snapshot": "false", "ts_ms": 1}
    rows = {"before": {"id": 1, "c": "a"}, "after": {"id": 1, "c": "b"}}
    message = Topic().message(None, avro(schema, 7, {**rows, "source": source, "op": "u"}))
    layouts = MessageSchemas(lambda _: None, lambda _: json.dumps(schema))
    layouts.add_schema("srv.shop.orders", "avro:7")
    layout = layouts.layout("srv.shop.orders", "shop.orders", "avro:7")
    columns = {
        "id": ColumnConversion("int", "int"),
        "d": ColumnConversion("string", "string", member="c"),
    }
    reading = TableReading(("id",), columns, Ordering(), images=True, before="struct")
    [found] = changes(frame(spark, [message]), layout, reading).collect()
    assert (found["id"], found["d"], found["__fault"]) == (1, "b", None)
    assert found["__before"].asDict() == {"id": 1, "d": "a"}
