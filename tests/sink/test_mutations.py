"""A message that cannot be read is a dead letter, whatever its bytes, and no table stops."""

from __future__ import annotations

import base64
import os
import random
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.sink.mutations import mutated
from tests.sink.recorded import MakeSink, Row, Topic, field, frame, rows

pytestmark = pytest.mark.usefixtures("adaptive")

MUTATIONS = int(os.environ.get("MUTATIONS", "10000"))
"""How many messages test-long changes."""
_BATCH = 500
COLUMNS = [
    field("id", "int32", optional=False),
    field("v", "string"),
    field("day", "int32", "io.debezium.time.Date"),
    field("at", "int64", "io.debezium.time.Timestamp"),
    field("price", "bytes", "org.apache.kafka.connect.data.Decimal",
          parameters={"scale": "2", "connect.decimal.precision": "10"}),
]  # fmt: skip
TYPES = {"id": "int", "v": "varchar(20)", "day": "date", "at": "datetime", "price": "decimal(10,2)"}


def row(key: int) -> Row:
    return {"id": key, "v": f"v{key}", "day": key, "at": 1_700_000_000_000 + key, "price": "BNI="}


def with_faults(
    topics: list[Topic], first: int, count: int, chance: random.Random
) -> Iterator[Row]:
    """Yield messages with one fault and a key each, and at the end of a topic one without."""
    for key in range(first, first + count):
        message = chance.choice(topics).change("c", key, None, row(key))
        part = "key64" if chance.random() < 0.1 else "value64"
        wrong = mutated(base64.b64decode(message[part]), chance)
        fault = {"row": key, "right": message[part], "part": part}
        yield {**message, **fault, part: base64.b64encode(wrong).decode()}
    for topic in topics:
        yield topic.change("c", first + count, None, row(10**6 + first))


def run(sink: MakeSink, spark: Any, count: int) -> None:
    """Apply messages with faults, and then the dead letters without theirs."""
    from sparksink.commands import replay  # noqa: PLC0415 - needs Spark

    tables = [{"match": r"shop\.plain", "columns": {"types": TYPES}}]
    made = sink(target={"format": "iceberg"}, history={"enabled": True}, tables=tables)
    topics = [Topic("srv.shop.plain"), Topic("srv.shop.orders", COLUMNS)]
    chance, messages = random.Random(count), list[Row]()
    for number, first in enumerate(range(1, count, _BATCH)):
        some = [*with_faults(topics, first, min(_BATCH, count - first), chance)]
        messages += some
        made.batches.apply(frame(spark, some), "app", number)
        assert made.state.parked() == {}
    letters = {*rows(made, "_cdc/dead_letter", "topic", "offset")}
    for topic in topics:
        kept = {(topic.name, offset) for (offset,) in rows(made, _history(topic), "__offset")}
        every = {(topic.name, one["offset"]) for one in messages if one["topic"] == topic.name}
        assert kept | (letters & every) == every
        assert not kept & letters
    broken = [one for one in messages if (one["topic"], one["offset"]) in letters]
    assert len(broken) > count / 3
    assert all("row" in one for one in broken)
    mend(made, spark, broken)
    replay.replay_dead_letters(made)
    assert made.state.parked() == {}
    assert rows(made, "_cdc/dead_letter", "offset") == []
    for topic in topics:
        names = ("id", "v", "day", "at", "price")
        found = made.lake.table(_mirror(topic)).read().select(*map(str, names)).collect()
        values = {one["id"]: tuple(map(str, one)) for one in found}
        for one in broken:
            if one["topic"] == topic.name:
                assert values[one["row"]][1] == f"v{one['row']}"
                assert values[one["row"]][4] == "12.34"


def _mirror(topic: Topic) -> str:
    return topic.name.removeprefix("srv.").replace(".", "__")


def _history(topic: Topic) -> str:
    return f"{_mirror(topic)}__history"


def mend(made: Any, spark: Any, messages: list[Row]) -> None:
    """Give dead letters the bytes that they had."""
    letters = made.state.table("dead_letter").read().localCheckpoint()
    given = [(one["topic"], one["offset"], one["part"], one["right"]) for one in messages]
    kinds = "topic string, offset bigint, part string, right string"
    joined = letters.join(spark.createDataFrame(given, kinds), ["topic", "offset"])
    mended = {
        name: f"CASE WHEN part = '{name}64' THEN unbase64(right) ELSE {name} END AS {name}"
        for name in ("key", "value")
    }
    rest = joined.selectExpr(*(mended.get(name, name) for name in letters.columns))
    kept = rest.localCheckpoint()
    made.state.table("dead_letter").run("DELETE FROM {table}")
    made.state.table("dead_letter").append(kept, f"mended-{uuid.uuid4().hex}", 0)


def test_messages_with_any_fault_stop_no_table(sink: MakeSink, spark: Any) -> None:
    run(sink, spark, 301)


@pytest.mark.slow
def test_many_messages_with_any_fault_stop_no_table(sink: MakeSink, spark: Any) -> None:
    run(sink, spark, MUTATIONS)
