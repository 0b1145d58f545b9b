"""What a batch holds is counted, and of each new kind of message one is looked at."""

from __future__ import annotations

import json
from typing import Any

from sparksink.decode.layouts import Layouts
from tests.sink.recorded import Topic, frame

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


def test_keys_are_learned_from_one_of_each_kind(spark: Any):
    from sparksink.decode.census import read  # noqa: PLC0415 - needs Spark

    asked: list[int] = []

    def registry(number: int) -> str:
        asked.append(number)
        return AVRO_KEY

    layouts = Layouts(lambda _: None, registry)
    topics = {name: Topic(name) for name in KEYS}
    messages = [topics[name].message(key, {"v": 1}) for name, keys in KEYS.items() for key in keys]
    for _ in range(2):
        counted, counts = read(frame(spark, messages), layouts, lambda *_: None)
        counted.unpersist()
        assert {name: layouts.keys(name, "t") for name in KEYS} == NAMES
        assert sum(one.messages for one in counts if one.topic == "avro") == 2
        assert max(one.end for one in counts if one.topic == "changed") == 3
    assert asked == [7]
