"""Kafka read in Python, without Spark's jars for it: the same messages, from a real broker."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped] # it has no types of its own
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from pyspark.errors import StreamingQueryException

from sparksink.errors import ConfigError, DataLossError, SinkError
from tests.fixtures.sink.recorded import MakeSink, Topic, field, rows
from tests.fixtures.topics import Topics
from tests.fixtures.worker import wait_for
from tests.sink.conftest import settings
from tests.sink.test_process import start
from tests.sink.test_sources import produce
from tests.sink.test_streaming import ONCE
from tools.stack import KafkaBroker

COLUMNS = [field("id", "int32"), field("v", "string")]


def options(broker: KafkaBroker, pattern: str, **more: Any) -> dict[str, Any]:
    given = {"kind": "kafka_py", "bootstrap.servers": broker.address, "topics": pattern}
    return {**given, **more}


def changes(topic: Topic, first: int, count: int) -> list[dict[str, Any]]:
    return [
        topic.change("c", 100 + n, None, {"id": n, "v": "a"}) for n in range(first, first + count)
    ]


def in_transaction(broker: KafkaBroker, name: str, messages: list[Any], *, commit: bool) -> None:
    """Write messages with the mark of their end, which takes an offset and is no message."""
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": name})
    producer.init_transactions()
    producer.begin_transaction()
    for number, value in enumerate(messages):
        producer.produce(name, value, key=b"k", partition=0, headers=[("n", str(number))])
    assert producer.flush(30) == 0
    (producer.commit_transaction if commit else producer.abort_transaction)()


@pytest.mark.slow
def test_a_job_reads_batch_by_batch_what_is_committed(
    broker: KafkaBroker, topics: Topics, sink: MakeSink, capsys: Any
) -> None:
    """It ends where marks of transactions end, finds topics that come later, and goes on."""
    from sparksink.commands.subcommands import check, run  # noqa: PLC0415 - needs Spark

    prefix = f"py{time.time_ns()}"
    names = [f"{prefix}.shop.{name}" for name in ("orders", "items")]
    first, second = (Topic(name, COLUMNS) for name in names)
    topics.create(names[0], 2)
    pattern = re.escape(prefix) + r"\.shop\..*"
    made = sink(source=options(broker, pattern, **{"max.offsets.per.trigger": 3}))
    produce(broker, changes(first, 0, 3))
    in_transaction(broker, names[0], [b"?"] * 2, commit=False)
    check(made, ONCE)
    assert "shop__orders: 2 partitions, 6 messages" in capsys.readouterr().out
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == [(0,), (1,), (2,)]
    assert made.lake.table("_cdc/dead_letter").columns() is None  # what was aborted is none
    topics.create(names[1])
    produce(broker, [*changes(first, 3, 1), *changes(second, 0, 1)])
    again = sink(source=options(broker, pattern))
    run(again, ONCE)
    assert rows(again, "shop__orders", "id") == [(0,), (1,), (2,), (3,)]
    assert rows(again, "shop__items", "id") == [(0,)]
    batches = (Path(made.config.checkpoint) / "offsets").glob("[0-9]*")
    assert len(list(batches)) >= 3  # three messages a batch at first, of which some are marks


def test_settings_of_another_client_are_refused(sink: MakeSink) -> None:
    given = {"kind": "kafka_py", "bootstrap.servers": "127.0.0.1:1", "topics": "t"}
    made = sink(source={**given, "kafka.sasl.jaas.config": "secret"})
    with pytest.raises(ConfigError, match=r"source\.kafka: Java JAAS") as caught:
        made.messages.offsets()
    assert "secret" not in str(caught.value)


def test_ranges_are_read_exactly_and_a_batch_that_was_cut_short_again(
    broker: KafkaBroker, topics: Topics, sink: MakeSink, tmp_path: Path
) -> None:
    name = f"exact{time.time_ns()}.shop.orders"
    topics.create(name)
    made = sink(
        source=options(broker, re.escape(name), **{"starting.offsets": "latest"}),
        ordering={"epoch": "header"},
    )
    batches: list[list[int]] = []

    def stream(apply: Callable[[Any, int], None]) -> Any:
        found = made.messages.stream(checkpoint=str(tmp_path / "c"))
        writer = found.writeStream.option("checkpointLocation", str(tmp_path / "c"))
        return writer.foreachBatch(apply).trigger(availableNow=True)

    def cut_short(batch: Any, _: int) -> None:
        batch.collect()
        raise SinkError("cut short")

    first = stream(cut_short)  # where it begins is known from here on
    in_transaction(broker, name, [b"a", b"b"], commit=True)
    in_transaction(broker, name, [b"c"], commit=False)
    moment = datetime.now(UTC) + timedelta(seconds=1)
    with pytest.raises(StreamingQueryException, match="cut short"):
        first.start().awaitTermination(60)
    time.sleep(1.5)
    producer = Producer({"bootstrap.servers": broker.address})
    producer.produce(name, b"d", headers=[("millrace.position", b"1/2/3/4"), ("empty", None)])
    assert producer.flush(30) == 0
    for _ in range(2):
        done = stream(lambda batch, _: batches.append(sorted(r["offset"] for r in batch.collect())))
        done.start().awaitTermination(60)
    assert batches == [[0, 1], [5]]  # 2 and 4 are marks, 3 was aborted
    java = sink(source=options(broker, re.escape(name), kind="kafka"), ordering={"epoch": "header"})
    here, there = (one.messages.between().orderBy("offset").collect() for one in (made, java))
    assert here == there
    assert [row["position"] for row in here] == [None, None, "1/2/3/4"]
    ddl = sink(source=options(broker, "none", **{"ddl.topic": name})).messages
    assert [change[:2] for change in ddl.schema_changes(0)] == [(0, b"a"), (1, b"b"), (5, b"d")]
    assert [change[:2] for change in ddl.schema_changes(1)] == [(1, b"b"), (5, b"d")]

    def offsets(start: str, end: str) -> list[int]:
        found = made.messages.between(start, end).select("offset").collect()
        return sorted(row["offset"] for row in found)

    assert offsets(json.dumps({name: {"0": 1}}), json.dumps({name: {"0": 3}})) == [1]
    assert offsets(f"timestamp:{moment.isoformat()}", "latest") == [5]
    assert offsets("earliest", f"timestamp:{moment.isoformat()}") == [0, 1]
    with pytest.raises(SinkError, match="must name every existing partition"):
        offsets(json.dumps({name: {"7": 1}}), "latest")


@pytest.mark.slow
def test_messages_that_are_gone_stop_the_job_unless_it_may_go_on(
    broker: KafkaBroker, topics: Topics, sink: MakeSink
) -> None:
    from sparksink.commands.subcommands import run  # noqa: PLC0415 - needs Spark

    name = f"gone{time.time_ns()}.shop.orders"
    topics.create(name)
    topic, source = Topic(name, COLUMNS), options(broker, re.escape(name))
    produce(broker, changes(topic, 0, 2))
    run(sink(source=source), ONCE)
    produce(broker, changes(topic, 2, 3))
    admin = AdminClient({"bootstrap.servers": broker.address})
    for future in admin.delete_records([TopicPartition(name, 0, 4)]).values():
        future.result(30)
    with pytest.raises(DataLossError, match="begins at 4, not 2"):
        run(sink(source=source), ONCE)
    made = sink(source={**source, "on.data.loss": "continue"})
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == [(0,), (1,), (4,)]
    topics.delete([name])
    with pytest.raises(DataLossError, match=f"{name}-0 is gone"):
        run(sink(source=source), ONCE)


@pytest.mark.slow
def test_a_job_that_is_killed_goes_on_where_it_was(
    broker: KafkaBroker, topics: Topics, sink: MakeSink, tmp_path: Path
) -> None:
    from sparksink.commands.subcommands import plan, run  # noqa: PLC0415 - needs Spark

    name = f"kill{time.time_ns()}.shop.orders"
    topics.create(name, 2)
    source = options(broker, re.escape(name), **{"max.offsets.per.trigger": 20})
    given = {"source": source, "history": {"enabled": True}}
    config = settings(tmp_path, trigger={"interval": "100ms"}, **given)
    (tmp_path / "sink.yaml").write_text(yaml.safe_dump(config))
    produce(broker, changes(Topic(name, COLUMNS), 0, 100))
    job = start(tmp_path)
    begun = Path(config["checkpoint"]) / "offsets" / "2"
    wait_for(begun.exists, 300, "the third batch")
    os.killpg(job.pid, signal.SIGKILL)
    job.wait(60)
    made = sink(**given)
    plan(made, ONCE)
    run(made, ONCE)
    assert rows(made, "shop__orders", "id") == sorted(((n,) for n in range(100)), key=repr)
    places = rows(made, "shop__orders__history", "__partition", "__offset")
    ends = made.messages.offsets()[name]
    assert places == sorted(((p, n) for p in ends for n in range(ends[p][1])), key=repr)
