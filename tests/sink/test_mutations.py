"""A message that cannot be read is a dead letter, whatever its bytes, and no table stops."""

from __future__ import annotations

import base64
import os
import random
import threading
import uuid
from collections.abc import Iterator
from http.server import HTTPServer
from typing import Any

import pytest

from tests.fixtures.sink.mutations import mutated
from tests.fixtures.sink.random_tables import SOURCE_FIELDS, record
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows
from tests.sink.test_formats import Registry, avro

MUTATIONS = int(os.environ.get("MUTATIONS", "10000"))
"""How many messages test-long changes."""
_BATCH = 2500
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


AVRO_ROW = record("Value", {"id": "int", "v": ["null", "string"]})
AVRO_KEY = record("Key", {"id": "int"})
SCHEMAS = {
    "/schemas/ids/1": AVRO_KEY,
    "/schemas/ids/2": record("Envelope", {
        "before": ["null", AVRO_ROW], "after": ["null", "Value"], "op": "string",
        "source": record("Source", SOURCE_FIELDS),
    }),
}  # fmt: skip


@pytest.fixture
def registry() -> Iterator[str]:
    answers = type("Answers", (Registry,), {"schemas": SCHEMAS})
    with HTTPServer(("127.0.0.1", 0), answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class RowTopic(Topic):
    """A topic of new rows."""

    def created(self, pos: int, key: int) -> Row:
        return self.change("c", pos, None, row(key))


class AvroTopic(RowTopic):
    """Writes rows in Avro."""

    def created(self, pos: int, key: int) -> Row:
        image = {"id": key, "v": f"v{key}"}
        source = {"file": "bin.000001", "pos": pos, "row": 0, "snapshot": "false", "ts_ms": pos}
        value = {"before": None, "after": image, "source": source, "op": "c"}
        encoded = avro(SCHEMAS["/schemas/ids/2"], 2, value)
        return self.message(avro(AVRO_KEY, 1, {"id": key}), encoded)


class UnwrappedTopic(RowTopic):
    """Writes rows without an envelope."""

    def created(self, pos: int, key: int) -> Row:
        more = {"__op": "c", "__deleted": "false", "__source_file": "bin.000001",
                "__source_pos": pos, "__source_ts_ms": pos}  # fmt: skip
        return self.message({"id": key}, {**row(key), **more})


def with_faults(
    topics: list[RowTopic], first: int, count: int, chance: random.Random
) -> Iterator[Row]:
    """Yield messages with one fault and a key each, and at the end of a topic one without."""
    for key in range(first, first + count):
        message = chance.choice(topics).created(key, key)
        part = "key64" if chance.random() < 0.1 else "value64"
        wrong = mutated(base64.b64decode(message[part]), chance)
        fault = {"row": key, "right": message[part], "part": part}
        yield {**message, **fault, part: base64.b64encode(wrong).decode()}
    for topic in topics:
        yield topic.created(first + count, 10**6 + first)


def run(sink: MakeSink, spark: Any, registry: str, count: int) -> None:
    """Apply messages with faults, and then the dead letters without theirs."""
    from sparksink.commands import replay  # noqa: PLC0415 - needs Spark

    made = sink(
        source={"schema.registry": {"url": registry}},
        target={"format": "iceberg"},
        history={"enabled": True},
        # A position may be wrong and readable, and so ahead of all later ones.
        ordering={"on.position.regression": "ignore"},
        tables=[{"match": r"shop\.(plain|row)", "columns": {"types": TYPES}}],
    )
    topics = [RowTopic("srv.shop.plain"), RowTopic("srv.shop.orders", COLUMNS),
              AvroTopic("srv.shop.avro"), UnwrappedTopic("srv.shop.row")]  # fmt: skip
    chance, messages = random.Random(count), list[Row]()
    for number, first in enumerate(range(1, count, _BATCH)):
        some = [*with_faults(topics, first, min(_BATCH, count - first), chance)]
        messages += some
        made.batches.apply(frame(spark, some), "app", number)
        assert made.state.parked_tables() == {}
    letters = {*rows(made, "_cdc/dead_letter", "topic", "offset")}
    for topic in topics:
        kept = {(topic.name, offset) for (offset,) in rows(made, _history(topic), "__offset")}
        every = {(topic.name, one["offset"]) for one in messages if one["topic"] == topic.name}
        assert kept | (letters & every) == every
        assert not kept & letters
    broken = [one for one in messages if (one["topic"], one["offset"]) in letters]
    assert len(broken) > count / 3
    assert all("row" in one for one in broken)
    # Keys that are wrong and readable: their rows are later than those of the dead letters.
    lies = {(topic.name, key) for topic in topics for (key,) in rows(made, _mirror(topic), "id")}
    right = [one for one in broken if (one["topic"], one["row"]) not in lies]
    assert len(broken) - len(right) < max(3, count / 100)
    mend(made, spark, broken)
    replay.replay_dead_letters(made)
    assert made.state.parked_tables() == {}
    assert rows(made, "_cdc/dead_letter", "offset") == []
    for topic in topics:
        found = made.lake.table(_mirror(topic)).read().collect()
        values = {one["id"]: one.asDict() for one in found}
        for one in right:
            if one["topic"] == topic.name:
                assert values[one["row"]]["v"] == f"v{one['row']}"
                assert str(values[one["row"]].get("price", "12.34")) == "12.34"


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


@pytest.mark.slow
def test_unreadable_messages_of_as_many_avro_schemas_stop_no_table(
    sink: MakeSink, spark: Any, registry: str
) -> None:
    """A corrupt message that starts with a zero byte has any number of a schema."""
    source = {"schema.registry": {"url": registry}}
    given = {"errors": {"max.per.batch": 10_000}, "target": {"format": "iceberg"}}
    made = sink(source=source, **given)
    topics = [Topic(f"srv.shop.{name}", COLUMNS[:2]) for name in "ab"]
    messages = [topic.change("c", 100, None, {"id": 1, "v": "a"}) for topic in topics]
    for number in range(1000, 1700):
        torn = b"\0" + number.to_bytes(4, "big") + b"{}"
        messages += [topic.message({"id": number}, torn) for topic in topics]
    made.batches.apply(frame(spark, messages), "app", 0)
    assert made.state.parked_tables() == {}
    assert rows(made, "shop__a", "id") == rows(made, "shop__b", "id") == [(1,)]
    letters = rows(made, "_cdc/dead_letter", "reason")
    assert len(letters) == 1400
    assert len({*letters}) < 50


def test_a_corrupt_length_in_avro_is_one_dead_letter(
    sink: MakeSink, spark: Any, registry: str
) -> None:
    """A value of two gigabytes would otherwise be allocated, whose lack ends the JVM."""
    made = sink(source={"schema.registry": {"url": registry}}, target={"format": "iceberg"})
    topic = AvroTopic("srv.shop.avro")
    right, torn = (topic.created(pos, pos) for pos in (1, 2))
    value = base64.b64decode(torn["value64"])
    length = b"\xd8\xff\xff\xff\x0f"  # of a string of 2^31 - 20 bytes
    torn["value64"] = base64.b64encode(value.replace(b"\x04v2", length + b"v2")).decode()
    made.batches.apply(frame(spark, [right, torn]), "app", 0)
    assert made.state.parked_tables() == {}
    assert rows(made, "shop__avro", "id", "v") == [(1, "v1")]
    assert rows(made, "_cdc/dead_letter", "offset") == [(2,)]


def test_messages_with_any_fault_stop_no_table(sink: MakeSink, spark: Any, registry: str) -> None:
    run(sink, spark, registry, 301)


@pytest.mark.slow
def test_many_messages_with_any_fault_stop_no_table(
    sink: MakeSink, spark: Any, registry: str
) -> None:
    run(sink, spark, registry, MUTATIONS)
