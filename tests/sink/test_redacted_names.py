"""Columns and tables whose names look like secrets, which Spark hides when it lists properties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

TOKEN = field("token", "int32", optional=False)
ADDED = [
    field("avatar_url", "string", optional=False),
    field("hourly_rate", "int32", optional=False, default=1),
]
RENAMED = [ADDED[0], {**ADDED[1], "field": "password_rate"}]
TEXTS = {
    "keys": '["token"]',
    "default.hourly": "CAST('https://url' AS STRING)",
    "access_key": "it's",
    "secret": "",
    "plain": "x",
}


@pytest.fixture(params=["delta", "iceberg"])
def target(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"format": request.param}


def write_statement(path: Path) -> None:
    columns = [{"name": one["field"], "typeName": "INT"} for one in [TOKEN, *RENAMED]]
    value = {
        "ddl": "ALTER TABLE orders RENAME COLUMN hourly_rate TO password_rate",
        "tableChanges": [{"id": '"shop"."orders"', "table": {"columns": columns}}],
    }
    line = {"topic": "srv", "partition": 0, "offset": 0, "value": json.dumps(value)}
    (path / "in" / "ddl.json").write_text(json.dumps(line))


def test_facts_are_read_as_they_were_stored(sink: MakeSink, target: dict[str, Any]) -> None:
    sink(target=target).lake.table("t").create({"id": "int"}, {**TEXTS, "plain": "before"})
    sink(target=target).lake.table("t").alter([], {"plain": "x"})
    assert sink(target=target).lake.table("t").facts() == TEXTS


@pytest.mark.slow
def test_each_job_follows_the_columns(
    sink: MakeSink, spark: Any, tmp_path: Path, target: dict[str, Any]
) -> None:
    topic = Topic(columns=[TOKEN], keys=["token"])
    settings = {"target": target, "source": {"ddl.topic": "srv"}, "history": {"enabled": True}}

    def apply(number: int, **row: Any) -> None:
        made = sink(**settings)
        made.batches.apply(frame(spark, [topic.change("c", 100 + number, None, row)]), "a", number)
        assert made.state.parked_tables() == {}

    apply(0, token=1)
    apply(1, token=2)
    topic.columns = [TOKEN, *ADDED]
    apply(2, token=3, avatar_url="u", hourly_rate=3)
    apply(3, token=4, avatar_url="v", hourly_rate=4)
    write_statement(tmp_path)
    topic.columns = [TOKEN, *RENAMED]
    apply(4, token=5, avatar_url="w", password_rate=5)
    apply(5, token=6, avatar_url="x", password_rate=6)
    assert rows(sink(**settings), "shop__orders", "token", "avatar_url", "password_rate") == [
        (1, "", 1), (2, "", 1), (3, "u", 3), (4, "v", 4), (5, "w", 5), (6, "x", 6),
    ]  # fmt: skip


@pytest.mark.slow
def test_batches_of_tables_are_known_after_compaction(sink: MakeSink, spark: Any) -> None:
    from sparksink.commands.maintenance import compact_tables  # noqa: PLC0415

    topic = Topic("srv.shop.user_tokens", columns=[TOKEN], keys=["token"])
    for number in range(2):
        made, row = sink(target={"format": "iceberg"}), {"token": number}
        changes = [topic.change("c", 100, None, row), topic.change("d", 200, row)]
        for _ in range(2):  # the batch is repeated
            made.batches.apply(frame(spark, changes), "a", number)
        list(compact_tables(made))
    assert made.state.parked_tables() == {}
    assert len(rows(made, "_cdc/tombstones", "key")) == 2
