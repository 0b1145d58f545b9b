"""Tables whose key is dropped or added: rows without a key are not merged by the former one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.defined import defined
from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows
from tests.sink.test_streaming import record

COLUMNS = [field("id", "int32"), field("v", "string")]
ICEBERG: dict[str, Any] = {"target": {"format": "iceberg"}}
DROPPED = 'the key changed from ["id"] to []'


def insert(topic: Topic, pos: int, key: int, text: str, **more: Any) -> Row:
    return topic.change("c", pos, None, {"id": key, "v": text}, **more)


def with_key(topic: Topic, *, keyed: bool) -> Topic:
    topic.keys = ("id",) if keyed else ()
    return topic


@pytest.mark.parametrize("restarts", [False, True])
def test_rows_without_a_key_park_a_mirror_whose_rows_have_one(
    sink: MakeSink, spark: Any, tmp_path: Path, restarts: bool
) -> None:
    statements = [
        "CREATE TABLE defined (id INT PRIMARY KEY, v TEXT)", "ALTER TABLE defined DROP PRIMARY KEY"
    ]  # fmt: skip
    lines = [
        {"topic": "srv", "partition": 0, "offset": number, "value": json.dumps(one)}
        for number, one in enumerate(defined(*statements))
    ]
    record(tmp_path, "ddl.json", *lines)
    given = {**ICEBERG, "source": {"ddl.topic": "srv"}}
    made = sink(**given)
    topics = [Topic(f"srv.shop.{name}", COLUMNS) for name in ("orders", "defined")]
    first = [insert(topic, 15, 1, "x") for topic in topics]
    made.batches.apply(frame(spark, first), "app", 0)
    made = sink(**given) if restarts else made
    later = [insert(with_key(topic, keyed=False), 25, 1, "y") for topic in topics]
    made.batches.apply(frame(spark, later), "app", 1)
    parked = made.state.parked_tables()
    assert parked.keys() == {"shop.orders", "shop.defined"}
    assert all(DROPPED in reason for reason in parked.values())
    assert rows(made, "shop__orders", "id", "v") == [(1, "x")]
    assert len(rows(made, "_cdc/parked", "offset")) == 2


def test_a_table_that_has_lost_its_key_gets_a_history_with_all_rows(
    sink: MakeSink, spark: Any
) -> None:
    made, topic = sink(**ICEBERG), Topic(columns=COLUMNS)
    keyed = [insert(topic, 15, 1, "x")]
    keyless = [insert(with_key(topic, keyed=False), 25 + n, 1, "y") for n in range(2)]
    made.batches.apply(frame(spark, [*keyed, *keyless]), "app", 0)
    made.batches.apply(frame(spark, [insert(topic, 35, 1, "z")]), "app", 1)
    assert made.state.parked_tables() == {}
    assert made.lake.table("shop__orders").columns() is None
    found = rows(made, "shop__orders__history", "id", "v")
    assert found == [(1, "x"), (1, "y"), (1, "y"), (1, "z")]


def test_messages_without_a_key_may_have_a_known_one(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    (message,) = defined("CREATE TABLE defined (id INT PRIMARY KEY, v TEXT)")
    line = {"topic": "srv", "partition": 0, "offset": 0, "value": json.dumps(message)}
    record(tmp_path, "ddl.json", line)
    named = [
        {"match": r"shop\.named", "keys": ["id"]}, {"match": r"shop\.modes", "nopk": "key:id"}
    ]  # fmt: skip
    given = {**ICEBERG, "source": {"ddl.topic": "srv"}, "tables": named}
    made, keyed = sink(**given), Topic(columns=COLUMNS)
    topics = [
        Topic(f"srv.shop.{name}", COLUMNS, ()) for name in ("defined", "named", "modes")
    ]  # fmt: skip
    for batch in range(2):
        changes = [insert(topic, 15 + batch, 1, f"{batch}") for topic in (keyed, *topics)]
        made.batches.apply(frame(spark, changes), "app", batch)
    truncated = [keyed.change("t", 25), insert(keyed, 26, 2, "last")]
    made.batches.apply(frame(spark, truncated), "app", 2)
    made.batches.apply(frame(spark, [keyed.change("t", 35)]), "app", 3)
    assert made.state.parked_tables() == {}
    assert rows(made, "shop__orders", "id") == []
    for name in ("defined", "named", "modes"):
        assert rows(made, f"shop__{name}", "id", "v") == [(1, "1")]


@pytest.mark.parametrize("history", [False, True])
def test_a_key_that_is_added_parks_a_table_that_had_none(
    sink: MakeSink, spark: Any, history: bool
) -> None:
    given = {**ICEBERG, "history": {"enabled": history}}
    topic = Topic(columns=COLUMNS, keys=())
    first = [insert(topic, 15 + n, n, "x") for n in range(3)]
    sink(**given).batches.apply(frame(spark, first), "app", 0)
    made = sink(**given)
    made.batches.apply(frame(spark, [insert(with_key(topic, keyed=True), 25, 4, "y")]), "app", 1)
    assert 'the key changed from [] to ["id"]' in made.state.parked_tables()["shop.orders"]
    assert made.lake.table("shop__orders").columns() is None
    assert len(rows(made, "shop__orders__history", "id")) == 3
