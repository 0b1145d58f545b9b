"""The mirror equals the source, in whatever order, how often and how torn its changes arrive."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.sink.crashing import Crash, CrashingLake, CrashingTable
from tests.fixtures.sink.histories import ANY_ORDER, Source, delivered
from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows
from tests.sink.conftest import settings

COLUMNS = [field("id", "int32"), field("v", "string")]
each_format = pytest.mark.parametrize("table_format", ["delta", "iceberg"])


def run(sink: MakeSink, spark: Any, tmp_path: Path, seed: int, tables: int, **more: Any) -> None:
    """Deliver random histories with crashes, restarts and repetitions, and compare."""
    chance, more = random.Random(seed), ANY_ORDER | more
    sources = [Source(Topic(f"srv.shop.t{n}", COLUMNS), seed * 100 + n) for n in range(tables)]
    messages = [source.live(chance.randint(20, 120)) for source in sources]
    parts = [delivered(m, 3, seed + n) for n, m in enumerate(messages)]
    history = {"enabled": bool(seed % 2)}
    for number, batch in enumerate(zip(*parts, strict=True)):
        mixed = frame(spark, [message for part in batch for message in part])
        real = real_lake(spark, tmp_path, **more)
        lake = CrashingLake(real, chance.randrange(10), after=seed % 3 > 0)
        try:
            sink(lake, history=history, **more).batches.apply(mixed, "app", number)
        except Crash:  # the next process repeats the batch
            sink(history=history, **more).batches.apply(mixed, "app", number)
    made = sink(history=history, **more)
    for n, source in enumerate(sources):
        expected = sorted(((row["id"], row["v"]) for row in source.rows.values()), key=repr)
        assert rows(made, f"shop__t{n}", "id", "v") == expected, f"seed {seed}, table {n}"
        if history["enabled"]:
            offsets = {m["offset"] for part in parts[n] for m in part if m["value64"]}
            found = rows(made, f"shop__t{n}__history", "__offset")
            assert sorted(offset for (offset,) in found) == sorted(offsets)


def real_lake(spark: Any, path: Path, **more: Any) -> Any:
    from sparksink.config.file import parse  # noqa: PLC0415
    from sparksink.sink import build  # noqa: PLC0415

    return build(parse(settings(path, **more)), spark).lake


@pytest.mark.parametrize("table_format", ["delta", pytest.param("iceberg", marks=pytest.mark.slow)])
def test_a_random_history_with_crashes(
    sink: MakeSink, spark: Any, tmp_path: Path, table_format: str
) -> None:
    run(sink, spark, tmp_path, seed=1, tables=1, target={"format": table_format})


@pytest.mark.slow
@each_format
@pytest.mark.parametrize("seed", range(15))
def test_many_random_histories_with_crashes(
    sink: MakeSink, spark: Any, tmp_path: Path, seed: int, table_format: str
) -> None:
    run(sink, spark, tmp_path, seed, tables=4, target={"format": table_format})


NAMES = ("key", "value", "topic", "offset", "e", "a b", "position", "mark")


@pytest.mark.slow
def test_a_late_change_does_not_bring_a_deleted_row_back(sink: MakeSink, spark: Any) -> None:
    """Nor do columns that are named as those of messages change anything."""
    columns = [field("key", "int32"), *(field(name, "string") for name in NAMES[1:])]
    topic = Topic(columns=columns, keys=["key"])

    def row(key: int, text: str) -> dict[str, Any]:
        return {"key": key, **dict.fromkeys(NAMES[1:], text)}

    late = topic.change("u", 150, row(1, "a"), row(1, "late"))
    first = [
        topic.change("c", 100, None, row(1, "a")),
        topic.change("d", 200, row(1, "a"), None),
        topic.change("c", 210, None, row(2, "b")),
    ]
    sink().batches.apply(frame(spark, first), "app", 0)
    # Another process, which knows of the delete from the tombstones alone.
    made = sink()
    names = [f"`{name}`" for name in NAMES]
    made.batches.apply(frame(spark, [late]), "app", 1)
    assert rows(made, "shop__orders", *names) == [(2, *["b"] * 7)]
    again = topic.change("c", 300, None, row(1, "again"))
    made.batches.apply(frame(spark, [again]), "app", 2)
    assert rows(made, "shop__orders", *names) == [(1, *["again"] * 7), (2, *["b"] * 7)]


@pytest.mark.slow
def test_deletes_are_remembered_without_reading_those_of_other_tables(
    sink: MakeSink, spark: Any, tmp_path: Path
) -> None:
    """Delta refuses a write that reads what another one adds to at the same time."""
    read: list[list[str]] = []
    lake = real_lake(spark, tmp_path)

    class Watched:
        def __getattr__(self, name: str) -> Any:
            return getattr(lake, name)

        def table(self, name: str) -> Any:
            table = lake.table(name)
            if not name.endswith("tombstones"):
                return table
            watched = CrashingTable(table, lambda write: write())
            append = watched.append

            def watching(rows: Any, writer: str, batch: int) -> None:
                read.append(list(rows.inputFiles()))
                append(rows, writer, batch)

            watched.append = watching  # type: ignore[method-assign]
            return watched

    topic = Topic(columns=COLUMNS)
    row, other = {"id": 1, "v": "a"}, {"id": 2, "v": "a"}
    made = sink(Watched())
    made.batches.apply(frame(spark, [topic.change("d", 200, row, None)]), "app", 0)
    late = [topic.change("u", 150, row, row), topic.change("d", 160, other, None)]
    made.batches.apply(frame(spark, late), "app", 1)
    assert len(read) == 2
    assert not [file for files in read for file in files if "tombstones" in file]


@pytest.mark.slow
def test_soft_deletes_keep_the_row(sink: MakeSink, spark: Any) -> None:
    made = sink(mirror={"deletes": "soft"})
    topic = Topic(columns=COLUMNS)
    row = {"id": 1, "v": "a"}
    made.batches.apply(frame(spark, [topic.change("c", 100, None, row)]), "app", 0)
    deletion = frame(spark, [topic.change("d", 200, row, None)])
    made.batches.apply(deletion, "app", 1)
    assert rows(made, "shop__orders", "id", "v", "__deleted") == [(1, "a", True)]
    late = topic.change("u", 150, row, {"id": 1, "v": "late"})
    made.batches.apply(frame(spark, [late]), "app", 2)
    assert rows(made, "shop__orders", "id", "v", "__deleted") == [(1, "a", True)]


def test_a_table_without_key_has_a_history_in_which_each_message_is_once(
    sink: MakeSink, spark: Any
) -> None:
    made = sink()
    topic = Topic(columns=COLUMNS, keys=())
    same = {"id": 1, "v": "a"}
    twice = [topic.change("c", 100, None, same, row=row) for row in range(2)]
    batch = frame(spark, [*twice, topic.change("d", 200, same, None)])
    for _ in range(2):
        made.batches.apply(batch, "app", 0)
    assert rows(made, "shop__orders__history", "id", "v", "__op") == [
        (1, "a", "c"), (1, "a", "c"), (1, "a", "d"),
    ]  # fmt: skip
    assert made.lake.table("shop__orders").columns() is None


@pytest.mark.slow
def test_positions_of_another_server_park_their_table(sink: MakeSink, spark: Any) -> None:
    made = sink()
    topics = [Topic(columns=COLUMNS), Topic("srv.shop.items", columns=COLUMNS)]
    row, later = {"id": 1, "v": "a"}, {"id": 1, "v": "b"}
    first = [topic.change("c", 1000, None, row) for topic in topics]
    made.batches.apply(frame(spark, first), "app", 0)
    times = {"ts_ms": 1_800_000_000_000}
    second = [topics[0].change("u", 10, row, later, **times),
              topics[1].change("u", 2000, row, later, **times)]  # fmt: skip
    made.batches.apply(frame(spark, second), "app", 1)
    [(table, reason)] = made.state.parked_tables().items()
    assert table == "shop.orders"
    assert "positions went back" in reason
    assert rows(made, "shop__orders", "v") == [("a",)]
    assert rows(made, "shop__items", "v") == [("b",)]
    assert made.state.table("parked").read().count() == 1


@pytest.mark.slow
def test_an_epoch_orders_the_binlogs_of_two_servers(sink: MakeSink, spark: Any) -> None:
    made = sink(ordering={"epoch": "header"})
    topic = Topic(columns=COLUMNS)
    row, later = {"id": 1, "v": "a"}, {"id": 1, "v": "b"}
    first = {**topic.change("c", 1000, None, row), "position": "0/bin.000001/1000/0"}
    update = topic.change("u", 10, row, later, ts_ms=1_800_000_000_000)
    second = {**update, "position": "1/bin.000001/10/0"}
    made.batches.apply(frame(spark, [second]), "app", 0)
    made.batches.apply(frame(spark, [first]), "app", 1)
    assert rows(made, "shop__orders", "v") == [("b",)]
    # A tombstone whose delete was compacted away deletes, as a header has its position.
    tombstone = topic.message({"id": 1}, None, position="1/bin.000001/20/0")
    made.batches.apply(frame(spark, [tombstone]), "app", 2)
    assert rows(made, "shop__orders", "v") == []


@pytest.mark.slow
def test_a_truncate_is_all_that_comes_after_a_start(sink: MakeSink, spark: Any) -> None:
    topic = Topic(columns=COLUMNS)
    first = topic.change("c", 100, None, {"id": 1, "v": "a"})
    sink().batches.apply(frame(spark, [first]), "app", 0)
    made = sink()  # has seen no key of this table
    made.batches.apply(frame(spark, [topic.change("t", 200)]), "app", 1)
    assert rows(made, "shop__orders", "id") == []
    made.batches.apply(frame(spark, [first]), "app", 2)
    assert rows(made, "shop__orders", "id") == []
