"""Where messages come from: forms that are forced, tables that share a topic, bounds of reading."""

from __future__ import annotations

import argparse
import base64
import json
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from sparksink.config.source import Source
from sparksink.errors import ConfigError, SinkError
from sparksink.state.table_result import TableResult
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tests.sink.test_streaming import ONCE, record
from tools.stack import KafkaBroker

COLUMNS = [field("id", "int32"), field("v", "string")]
SOURCE = [field("db", "string"), field("table", "string")]
SHAPES = {"columns": {"types": {"id": "int", "v": "varchar(9)"}}}


def of(topic: Topic, table: str, pos: int, row: Row, **more: Any) -> Row:
    """Make an insert that names its table."""
    return topic.change("c", pos, None, row, db="shop", table=table, **more)


def messages_of_all_kinds() -> list[Row]:
    with_schema, plain = Topic(columns=COLUMNS), Topic()
    plain.offset = 10
    return [
        with_schema.change("c", 100, None, {"id": 1, "v": "a"}),
        plain.change("c", 110, None, {"id": 2, "v": "b"}),
        plain.message(None, b"\0\0\0\0\1\2"),
        plain.message(None, b"\0"),
        plain.message(None, None),
    ]


@pytest.mark.parametrize(
    ("accepted", "garbage"),
    [("json", [0, 2, 3]), ("json-schema", [1, 2, 3]), ("avro", [0, 1, 3]), ("auto", [3])],
)
def test_a_forced_format_knows_no_other(spark: Any, accepted: str, garbage: list[int]) -> None:
    from sparksink.decode.format_names import GARBAGE, accepted_sql  # noqa: PLC0415
    from sparksink.decode.message_format import with_format  # noqa: PLC0415 - needs Spark

    source = Source.model_validate({"kind": "file", "path": "p", "topics": "t", "format": accepted})
    found = with_format(frame(spark, messages_of_all_kinds()), {}, accepted_sql(source)).collect()
    assert [n for n, row in enumerate(found) if row["mark"] == GARBAGE] == garbage


@pytest.mark.slow
def test_messages_of_another_format_are_dead_letters(sink: MakeSink, spark: Any) -> None:
    from sparksink.commands.replay import replay_dead_letters  # noqa: PLC0415 - needs Spark

    messages = messages_of_all_kinds()
    made = sink(source={"format": "json"}, errors={"max.ratio": 0.75}, **SHAPES)
    made.batches.apply(frame(spark, messages), "app", 0)
    assert rows(made, "shop__orders", "id") == [(2,)]
    assert replay_dead_letters(made) == 3  # tried again they are all there is, which is no share
    reasons = rows(made, "_cdc/dead_letter", "reason")
    assert reasons == [("not of source.format json",)] * 3
    strict = sink(source={"format": "json"}, errors={"malformed": "fail"}, **SHAPES)
    with pytest.raises(SinkError, match="malformed=fail allows none"):
        strict.batches.apply(frame(spark, messages), "app", 1)
    limited = sink(source={"format": "json"}, errors={"max.ratio": 0.5}, **SHAPES)
    limited.batches.apply(frame(spark, messages), "app", 1)
    reason = limited.state.parked_tables()["shop.orders"]
    assert "3 of 5 messages of one batch" in reason
    assert "errors.max.ratio sets the limit" in reason


@pytest.mark.parametrize(
    ("route", "table_format"),
    [("source", "delta"), pytest.param("header:table", "iceberg", marks=pytest.mark.slow)],
)
def test_tables_that_share_a_topic_are_routed(
    sink: MakeSink, tmp_path: Path, route: str, table_format: str
) -> None:
    from sparksink.commands.subcommands import backfill, run  # noqa: PLC0415

    def again() -> Any:
        return sink(
            source={"route": route}, target={"format": table_format},
            tables=[{"match": ".*plain", **SHAPES}],
        )  # fmt: skip

    def with_table_header(message: Row, table: str) -> Row:
        return {**message, "headers": {"table": f"srv.shop.{table}"}}

    all_of_them = Topic("srv.all", columns=COLUMNS)
    plain = Topic("srv.all", keys=["id"])
    plain.offset = 100
    logical = {"id": 2, "__dbz__physicalTableIdentifier": "srv.shop.two"}
    two = of(all_of_them, "two", 110, {"id": 2, "v": "b"})
    two["key64"] = all_of_them.message(logical, None)["key64"]
    record(
        tmp_path, "0.json",
        with_table_header(of(all_of_them, "one", 100, {"id": 1, "v": "a"}), "one"),
        with_table_header(two, "two"),
        with_table_header(of(plain, "plain", 120, {"id": 1, "v": "c"}), "plain"),
        with_table_header(all_of_them.message(logical, None), "two"),
        all_of_them.message({"id": 3}, None),  # a tombstone that names no table
        all_of_them.message({"id": 4}, {"v": 1}),
    )  # fmt: skip
    made = again()
    run(made, ONCE)
    assert rows(made, "shop__one", "id", "v") == [(1, "a")]
    assert rows(made, "shop__two", "id", "v") == [(2, "b")]
    assert rows(made, "shop__plain", "id", "v") == [(1, "c")]
    letters = rows(made, "_cdc/dead_letter", "source_table", "offset", "reason")
    assert letters == [("srv.all", 6, "names no table")]
    assert made.state.topics() == [
        "srv.all/", "srv.all/shop.one", "srv.all/shop.plain", "srv.all/shop.two",
    ]  # fmt: skip
    backfill(made, argparse.Namespace(tables="shop.two", start="earliest", end="latest"))
    assert [one for (one,) in rows(made, "_cdc/commits", "batch")] == [0, 0]


@pytest.mark.slow
def test_a_routed_table_is_rebuilt(
    sink: MakeSink, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sparksink.commands.subcommands import check, plan, rebuild, run  # noqa: PLC0415

    topic = Topic("srv.all", columns=COLUMNS)
    inserts = [of(topic, name, 100, {"id": 1, "v": name}) for name in ("one", "two")]
    record(tmp_path, "0.json", *inserts)
    made = sink(source={"route": "source"})
    check(made, ONCE)
    plan(made, ONCE)
    run(made, ONCE)
    made.lake.table("shop__two").run("DELETE FROM {table}")
    rebuild(made, argparse.Namespace(table="shop.two", force=False))
    assert rows(made, "shop__two", "v") == [("two",)]
    message = capsys.readouterr().out
    assert "srv.all → the tables that its messages name: 1 partitions, 2 messages" in message
    assert "srv.all/shop.one → shop__one, key (id)" in message
    assert "shop.two: 1 rows, before 0; 0 unusable messages, 0 parked messages applied" in message


def test_what_shares_a_topic_is_found_in_unwrapped_rows_and_cloud_events(spark: Any) -> None:
    from sparksink.source.table_routing import route_by_source  # noqa: PLC0415 - needs Spark

    topic = Topic("srv.all")
    messages = [
        topic.message(None, {"id": 1, "__source_db": "shop", "__source_table": "row"}),
        topic.message(None, {"specversion": "1.0", "source": "/debezium/mysql/srv",
                             "iodebeziumdb": "shop", "iodebeziumtable": "cloud"}),
        topic.message({"__dbz__physicalTableIdentifier": "srv.shop.key"}, None),
        topic.message(None, {"source": {"db": "shop"}}),
    ]  # fmt: skip
    found = route_by_source(frame(spark, messages)).select("topic").collect()
    routed = ["srv.all/shop.row", "srv.all/shop.cloud", "srv.all/shop.key", "srv.all/"]
    assert [one["topic"] for one in found] == routed


@pytest.mark.slow
def test_a_job_starts_at_configured_offsets_and_copies_dead_letters(
    broker: KafkaBroker, topics: Topics, sink: MakeSink, tmp_path: Path
) -> None:
    from sparksink.commands.subcommands import backfill, run  # noqa: PLC0415

    prefix = f"begin{time.time_ns()}"
    name, dead = f"{prefix}.shop.orders", f"{prefix}-dead"
    topics.create(name)
    topics.create(dead)
    topic = Topic(name, COLUMNS)
    produce(broker, [topic.change("c", 100 + n, None, {"id": n, "v": "a"}) for n in range(3)])
    produce(broker, [topic.message(b"k", b"?")])
    source = {
        "kind": "kafka", "bootstrap.servers": broker.address, "topics": re.escape(name),
        "min.offsets.per.trigger": 1000, "max.trigger.delay": "1h",
        "starting.offsets": {name: {0: 2}},
    }  # fmt: skip
    rules = {"dlq": {"topic": dead, "table": "letters"}, "ordering": {"epoch": "header"}}
    made = sink(source=source, **rules)
    run(made, ONCE)  # once takes what is there, however little
    assert rows(made, "shop__orders", "id") == [(2,)]
    assert rows(made, "_cdc/letters", "offset", "reason") == [(3, "neither JSON nor Avro")]
    [copy] = topics.wait_for(dead, 1)
    assert (copy.key, copy.value) == (b"k", b"?")
    assert dict(copy.headers) == {
        "__connect.errors.topic": name.encode(),
        "__connect.errors.partition": b"0",
        "__connect.errors.offset": b"3",
        "__connect.errors.exception.message": b"neither JSON nor Avro",
        "millrace.table": b"shop.orders",
    }
    bound = tmp_path / "offsets.json"
    bound.write_text(json.dumps({name: {"0": 1}}))
    end = "timestamp:2100-01-01T00:00:00Z"
    backfill(made, argparse.Namespace(tables=".*", start=str(bound), end=end))
    assert rows(made, "shop__orders", "id") == [(1,), (2,)]


@pytest.mark.slow
def test_a_batch_waits_until_there_are_enough_messages(
    broker: KafkaBroker, topics: Topics, sink: MakeSink, tmp_path: Path
) -> None:
    name = f"wait{time.time_ns()}.shop.orders"
    topics.create(name)
    topic = Topic(name, COLUMNS)
    made = sink(
        source={
            "kind": "kafka", "bootstrap.servers": broker.address, "topics": re.escape(name),
            "min.offsets.per.trigger": 3, "max.trigger.delay": "1h",
        }
    )  # fmt: skip
    sizes: list[int] = []
    writer = made.messages.stream().writeStream.option("checkpointLocation", str(tmp_path / "c"))
    counted = writer.foreachBatch(lambda batch, _: sizes.append(batch.count()))
    query = counted.trigger(processingTime="100 milliseconds").start()
    try:
        produce(broker, [topic.message({"id": 1}, {})])
        wait_for(lambda: sizes == [1], 60)  # the first batch waits for nothing
        produce(broker, [topic.message({"id": 1}, {})] * 2)
        query.awaitTermination(3)
        assert sizes == [1]
        produce(broker, [topic.message({"id": 1}, {})])
        wait_for(lambda: sizes == [1, 3], 60)
    finally:
        query.stop()


def test_heartbeats_of_another_name_are_left_out(sink: MakeSink, tmp_path: Path) -> None:
    made = sink(source={"heartbeat.prefix": "srv.beat"})
    with_table_header = (Topic("srv.beat.srv"), Topic("srv.shop.orders"))
    record(tmp_path, "0.json", *(topic.message({"id": 1}, {"v": 1}) for topic in with_table_header))
    assert [row["topic"] for row in made.messages.between().collect()] == ["srv.shop.orders"]
    assert [made.messages.is_table_topic(topic.name) for topic in with_table_header] == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("offsets.json", "--from offsets.json cannot be read: No such file"),
        ("first", "--from first: write earliest, latest"),
        ("latest", "--from and --to need source.kind: kafka"),
    ],
)
def test_an_invalid_bound_is_refused(sink: MakeSink, given: str, message: str) -> None:
    from sparksink.commands.subcommands import backfill  # noqa: PLC0415 - needs Spark

    with pytest.raises(ConfigError, match=message):
        backfill(sink(), argparse.Namespace(tables=".*", start=given, end="latest"))


def test_the_first_pause_between_retries_is_configured(sink: MakeSink) -> None:
    from pyspark.errors import PySparkException  # noqa: PLC0415 - needs Spark

    made, failures = sink(errors={"retries": 3, "backoff": "10ms"}), iter(range(3))

    def work() -> TableResult:
        if next(failures, None) is not None:
            raise PySparkException("busy")
        return TableResult("t")

    begun = time.monotonic()
    assert made.batches._isolation.run(work, "t", resumed=False) == TableResult("t", retries=3)
    assert 0.07 <= time.monotonic() - begun < 1


def produce(broker: KafkaBroker, messages: Iterable[Row]) -> None:
    producer = Producer({"bootstrap.servers": broker.address})
    for message in messages:
        parts = [base64.b64decode(message[part]) for part in ("key64", "value64")]
        producer.produce(message["topic"], key=parts[0], value=parts[1], headers=[("other", b"x")])
    assert producer.flush(30) == 0
