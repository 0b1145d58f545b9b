"""Rows that a new snapshot lacks are removed once all partitions of the topic were read so far."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fixtures.sink.recorded import MakeSink, Row, Topic, field, frame, rows

COLUMNS = [field("id", "int32"), field("v", "string")]
NAME = "srv.shop.orders"
ICEBERG = {"target": {"format": "iceberg"}}  # which takes a third of the time
KINDS: dict[str, dict[str, Any]] = {
    "rows": {},
    "soft": {"mirror": {"deletes": "soft", "truncate": "soft"}, **ICEBERG},
    "versions": {"mirror": {"scd": 2}, **ICEBERG},
    "keyless": {"nopk": "bag_view", **ICEBERG},
}


def read(ends: dict[str, int], *, until: dict[str, int]) -> Any:
    """Return the progress of a batch: how far it reads each partition, and where they end now."""
    from sparksink.state.snapshots import ReadProgress  # noqa: PLC0415 - needs Spark

    return ReadProgress({NAME: ends}, lambda: {NAME: until})


class Partitions:
    """Rows 1 and 3 in partition 0, row 2 in partition 1; row 3 goes without a message."""

    def __init__(self, keys: tuple[str, ...] = ("id",)) -> None:
        self._topic = Topic(NAME, COLUMNS, keys)

    def before(self) -> list[Row]:
        return [self._row(partition, "c", 10 + key, key) for partition, key in self._all()]

    def ends(self) -> Row:
        """Return the end of a snapshot, which is in a partition of its own."""
        return self._row(0, "r", 100, 1, snapshot="last")

    def rest(self) -> Row:
        return self._row(1, "r", 100, 2, snapshot="true")

    def later(self) -> Row:
        return self._row(0, "c", 200, 4)

    def _all(self) -> list[tuple[int, int]]:
        return [(0, 1), (1, 2), (0, 3)]

    def _row(self, partition: int, op: str, pos: int, key: int, **more: Any) -> Row:
        change = self._topic.change(op, pos, None, {"id": key, "v": "a"}, **more)
        return {**change, "partition": partition}


def living(made: Any, kind: str) -> set[int]:
    where = {"soft": "NOT __deleted", "versions": "__current", "keyless": "__count > 0"}
    found = made.lake.table("shop__orders").read().where(where.get(kind, "true"))
    return {row["id"] for row in found.collect()}


@pytest.mark.parametrize(
    "kind", ["rows", *(pytest.param(kind, marks=pytest.mark.slow) for kind in [*KINDS][1:])]
)
def test_no_row_vanishes_before_its_partition_was_read(
    sink: MakeSink, spark: Any, kind: str
) -> None:
    partitions = Partitions(() if kind == "keyless" else ("id",))
    made = sink(**KINDS[kind])
    made.batches.apply(frame(spark, partitions.before()), "app", 0)
    ends, present = {"0": 50, "1": 2}, {"0": 50, "1": 9}
    made.batches.apply(
        frame(spark, [partitions.ends()]), "app", 1, progress=read(ends, until=present)
    )
    assert living(made, kind) == {1, 2, 3}
    made = sink(**KINDS[kind])  # another process
    progress = read({"0": 60, "1": 8}, until={"0": 70, "1": 20})
    made.batches.apply(frame(spark, [partitions.later()]), "app", 2, progress=progress)
    assert living(made, kind) == {1, 2, 3, 4}
    progress = read({"0": 60, "1": 9}, until={"0": 70, "1": 20})
    made.batches.apply(frame(spark, [partitions.rest()]), "app", 3, progress=progress)
    assert living(made, kind) == {1, 2, 4}
    assert sink(**KINDS[kind]).state.pending_sweeps() == []


@pytest.mark.slow
def test_a_batch_without_messages_of_the_table_ends_the_wait(sink: MakeSink, spark: Any) -> None:
    """Its partitions may end in records that are no messages, as those of transactions."""
    partitions, made = Partitions(), sink(**ICEBERG)
    made.batches.apply(frame(spark, [*partitions.before(), partitions.rest()]), "app", 0)
    late = read({"0": 50, "1": 8}, until={"0": 50, "1": 9})
    made.batches.apply(frame(spark, [partitions.ends()]), "app", 1, progress=late)
    made.state.park("shop.orders", "a test")
    whole = read({"0": 50, "1": 9}, until={"0": 50, "1": 9})
    made.batches.apply(frame(spark, []), "app", 2, progress=whole)
    assert living(made, "rows") == {1, 2, 3}  # what it lacks was set aside
    made.state.unpark("shop.orders")
    [done] = made.batches.apply(frame(spark, []), "app", 3, progress=whole)
    assert living(made, "rows") == {1, 2}
    assert done.swept
    assert done.version == made.lake.version("shop__orders")
    assert rows(made, "_cdc/commits", "batch") == [(0,), (1,), (3,)]


@pytest.mark.slow
def test_a_wait_is_over_when_the_table_was_emptied(sink: MakeSink, spark: Any) -> None:
    partitions, made = Partitions(), sink(**ICEBERG)
    late = read({"0": 50, "1": 8}, until={"0": 50, "1": 9})
    first = frame(spark, [*partitions.before(), partitions.ends()])
    made.batches.apply(first, "app", 0, progress=late)
    truncate = Topic(NAME, COLUMNS).change("t", 150)
    made.batches.apply(frame(spark, [truncate]), "app", 1, progress=late)
    assert living(made, "rows") == set()
    assert made.state.pending_sweeps() == []
