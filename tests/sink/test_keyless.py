"""Tables without a key: their rows are counted, or identified by configured columns."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Topic, field, frame, rows

COLUMNS = [field("a", "int32"), field("b", "string")]
Row = dict[str, Any]


class Source:
    """A table without a key, and the messages of what is done to it."""

    def __init__(self, seed: int, name: str = "srv.shop.orders") -> None:
        self.topic = Topic(name, columns=COLUMNS, keys=())
        self.rows: list[Row] = []
        self._chance = random.Random(seed)
        self.pos = 1000

    def snapshot(self) -> list[Row]:
        self.pos += 10
        pos, last = self.pos, len(self.rows) - 1
        return [
            self.topic.change(
                "r", pos, None, row, snapshot="last_in_data_collection" if n == last else "true"
            )
            for n, row in enumerate(self.rows)
        ]

    def live(self, count: int) -> list[Row]:
        return [self._change() for _ in range(count)]

    def lose(self, count: int) -> None:
        """Change rows without a message."""
        del self.rows[:count]
        self.pos += 10

    def _row(self) -> Row:
        return {"a": self._chance.randrange(3), "b": self._chance.choice([None, "x"])}

    def _change(self) -> Row:
        self.pos += 10
        at = self._chance.randrange(len(self.rows) + 1)
        if at == len(self.rows) or self._chance.random() < 0.4:
            self.rows.append(self._row())
            return self.topic.change("c", self.pos, None, self.rows[-1])
        before = self.rows.pop(at)
        if self._chance.random() < 0.5:
            return self.topic.change("d", self.pos, before, None)
        self.rows.append(self._row())
        return self.topic.change("u", self.pos, before, self.rows[-1])

    def expected(self) -> list[tuple[Any, ...]]:
        counts = Counter((row["a"], row["b"]) for row in self.rows)
        return sorted(((*row, count) for row, count in counts.items()), key=repr)


def counted(made: Any, table: str = "shop__orders") -> list[tuple[Any, ...]]:
    return rows(made, table, "a", "b", "__count")


@pytest.mark.slow
def test_rows_without_a_key_are_counted(sink: MakeSink, spark: Any) -> None:
    source = Source(7)
    first = [*source.live(12), *source.snapshot()]
    second = source.live(30)
    random.Random(7).shuffle(second)
    again = [{**message, "offset": message["offset"] + 1000} for message in second[:9]]
    for number, messages in enumerate([first, [*second, *again]]):
        made = sink(nopk="bag_view")
        made.batches.apply(frame(spark, messages), "app", number)
    made.batches.apply(frame(spark, messages), "app", number)  # repeated
    assert counted(made) == source.expected()


@pytest.mark.slow
def test_a_snapshot_counts_again(sink: MakeSink, spark: Any) -> None:
    source = Source(9)
    made = sink(nopk="bag_view")
    made.batches.apply(frame(spark, source.live(25)), "app", 0)
    assert counted(made) == source.expected()
    source.lose(2)
    made.batches.apply(frame(spark, source.snapshot()), "app", 1)
    assert counted(made) == source.expected()
    empty = {**source.topic.change("t", 9000), "position": "0/bin.000001/9000/0/empty"}
    made.batches.apply(frame(spark, [empty]), "app", 2)
    assert counted(made) == []


@pytest.mark.slow
def test_each_row_once_and_changes_of_columns(sink: MakeSink, spark: Any) -> None:
    source = Source(8)
    made = sink(nopk="full_row")
    made.batches.apply(frame(spark, source.live(20)), "app", 0)
    assert counted(made) == [(*row[:2], 1) for row in source.expected()]
    # A column that is NULL in the rows that are there changes nothing, one with a default does.
    source.topic.columns = [*COLUMNS, field("c", "string")]
    gone = source.rows[0]
    change = source.topic.change("d", 5000, {**gone, "c": None}, None)
    made.batches.apply(frame(spark, [change]), "app", 1)
    same = [row for row in source.rows[1:] if row == gone]
    assert ((gone["a"], gone["b"], 1) in counted(made)) == bool(same)
    source.topic.columns = [*COLUMNS, field("d", "int32", default=7, optional=False)]
    made.batches.apply(
        frame(spark, [source.topic.change("c", 6000, None, {"a": 1, "b": "x", "d": 7})]), "app", 2
    )
    assert "columns cannot be removed or changed: c, d" in made.state.parked_tables()["shop.orders"]


def test_configured_columns_identify_rows(sink: MakeSink, spark: Any) -> None:
    topic = Topic(columns=COLUMNS, keys=())
    messages = [
        topic.change("c", 100, None, {"a": 1, "b": "x"}),
        topic.change("c", 110, None, {"a": 2, "b": "y"}),
        topic.change("u", 120, {"a": 1, "b": "x"}, {"a": 3, "b": "x"}),  # no message of a delete
        topic.change("u", 130, {"a": 2, "b": "y"}, {"a": 2, "b": "z"}),
    ]
    made = sink(nopk="key:a")
    made.batches.apply(frame(spark, messages), "app", 0)
    assert rows(made, "shop__orders", "a", "b") == [(2, "z"), (3, "x")]


def test_rows_of_a_further_snapshot_are_counted_once(sink: MakeSink, spark: Any) -> None:
    """A snapshot of some rows has no end, an incremental one no position: both repeat rows."""
    topics = {name: Topic(f"srv.shop.{name}", COLUMNS, ()) for name in ("orders", "added")}
    made = sink(nopk="bag_view")
    row, new = {"a": 1, "b": "x"}, {"a": 2, "b": None}

    def read(name: str, pos: int, after: Row, mark: str) -> dict[str, Any]:
        return topics[name].change("r", pos, None, after, snapshot=mark)

    first = [read("orders", 100, row, "first"), read("orders", 100, row, "last")]
    made.batches.apply(frame(spark, first), "app", 0)
    assert counted(made) == [(1, "x", 2)]
    inserted = topics["orders"].change("c", 150, None, new)
    parts = [read("orders", 200, row, "true"), read("orders", 210, new, "incremental")]
    added = read("added", 400, row, "incremental")
    made.batches.apply(frame(spark, [inserted, *parts, added]), "app", 1)
    assert counted(made) == [(1, "x", 2), (2, None, 1)]
    # Without a regular snapshot it is unknown which rows are counted.
    assert "rows of an incremental snapshot" in made.state.parked_tables()["shop.added"]
    # The last one is complete: what it lacks is gone.
    made.batches.apply(frame(spark, [read("orders", 300, row, "true")]), "app", 2)
    assert counted(made) == [(1, "x", 2), (2, None, 1)]
    made.batches.apply(frame(spark, [read("orders", 300, new, "last")]), "app", 3)
    assert counted(made) == [(1, "x", 1), (2, None, 1)]
