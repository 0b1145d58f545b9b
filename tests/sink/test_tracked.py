"""Versions that begin where a tracked column changes, and rows that a TRUNCATE only marks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tests.sink.test_convergence import real_lake

COLUMNS = [field("id", "int32"), field("a", "string"), field("b", "string")]
pytestmark = pytest.mark.slow


def change(topic: Topic, op: str, pos: int, text: str = "", key: int = 1, **more: Any) -> Any:
    """Make a change of a row, of whose text the first letter is tracked."""
    row = {"id": key, "a": text[:1], "b": text[1:]} if text else None
    return topic.change(op, pos, row if op == "d" else None, row if op != "d" else None, **more)


SHOWN = "id a b __seq_lo __end_lo __last_lo __current".split()


def versions(made: Any) -> list[tuple[Any, ...]]:
    """Return the versions, by their positions in the log."""
    table = made.lake.table("shop__orders").read().where("__op <> 'd'")
    return sorted(
        (key, a + b, begin >> 22, end and end >> 22, last >> 22, now)
        for key, a, b, begin, end, last, now in table.select(*SHOWN).collect()
    )


@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_a_version_begins_where_a_tracked_column_changes(
    sink: MakeSink, spark: Any, tmp_path: Path, table_format: str
) -> None:
    check(sink, spark, tmp_path, {"format": table_format})


def check(sink: MakeSink, spark: Any, tmp_path: Path, target: Mapping[str, Any]) -> None:
    """Deliver changes early, late, twice and torn by crashes, and compare."""
    given = {"target": target, "mirror": {"scd": 2, "track.columns": ["a"]}}
    topic = Topic(columns=COLUMNS)
    first = [
        change(topic, "c", 10, "x1"), change(topic, "u", 12, "x2"),
        change(topic, "u", 20, "y1"), change(topic, "c", 15, "p1", 2),
    ]  # fmt: skip
    later = [
        change(topic, "u", 25, "y2"), change(topic, "u", 30, "x3"), change(topic, "u", 40, "x4"),
        change(topic, "d", 35, "p1", 2), change(topic, "c", 38, "p2", 2),
    ]  # fmt: skip
    expected = [
        (1, "x2", 10, 20, 12, False),
        (1, "x4", 30, None, 40, True),
        (1, "y2", 20, 30, 25, False),
        (2, "p1", 15, 35, 15, False),
        (2, "p2", 38, None, 38, True),
    ]
    for number, batch in enumerate((first, later, [*later, *first], later)):
        made = sink(**given)
        made.batches.apply(frame(spark, batch), "app", number)
        if number:
            assert versions(made) == expected
    # A late change inside a version splits it, and a TRUNCATE ends what is before it.
    late = [change(topic, "u", 33, "z1"), topic.change("t", 39)]
    for at in range(2):  # after the versions of the batch's keys, and those of others
        crashing = CrashingLake(real_lake(spark, tmp_path, **given), at, after=True)
        with pytest.raises(Crash):
            sink(crashing, **given).batches.apply(frame(spark, late), "app", 4)
    made = sink(**given)
    for number in (4, 5):
        made.batches.apply(frame(spark, late), "app", number)
        assert [one for one in versions(made) if one[2] >= 30] == [
            (1, "x4", 30, 33, 30, False),
            (1, "x4", 40, None, 40, True),
            (1, "z1", 33, 39, 33, False),
            (2, "p2", 38, 39, 38, False),
        ]
    # One that comes when nothing else does.
    apart = Topic("srv.shop.orders", COLUMNS)
    made.batches.apply(frame(spark, [change(apart, "u", 50, "x5")]), "app", 6)
    end = frame(spark, [apart.change("t", 45)])
    for at in range(3):  # after it is split, after it has ended, after that is noted
        crashing = CrashingLake(real_lake(spark, tmp_path, **given), at, after=True)
        with pytest.raises(Crash):
            sink(crashing, **given).batches.apply(end, "app", 7)
    made = sink(**given)
    made.batches.apply(end, "app", 7)
    assert [one for one in versions(made) if one[2] >= 40] == [
        (1, "x5", 40, 45, 40, False),
        (1, "x5", 50, None, 50, True),
    ]


@pytest.mark.parametrize("table_format", ["delta", "iceberg"])
def test_a_truncate_marks_rows(sink: MakeSink, spark: Any, table_format: str) -> None:
    mirror = {"deletes": "soft", "truncate": "soft"}
    topic = Topic(columns=COLUMNS)
    given = [
        change(topic, "c", 10, "x1"), change(topic, "c", 11, "x2", 2),
        topic.change("t", 20), change(topic, "c", 30, "x3", 2), change(topic, "d", 15, "x4", 4),
        change(topic, "c", 12, "x5", 5),
    ]  # fmt: skip
    expected = [(1, "1", True), (2, "3", False), (4, None, True), (5, "5", True)]
    orders = ([[0, 1], [2], [3, 4, 5]], [[5, 3], [2, 0], [4, 1]], [[0, 1, 2, 3, 4, 5]])
    for name, order in zip("abc", orders, strict=True):
        made = sink(
            target={"format": table_format, "table.name": f"{name}__{{table}}"}, mirror=mirror,
            state={"schema": f"_{name}"},
        )  # fmt: skip
        for number, part in enumerate(order):
            for _ in range(2):
                batch = frame(spark, [given[n] for n in part])
                made.batches.apply(batch, "app", number)
        assert rows(made, f"{name}__orders", "id", "b", "__deleted") == expected


@pytest.mark.parametrize("fast", [True, False])
def test_the_first_rows_are_appended_once(sink: MakeSink, spark: Any, fast: bool) -> None:
    given = {"snapshot": {"fast.path": fast}}
    topic = Topic(columns=COLUMNS)
    first = [
        change(topic, "r", 10, "x1"), change(topic, "r", 10, "x2", 2),
        change(topic, "u", 20, "x3"), change(topic, "d", 30, "x2", 2),
    ]  # fmt: skip
    for _ in range(2):  # two processes
        made = sink(**given)
        for _ in range(2):
            made.batches.apply(frame(spark, first), "app", 0)
    assert rows(made, "shop__orders", "id", "b") == [(1, "3")]
    done = spark.sql(f"DESCRIBE HISTORY {made.lake.table('shop__orders').identifier}")
    writes = [one.operation for one in done.collect() if one.operation in {"WRITE", "MERGE"}]
    assert writes[-1] == ("WRITE" if fast else "MERGE")
    assert writes.count("WRITE") == int(fast)
