"""What a batch holds is counted, and of each new kind of message one is looked at."""

from __future__ import annotations

import json
from typing import Any

from sparksink.decode.message_schemas import MessageSchemas
from tests.fixtures.sink.recorded import Topic, frame

AVRO_KEY = json.dumps({"type": "record", "name": "K", "fields": [{"name": "nr", "type": "int"}]})
KEYS: dict[str, list[Any]] = {
    "plain": [{"id": 1}, {"id": 2}],
    "changed": [{"id": 1}, {"id": 1, "day": 2}],
    "schema": [{"schema": {"fields": [{"field": "payload"}]}, "payload": {"payload": 1}}],
    "avro": [b"\0\0\0\0\7\2", b"\0\0\0\0\7\4"],
    "none": [None],
    "text": [b"abc"],
}
NAMES = {"plain": ("id",), "changed": ("id", "day"), "schema": ("payload",), "avro": ("nr",),
         "none": (), "text": ()}  # fmt: skip


def test_keys_are_learned_from_one_of_each_kind(spark: Any) -> None:
    from sparksink.decode.batch_summary import summarize  # noqa: PLC0415 - needs Spark

    asked: list[int] = []

    def registry(number: int) -> str:
        asked.append(number)
        return AVRO_KEY

    layouts = MessageSchemas(lambda _: None, registry)
    topics = {name: Topic(name) for name in KEYS}
    messages = [topics[name].message(key, {"v": 1}) for name, keys in KEYS.items() for key in keys]
    for _ in range(2):
        counted, counts = summarize(frame(spark, messages), layouts)
        counted.unpersist()
        assert {name: layouts.keys(name, "t") for name in KEYS} == NAMES
        assert sum(one.messages for one in counts if one.topic == "avro") == 2
        assert max(one.end for one in counts if one.topic == "changed") == 3
    assert asked == [7]


def test_schemas_are_learned_in_the_order_in_which_they_came(spark: Any) -> None:
    from sparksink.decode.batch_summary import summarize  # noqa: PLC0415 - needs Spark

    layouts = MessageSchemas(lambda _: None, lambda _: "")
    topic = Topic("orders")
    names = [["id"], ["id", "stock"], ["id", "stock", "at"]]
    messages = [topic.message({"id": 1}, _with_schema(each)) for each in names for _ in range(3)]
    counted, counts = summarize(frame(spark, messages), layouts)
    counted.unpersist()
    marks = sorted(one.mark for one in counts)
    assert [list(layouts.layout("orders", "t", mark).shape.names) for mark in marks] == names


def test_schemas_of_large_messages_are_learned_beside_many_others(spark: Any) -> None:
    from sparksink.decode.batch_summary import summarize  # noqa: PLC0415 - needs Spark

    layouts = MessageSchemas(lambda _: None, lambda _: "")
    values = {f"t{n}": 1 for n in range(99)} | {"large": "a" * 400_000}
    topics = {name: Topic(name) for name in values}
    messages = [
        topics[name].message({"id": 1}, _with_schema(["id"], value))
        for name, value in values.items()
        for _ in range(2)
    ]
    counted, counts = summarize(frame(spark, messages), layouts)
    counted.unpersist()
    assert {one.mark for one in counts if one.topic == "large"} == {"json:0"}
    assert len(counts) == 100


def test_large_samples_are_read_by_several_queries() -> None:
    from sparksink.decode.samples import SchemaSamples, group_by_size  # noqa: PLC0415 - as above

    given = [SchemaSamples("t", number, [], size) for number, size in enumerate((3, 4, 4, 20, 1))]
    groups = group_by_size(given, 8)
    assert [[one.number for one in group] for group in groups] == [[0, 1], [2], [3], [4]]
    assert list(group_by_size([], 8)) == []


def _with_schema(names: list[str], value: Any = 1) -> Any:
    kind = "int32" if value == 1 else "string"
    fields = [{"type": kind, "optional": False, "field": name} for name in names]
    schema = {"type": "struct", "fields": fields, "optional": False, "name": "v"}
    return {"schema": schema, "payload": dict.fromkeys(names, value)}
