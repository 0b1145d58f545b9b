"""Every version of every row, from when to when: in whatever order and how often changes come."""

from __future__ import annotations

import base64
import json
import random
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from sparksink.change_position import pack
from tests.fixtures.sink.crashing import Crash, CrashingLake
from tests.fixtures.sink.histories import ANY_ORDER, Source, delivered, versions
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tests.sink.test_convergence import real_lake

COLUMNS = [field("id", "int32"), field("v", "string")]
VERSIONS = {"scd": 2}
MADE = [
    ("iceberg", 1),  # which takes a third of the time
    *(pytest.param("iceberg", seed, marks=pytest.mark.slow) for seed in range(2, 6)),
    *(pytest.param("delta", seed, marks=pytest.mark.slow) for seed in range(1, 8)),
]


def expected(messages: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return key, value, place and end of each version, by their definition."""
    changes, values = [], {}
    for message in messages:
        if message["value64"] is None:
            continue  # a tombstone without a place only repeats a delete
        value = json.loads(base64.b64decode(message["value64"]))["payload"]
        source, row = value["source"], value["after"] or value["before"]
        place = pack(0, source["file"], source["pos"], source["row"], value["op"])
        changes.append((value["op"], row and row["id"], place))
        if source["snapshot"] == "last":  # nothing that was there before is there now
            changes.append(("t", None, place))
        values[row and row["id"], place] = row and row["v"]
    ends = versions(changes)
    found = [
        (key, values[key, place], *place, *(end or (None, None)), end is None)
        for (key, place), end in ends.items()
    ]
    return sorted(found, key=repr)


def run(sink: MakeSink, spark: Any, tmp_path: Path, seed: int, target: dict[str, Any]) -> None:
    """Deliver a random history with crashes, restarts and repetitions, and compare."""
    given: dict[str, Any] = {"target": target, "mirror": VERSIONS, **ANY_ORDER}
    chance = random.Random(seed)
    source = Source(Topic(columns=COLUMNS), seed)
    messages = source.live(60)
    for number, part in enumerate(delivered(messages, 3, seed)):
        lake = CrashingLake(real_lake(spark, tmp_path, **given), chance.randrange(6), after=True)
        try:
            sink(lake, **given).batches.apply(frame(spark, part), "app", number)
        except Crash:  # the next process repeats the batch
            sink(**given).batches.apply(frame(spark, part), "app", number)
    made = sink(**given)
    table = made.lake.table("shop__orders").read()
    columns = "id v __seq_hi __seq_lo __end_hi __end_lo __current".split()
    found = [tuple(row) for row in table.where("__op <> 'd'").select(*columns).collect()]
    assert sorted(found, key=repr) == expected(messages)
    now = sorted(tuple(row) for row in table.where("__current").select("id", "v").collect())
    assert now == sorted((row["id"], row["v"]) for row in source.rows.values())


@pytest.mark.parametrize(("table_format", "seed"), MADE)
def test_a_random_history_with_crashes(
    sink: MakeSink, spark: Any, tmp_path: Path, table_format: str, seed: int
) -> None:
    run(sink, spark, tmp_path, seed, {"format": table_format})


@pytest.mark.slow
def test_a_late_change_splits_the_version_that_was_there(sink: MakeSink, spark: Any) -> None:
    made = sink(mirror=VERSIONS)
    topic = Topic(columns=COLUMNS)

    def change(op: str, pos: int, text: str) -> dict[str, Any]:
        row = {"id": 1, "v": text}
        images = (row, None) if op == "d" else (None, row)
        return topic.change(op, pos, *images, ts_ms=1_700_000_000_000 + 1000 * pos)

    def at(pos: int) -> datetime:
        return datetime.fromtimestamp(1_700_000_000 + pos)  # noqa: DTZ006 - as Spark hands them out

    first = [change("c", 10, "a"), change("d", 40, "c")]
    made.batches.apply(frame(spark, first), "app", 0)
    made.batches.apply(frame(spark, [change("u", 30, "c"), change("u", 20, "b")]), "app", 1)
    shown = rows(made, "shop__orders", "__op", "v", "__start_at", "__end_at", "__current")
    assert shown == [
        ("c", "a", at(10), at(20), False),
        ("d", None, at(40), at(40), False),
        ("u", "b", at(20), at(30), False),
        ("u", "c", at(30), at(40), False),
    ]
    # A column that is added, and a mirror that would not know what to do with versions.
    topic.columns = [*COLUMNS, field("w", "int32", optional=False, default=7)]
    again = topic.change("c", 50, None, {"id": 1, "v": "d", "w": 8})
    made.batches.apply(frame(spark, [again]), "app", 2)
    assert rows(made, "shop__orders", "w", "__current")[-1] == (8, True)
    plain = sink()
    plain.batches.apply(frame(spark, [again]), "app", 3)
    assert "created with other settings of the mirror" in plain.state.parked_tables()["shop.orders"]
